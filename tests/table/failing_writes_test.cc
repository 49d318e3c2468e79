// Fails every system call of building a table once, in every way. Either nothing is noticed, or the
// builder reports it and the folder is unchanged.
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/support/faulty_system.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const Fault kFaults[] = {
    {"Eio", EIO},
    {"Enospc", ENOSPC},
    {"Emfile", EMFILE},
    {"FullForGood", ENOSPC, /*stays=*/true},
    {"GoneForGood", ENXIO, /*stays=*/true},
    {"Interrupted", EINTR},
    {"Short"},
    {"TakesNothing", 0, /*stays=*/false, /*most_size=*/0},
};

struct WritesCase {
  const char* name;
  Compression compression = Compression::kNone;
  int threads = 1;
  bool sync = true;
  bool replaces = false;  // an old file is replaced
};

class FailingWritesTest : public testing::TestWithParam<WritesCase> {
 protected:
  static constexpr int kBlockCount = 200;

  FailingWritesTest() {
    std::mt19937 random(1);
    for (int i = 0; i < 2 * kBlockCount; ++i) {
      std::string value(1030, 'v');  // two per block; incompressible for snappy
      for (char& c : value) c = static_cast<char>(random());
      values_.push_back(value);
    }
  }

  std::string Path() const { return folder_.File("t.ldb"); }

  // Continues to the end even after an error, like a caller that checks only the last status. Every
  // later status must equal the first error, which is returned.
  absl::Status Build() const {
    TableBuilderOptions options;
    options.filter_policy = policy_.get();
    options.compression = GetParam().compression;
    options.compression_threads = GetParam().threads;
    options.sync = GetParam().sync;
    options.block_size = 2048;
    const auto builder = TableBuilder::Create(Path(), options);
    if (!builder.ok()) return builder.status();
    absl::Status first;
    int key = 10000;
    for (const std::string& value : values_) {
      first.Update((*builder)->Add(absl::StrCat(key++), value));
    }
    const absl::Status finish = (*builder)->Finish();
    first.Update(finish);
    EXPECT_EQ(finish, first);
    EXPECT_EQ((*builder)->status(), first);
    EXPECT_THAT((*builder)->Add("z", ""), Not(IsOk()));
    return first;
  }

  void Prepare() const {
    std::filesystem::remove(Path());
    if (GetParam().replaces) folder_.Write("t.ldb", "old");
  }
  void ExpectAsBefore() const {
    if (GetParam().replaces) {
      EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
      EXPECT_TRUE(folder_.Read("t.ldb") == "old");
    } else {
      EXPECT_THAT(folder_.Names(), IsEmpty());
    }
  }
  void ExpectComplete(const std::string& bytes) const {
    EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
    EXPECT_TRUE(folder_.Read("t.ldb") == bytes);
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  std::vector<std::string> values_;
  TempFolder folder_;
};

TEST_P(FailingWritesTest, EveryFaultIsReportedAndLeavesTheFolderAsItWasOrIsNotNoticed) {
  std::vector<std::string> good_calls;
  Prepare();
  {
    const FaultySystem system;
    ASSERT_OK(Build());
    good_calls = system.calls();
  }
  const std::string good = folder_.Read("t.ldb");
  const size_t call_count = good_calls.size();
  ASSERT_GT(call_count, 10) << "open, seven writes, and what makes the file complete";
  ASSERT_EQ(IndexOf(*TableReader::Open(Path()).value())->size(), kBlockCount);

  int injected = 0;
  for (const Fault& fault : kFaults) {
    for (size_t n = 0; n < call_count; ++n) {
      SCOPED_TRACE(absl::StrCat(fault.name, " at call ", n, ", ", good_calls[n]));
      Prepare();
      const FaultySystem system(n, fault);
      const absl::Status status = Build();
      const std::vector<std::string> calls = system.calls();
      const std::string failed = system.failed();
      if (!failed.empty()) ++injected;

      // The last call closes the folder, whose failure does not affect the table.
      const bool is_end = failed == "close" && n + 1 == call_count;
      if (failed.empty() || fault.is_harmless() || is_end) {
        EXPECT_OK(status);
        ExpectComplete(good);
        const bool is_made_again = !failed.empty() && failed != "close";
        EXPECT_EQ(calls.size(), call_count + (is_made_again ? 1 : 0));
        continue;
      }
      ASSERT_EQ(failed, good_calls[n]);
      EXPECT_THAT(std::string(status.message()),
                  AllOf(StartsWith(Path() + ": "),
                        HasSubstr(std::strerror(fault.error == 0 ? EIO : fault.error))));
      if (failed == "fsync") {  // the folder's sync; see CreateFileAtomically()
        EXPECT_THAT(std::string(status.message()), HasSubstr("is complete and in place"));
        ExpectComplete(good);
      } else {
        ExpectAsBefore();
      }
      EXPECT_THAT(std::vector<std::string>(calls.begin() + n + 1, calls.end()), Each("close"))
          << "nothing more is tried";
    }
  }
  RecordProperty("faults", injected);
  EXPECT_GE(injected, 6 * call_count);

  Prepare();
  EXPECT_OK(Build());
  ExpectComplete(good);
}

INSTANTIATE_TEST_SUITE_P(Builders, FailingWritesTest,
                         testing::ValuesIn<WritesCase>({
                             {"New"},
                             {"Replacing", Compression::kNone, 1, /*sync=*/true, /*replaces=*/true},
                             {"NewNotSynced", Compression::kNone, 1, /*sync=*/false},
                             {"NewTwoThreads", Compression::kSnappy, 2},
                             {"ReplacingTwoThreads", Compression::kSnappy, 2, /*sync=*/true,
                              /*replaces=*/true},
                         }),
                         [](const auto& info) { return info.param.name; });

TEST(BuilderCallsTest, ATableIsSyncedOnceBeforeItHasItsNameAndItsFolderAfterwards) {
  const TempFolder folder;
  for (const bool sync : {true, false}) {
    TableBuilderOptions options;
    options.sync = sync;
    const FaultySystem system;
    const auto builder = TableBuilder::Create(folder.File("t.ldb"), options).value();
    ASSERT_OK(builder->Add("a", "1"));
    const size_t before = system.calls().size();
    ASSERT_OK(builder->Finish());
    const std::vector<std::string> calls = system.calls();
    const std::vector<std::string> of_finish(calls.begin() + before, calls.end());
    if (sync) {
      EXPECT_THAT(of_finish,
                  ElementsAre("write", "fdatasync", "open", "close", "rename", "fsync", "close"));
    } else {
      EXPECT_THAT(of_finish, ElementsAre("write", "close", "rename"));
    }
  }
}

}  // namespace
}  // namespace sstable::test
