#include "table/inspect/verified_scan.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "tests/support/block_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A scan that records its reports. scripts/blocks.txt tests what it visits and reports.
class Scan {
 public:
  explicit Scan(std::string bytes, const TableReaderOptions& options = {})
      : bytes_(std::move(bytes)),
        reader_(*TableReader::Open(NewMemoryFile(bytes_, "t.ldb"), options)),
        scan_(reader_.get(), KeyTrust::kOrdered, VerifiedScan::Misplaced::kVisit,
              [this](const absl::Status& status) { reports_.push_back(status); }) {}

  VerifiedScan& operator*() { return scan_; }
  const TableReader* reader() const { return reader_.get(); }
  const std::vector<absl::Status>& reports() const { return reports_; }

 private:
  const std::string bytes_;
  const std::unique_ptr<TableReader> reader_;
  std::vector<absl::Status> reports_;
  VerifiedScan scan_;
};

TEST(VerifiedScanTest, EndsWhereTheVisitorWantsNoMore) {
  TableAssembler table;
  table.AddDataBlock("a2", {{"a1", "first"}, {"a2", "last"}});
  Scan scan(table.Finish());
  std::vector<std::string> keys;
  const auto visit_first = [&keys](absl::string_view key, absl::string_view) {
    keys.emplace_back(key);
    return false;
  };
  EXPECT_FALSE((*scan).Visit(0, visit_first));
  EXPECT_FALSE((*scan).Visit(0, visit_first)) << "and begins again";
  EXPECT_THAT(keys, ElementsAre("a1", "a1"));
  EXPECT_THAT(scan.reports(), IsEmpty());
}

constexpr uint32_t kShared = 20000;

// Returns a block in which each key shares kShared bytes with the previous one.
std::string BlockOfMuchWork() {
  constexpr int kKeys = 4000;
  std::string block = EncodeEntry(0, std::string(kShared, 'a'), "");
  for (int i = 0; i < kKeys; ++i) {
    block += EncodeEntry(kShared,
                         std::string{static_cast<char>(i >> 8), static_cast<char>(i & 0xff)}, "");
  }
  return block + EncodeRestarts({0});
}

TableReaderOptions LittleWork() {
  TableReaderOptions options;
  options.max_work = 1;  // 10 MiB
  return options;
}

TEST(VerifiedScanTest, EndsWhereTheWorkIsSpent) {
  TableAssembler table;
  table.AddIndexEntry("b", table.AddBlock(BlockOfMuchWork()).Encode());
  Scan scan(table.Finish(), LittleWork());
  int shown = 0;
  EXPECT_FALSE((*scan).Visit(0, [&](absl::string_view, absl::string_view) {
    ++shown;
    return true;
  }));
  EXPECT_LT(shown * kShared, uint32_t{10} << 20);
  EXPECT_THAT(scan.reports(), ElementsAre(StatusIs(absl::StatusCode::kOutOfRange,
                                                   HasSubstr("t.ldb: a limit, not damage"))));
  EXPECT_TRUE((*scan).is_at_limit());
}

// The two scans are like those of threads that share a reader. What had been dumped before the
// limit used to be lost, together with the message of the scan that reached the limit.
TEST(VerifiedScanTest, IsNotAtTheLimitThatAnotherScanReachesMeanwhile) {
  TableAssembler table;
  table.AddDataBlock("A", {{"A", "value"}});
  table.AddIndexEntry("b", table.AddBlock(BlockOfMuchWork()).Encode());
  Scan scan(table.Finish(), LittleWork());
  VerifiedScan other(scan.reader(), KeyTrust::kOrdered, VerifiedScan::Misplaced::kVisit,
                     [](const absl::Status&) {});
  const auto visit = [](absl::string_view, absl::string_view) { return true; };
  EXPECT_TRUE((*scan).Visit(0, [&](absl::string_view, absl::string_view) {
    EXPECT_FALSE(other.Visit(1, visit));
    return true;
  }));
  EXPECT_TRUE(other.is_at_limit());
  EXPECT_FALSE((*scan).is_at_limit()) << "all of its block was visited";
  EXPECT_THAT(scan.reports(), IsEmpty());
  EXPECT_FALSE((*scan).Visit(1, visit));
  EXPECT_TRUE((*scan).is_at_limit());
  EXPECT_THAT(scan.reports(),
              ElementsAre(StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("a limit"))));
}

}  // namespace
}  // namespace sstable::test
