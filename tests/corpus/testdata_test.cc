// The tables of tests/testdata have the contents of the text file beside each.
#include <cstdint>
#include <filesystem>
#include <ostream>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/whole_file.h"
#include "tests/testdata/table_summary.h"

namespace sstable::test {

void PrintTo(const TestdataTable& table, std::ostream* out) { *out << table.name; }

namespace {

const char kFolder[] = "tests/testdata";  // in the runfiles, where Bazel starts a test

std::string ReadFile(const std::string& name) {
  return ReadWholeFile(absl::StrCat(kFolder, "/", name));
}

Entries Elements() {
  Entries entries;
  for (absl::string_view line : absl::StrSplit(ReadFile("elements.tsv"), '\n', absl::SkipEmpty())) {
    entries.push_back(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }
  return entries;
}

class TestdataTest : public testing::TestWithParam<TestdataTable> {};

TEST_P(TestdataTest, ReadsAsTheTextBesideItSays) {
  const std::string bytes = ReadFile(absl::StrCat(GetParam().name, ".ldb"));
  EXPECT_LE(bytes.size(), 200 * 1024);
  EXPECT_EQ(Summarize(GetParam(), bytes), ReadFile(absl::StrCat(GetParam().name, ".txt")));
}

INSTANTIATE_TEST_SUITE_P(Tables, TestdataTest, testing::ValuesIn(TestdataTables()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           const auto is_punctuation = [](char c) {
                             return !absl::ascii_isalnum(c);
                           };
                           std::replace_if(name.begin(), name.end(), is_punctuation, '_');
                           return name;
                         });

TEST(TestdataFolderTest, HasNoTableButThoseTested) {
  std::set<std::string> tested, present;
  for (const TestdataTable& table : TestdataTables())
    tested.insert(absl::StrCat(table.name, ".ldb"));
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".ldb") present.insert(entry.path().filename().string());
  }
  EXPECT_EQ(present, tested);
}

// As quickstart.sh shows, `sst build` of the text yields LevelDB's file. Compressed tables are
// equal only with the same Snappy: tests/interop builds both with that of this machine.
TEST(TestdataElementsTest, AreTheSameFileFromUsAndFromLevelDb) {
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  options.compression = Compression::kNone;
  const Entries elements = Elements();
  EXPECT_EQ(elements.size(), 627);
  ASSERT_OK_AND_ASSIGN(const std::string ours, BuildTable(options, elements));
  EXPECT_TRUE(ours == ReadFile("leveldb-1.23-raw.ldb"));
}

// Without the meta blocks that identify RocksDB's tables, each block is recognized by its bytes.
TEST(TestdataSalvageTest, BlocksOfRocksDbsCodecsAreFoundInHalfATable) {
  for (const char* name :
       {"rocksdb-7.8-lz4", "rocksdb-7.8-lz4hc", "rocksdb-7.8-bzip2", "rocksdb-7.8-zstd"}) {
    SCOPED_TRACE(name);
    const std::string bytes = ReadFile(absl::StrCat(name, ".ldb"));
    ASSERT_OK_AND_ASSIGN(const auto whole, TableReader::Open(NewMemoryFile(bytes)));
    const uint64_t half = bytes.size() / 2;
    Entries expected, found;
    const auto it = whole->NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const BlockHandle block = IndexOf(*whole)->record(it->block_index()).handle();
      if (block.offset + block.size + kBlockTrailerSize <= half) {
        expected.emplace_back(it->key(), it->value());
      }
    }
    ASSERT_GT(expected.size(), 200);
    const auto file = NewMemoryFile(absl::string_view(bytes).substr(0, half));
    ASSERT_OK_AND_ASSIGN(const auto salvager, Salvager::Open(*file, {}));
    ASSERT_OK(salvager->VisitEntries([&found](absl::string_view key, absl::string_view value) {
      found.emplace_back(key, value);
      return absl::OkStatus();
    }));
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace sstable::test
