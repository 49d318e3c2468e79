#include "tools/block_dumper.h"

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// sst_threads_test has what `sst dump` makes of it.
class BlockDumperTest : public testing::Test {
 protected:
  BlockDumperTest() {
    TableBuilderOptions options;
    options.block_size = 200;
    options.compression = Compression::kNone;
    test::Entries entries;
    for (int i = 0; i < 100; ++i) entries.emplace_back(absl::StrFormat("key%03d", i), "value");
    auto bytes = test::BuildTable(options, entries);
    EXPECT_OK(bytes);
    bytes_ = *std::move(bytes);
  }

  InputTable Open() const {
    const auto new_file = [this]() -> absl::StatusOr<std::unique_ptr<RandomAccessFile>> {
      return NewMemoryFile(bytes_);
    };
    auto table = OpenInputTable(new_file, {});
    EXPECT_OK(table);
    return *std::move(table);
  }

  struct Printed {
    std::string out, err;
    DumpedBlocks dumped;
  };
  Printed PrintFrom(BlockDumper::Place place) {
    const InputTable table = Open();
    Console console;
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Printed printed;
    BlockDumper dumper(table, options_, nullptr, nullptr);
    printed.dumped = dumper.ForwardFrom(place, {0, IndexOf(*table.reader)->size()}, &console);
    console.Flush();
    printed.out = testing::internal::GetCapturedStdout();
    printed.err = testing::internal::GetCapturedStderr();
    return printed;
  }
  // Changes a byte of a data block.
  void DamageBlock(size_t block) {
    bytes_[IndexOf(*Open().reader)->record(block).handle().offset + 10] ^= 1;
  }

  std::string bytes_;
  EntryOptions options_;
};

TEST_F(BlockDumperTest, PrintsOnFromAnEntry) {
  const Printed all = PrintFrom({0, 0});
  EXPECT_EQ(all.dumped.printed, 100u);
  const Printed some = PrintFrom({1, 3});
  EXPECT_EQ(some.dumped.code, ExitCode::kOk);
  EXPECT_LT(some.dumped.printed, 98u);
  EXPECT_EQ(some.out, all.out.substr(all.out.size() - some.out.size()));
  EXPECT_EQ(some.err, "");
}

TEST_F(BlockDumperTest, ReportsWhatKeepsItFromItsPlace) {
  DamageBlock(2);
  const Printed printed = PrintFrom({2, 3});
  EXPECT_EQ(printed.dumped.code, ExitCode::kDamagedOrAbsent);
  EXPECT_THAT(printed.err, HasSubstr("crc32c stored"));
  EXPECT_THAT(printed.out, StartsWith("key0"));
}

TEST_F(BlockDumperTest, LeavesOutWhatWasSaidBeforeItsPlace) {
  DamageBlock(1);
  const Printed printed = PrintFrom({2, 3});
  EXPECT_EQ(printed.dumped.code, ExitCode::kOk);
  EXPECT_EQ(printed.err, "");
  EXPECT_GT(printed.dumped.printed, 0u);
}

}  // namespace
}  // namespace sstable::tools
