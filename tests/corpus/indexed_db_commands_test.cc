// Runs the commands of `sst` on the corpus' IndexedDB tables, which don't record their order.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/corpus/corpus.h"
#include "tests/support/hex.h"
#include "tests/support/run_command.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

std::vector<CorpusFile> IndexedDbFiles() {
  std::vector<CorpusFile> files;
  for (const CorpusFile& file : Corpus()) {
    if (file.readable() && file.IsIndexedDb()) files.push_back(file);
  }
  return files;
}

CommandResult Sst(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "tools/sst");
  CommandOptions options;
  options.environment = {"SST_NO_PROGRESS=1"};
  return RunCommand(arguments, options);
}

TEST(IndexedDbCommandsTest, CheckKnowsTheOrder) {
  for (const CorpusFile& file : IndexedDbFiles()) {
    const CommandResult check = Sst({"check", "-v", file.path});
    EXPECT_EQ(check.exit_code, 0) << check;
    EXPECT_THAT(check.err, HasSubstr("internal keys in the order idb_cmp1")) << file.name;
    EXPECT_THAT(check.out, testing::Not(HasSubstr("not checked"))) << file.name;
  }
}

TEST(IndexedDbCommandsTest, FilterKnowsEveryKey) {
  for (const CorpusFile& file : IndexedDbFiles()) {
    const CommandResult filter = Sst({"filter", file.path});
    EXPECT_EQ(filter.exit_code, 0) << file.name << filter;
  }
}

// A table built from a dump must have the same entries, and lookups must find them.
TEST(IndexedDbCommandsTest, ADumpIsBuiltIntoTheSameEntries) {
  const TempFolder folder;
  for (const CorpusFile& file : IndexedDbFiles()) {
    const CommandResult dump = Sst({"dump", "--format", "tsv", "--encoding", "hex", file.path});
    ASSERT_EQ(dump.exit_code, 0) << file.name << dump.err;
    folder.Write("records.tsv", dump.out);
    const std::string table = folder.File("again.ldb");
    const CommandResult build =
        Sst({"build", "--force", "--keys", "internal", "--comparator", "idb_cmp1", "--encoding",
             "hex", table, folder.File("records.tsv")});
    ASSERT_EQ(build.exit_code, 0) << file.name << build;
    EXPECT_TRUE(Sst({"dump", "--format", "tsv", "--encoding", "hex", table}).out == dump.out)
        << file.name;
    const std::string first_key = dump.out.substr(0, dump.out.find('\t'));
    for (const std::string& from : {file.path, table}) {
      EXPECT_EQ(Sst({"get", "--encoding", "hex", from, first_key + "00"}).exit_code, 1);
      const CommandResult get = Sst({"get", "--encoding", "hex", from, first_key});
      EXPECT_THAT(get.err, testing::Not(HasSubstr("is not in"))) << from;
    }
  }
}

TEST(IndexedDbCommandsTest, SalvageKeepsTheOrder) {
  const TempFolder folder;
  for (const CorpusFile& file : IndexedDbFiles()) {
    const std::string saved = folder.File("saved.ldb");
    const CommandResult salvage = Sst({"salvage", "--force", file.path, "-o", saved});
    EXPECT_EQ(salvage.exit_code, 0) << file.name << salvage;
    EXPECT_THAT(Sst({"check", "-v", saved}).err, HasSubstr("in the order idb_cmp1"));
  }
}

}  // namespace
}  // namespace sstable::test
