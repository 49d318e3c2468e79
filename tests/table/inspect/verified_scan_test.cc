#include "table/inspect/verified_scan.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "tests/support/block_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

using ::sstable::test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using Misplaced = VerifiedScan::Misplaced;

// Three blocks of one size, with the keys a1 a2, b1 b2 and c1 c2.
struct Sample {
  Sample() {
    test::TableAssembler table;
    for (const std::string letter : {"a", "b", "c"}) {
      handles.push_back(
          table.AddDataBlock(letter + "2", {{letter + "1", "first"}, {letter + "2", "last"}}));
    }
    bytes = table.Finish();
  }
  std::string Stored(size_t i) const {
    return bytes.substr(handles[i].offset, handles[i].size + kBlockTrailerSize);
  }

  std::vector<BlockHandle> handles;
  std::string bytes;
};

// A scan that records the entries and reports that it passes on.
class Scan {
 public:
  explicit Scan(std::string bytes, KeyTrust keys = KeyTrust::kOrdered,
                Misplaced misplaced = Misplaced::kVisit, const TableReaderOptions& options = {})
      : bytes_(std::move(bytes)),
        reader_(*TableReader::Open(NewMemoryFile(bytes_, "t.ldb"), options)),
        scan_(reader_.get(), keys, misplaced,
              [this](const absl::Status& status) { reports_.push_back(status); }) {}

  // The keys that it visits in block `i`.
  std::vector<std::string> Visit(size_t i) {
    std::vector<std::string> keys;
    EXPECT_TRUE(scan_.Visit(i, [&](absl::string_view key, absl::string_view) {
      keys.emplace_back(key);
      return true;
    }));
    return keys;
  }

  VerifiedScan& operator*() { return scan_; }
  const std::vector<absl::Status>& reports() const { return reports_; }

 private:
  const std::string bytes_;
  const std::unique_ptr<TableReader> reader_;
  std::vector<absl::Status> reports_;
  VerifiedScan scan_;
};

auto DamageAt(absl::string_view place, absl::string_view what) {
  return StatusIs(absl::StatusCode::kDataLoss,
                  AllOf(HasSubstr(absl::StrCat("t.ldb: ", place)), HasSubstr(std::string(what))));
}

TEST(VerifiedScanTest, ShowsTheEntriesOfBlocksInAnyOrder) {
  Scan scan(Sample().bytes);
  EXPECT_EQ((*scan).block_count(), 3);
  for (const size_t i : {0, 1, 2, 2, 1, 0, 2, 0, 0, 1}) {
    const std::string letter(1, static_cast<char>('a' + i));
    EXPECT_THAT(scan.Visit(i), ElementsAre(letter + "1", letter + "2")) << i;
  }
  EXPECT_THAT(scan.reports(), IsEmpty());
}

TEST(VerifiedScanTest, EndsWhereTheVisitorWantsNoMore) {
  Scan scan(Sample().bytes);
  std::string value;
  EXPECT_FALSE((*scan).Visit(1, [&](absl::string_view, absl::string_view shown) {
    value = std::string(shown);
    return false;
  }));
  EXPECT_EQ(value, "first");
  EXPECT_THAT(scan.Visit(1), ElementsAre("b1", "b2")) << "and can begin again";
  EXPECT_THAT(scan.reports(), IsEmpty());
}

TEST(VerifiedScanTest, ReportsDamageWhichEndsItsBlockAlone) {
  Sample sample;
  sample.bytes[sample.handles[1].offset] ^= 1;
  Scan scan(sample.bytes);
  EXPECT_THAT(scan.Visit(0), ElementsAre("a1", "a2"));
  EXPECT_THAT(scan.Visit(1), IsEmpty());
  EXPECT_THAT(scan.Visit(2), ElementsAre("c1", "c2"));
  EXPECT_THAT(scan.reports(), ElementsAre(DamageAt("data block at offset", "crc32c")));
}

TEST(VerifiedScanTest, ShowsTheEntriesBeforeAMalformedOne) {
  test::TableAssembler table;
  const std::string block =
      test::EncodeEntry(0, "a", "1") + test::EncodeEntry(9, "b", "2") + test::EncodeRestarts({0});
  table.AddIndexEntry("b", table.AddBlock(block).Encode());
  Scan scan(table.Finish());
  EXPECT_THAT(scan.Visit(0), ElementsAre("a"));
  EXPECT_THAT(scan.reports(), ElementsAre(DamageAt("data block at offset 0", "")));
}

TEST(VerifiedScanTest, ReportsABlockInThePlaceOfAnother) {
  Sample sample;
  sample.bytes.replace(sample.handles[1].offset, sample.Stored(0).size(), sample.Stored(0));
  for (const KeyTrust keys : {KeyTrust::kOrdered, KeyTrust::kUnordered}) {
    Scan visits(sample.bytes, keys, Misplaced::kVisit);
    EXPECT_THAT(visits.Visit(1), ElementsAre("a1", "a2"));
    EXPECT_THAT(visits.reports(),
                ElementsAre(DamageAt("data block", "another block may have been here")));
    Scan skips(sample.bytes, keys, Misplaced::kSkip);
    EXPECT_THAT(skips.Visit(1), IsEmpty());
    EXPECT_THAT(skips.Visit(2), ElementsAre("c1", "c2"));
    EXPECT_THAT(skips.reports(),
                ElementsAre(DamageAt("data block", "another block may have been here")));
  }
  Scan keys_not_known(sample.bytes, KeyTrust::kUnknown, Misplaced::kSkip);
  EXPECT_THAT(keys_not_known.Visit(1), ElementsAre("a1", "a2"));
  EXPECT_THAT(keys_not_known.reports(), IsEmpty());
}

using Bound = std::optional<std::string>;

std::pair<size_t, size_t> BlocksBetween(Scan* scan, const Bound& from, const Bound& to) {
  const VerifiedScan::Blocks blocks = (**scan).BlocksBetween(from, to);
  return {blocks.first, blocks.end};
}

TEST(VerifiedScanTest, ARangeIsInTheBlocksThatTheIndexNames) {
  Scan scan(Sample().bytes);
  EXPECT_THAT(BlocksBetween(&scan, std::nullopt, std::nullopt), Pair(0, 3));
  EXPECT_THAT(BlocksBetween(&scan, "b1", "b2"), Pair(1, 2));
  EXPECT_THAT(BlocksBetween(&scan, "a3", std::nullopt), Pair(1, 3));
  EXPECT_THAT(BlocksBetween(&scan, std::nullopt, "a3"), Pair(0, 2));
  EXPECT_THAT(BlocksBetween(&scan, "x", std::nullopt), Pair(3, 3));
  EXPECT_THAT(scan.reports(), IsEmpty());
  EXPECT_THAT(scan.Visit(1), ElementsAre("b1", "b2")) << "from its start";
}

// "a1" and "a2" are in the second block, where a lookup of them does not lead.
TEST(VerifiedScanTest, ARangeIsAlsoInABlockBesideItThatIsNotInItsPlace) {
  Sample sample;
  sample.bytes.replace(sample.handles[1].offset, sample.Stored(0).size(), sample.Stored(0));
  Scan scan(sample.bytes);
  EXPECT_THAT(BlocksBetween(&scan, "c1", std::nullopt), Pair(1, 3));
  EXPECT_THAT(BlocksBetween(&scan, std::nullopt, "a2"), Pair(0, 2));
}

TEST(VerifiedScanTest, WithoutAnIndexThereAreNoBlocksAndAReport) {
  Sample sample;
  sample.bytes[sample.bytes.size() - kFooterSize - kBlockTrailerSize - 1] ^= 1;
  Scan scan(sample.bytes);
  EXPECT_EQ((*scan).block_count(), 0);
  EXPECT_THAT(BlocksBetween(&scan, "a", "b"), Pair(0, 0));
  EXPECT_THAT(scan.reports(), ElementsAre(DamageAt("index block", "crc32c")));
}

TEST(VerifiedScanTest, ReportsAnIndexThatLeavesOutBlocks) {
  test::TableAssembler table;
  table.AddDataBlock("a", {{"a", "1"}});
  table.AddBlock(test::EncodeBlock({{"b", "2"}}));
  Scan scan(table.Finish());
  EXPECT_THAT(scan.reports(), ElementsAre(DamageAt("index block", "leaves out bytes")));
  EXPECT_THAT(scan.Visit(0), ElementsAre("a"));
}

// Each key shares 20,000 bytes with the previous one.
TEST(VerifiedScanTest, EndsWhereTheWorkIsSpent) {
  constexpr uint32_t kShared = 20000;
  constexpr int kKeys = 4000;
  std::string block = test::EncodeEntry(0, std::string(kShared, 'a'), "");
  for (int i = 0; i < kKeys; ++i) {
    block += test::EncodeEntry(
        kShared, std::string{static_cast<char>(i >> 8), static_cast<char>(i & 0xff)}, "");
  }
  test::TableAssembler table;
  table.AddIndexEntry("b", table.AddBlock(block + test::EncodeRestarts({0})).Encode());
  TableReaderOptions options;
  options.max_work = 1;  // so 10 MiB
  Scan scan(table.Finish(), KeyTrust::kOrdered, Misplaced::kVisit, options);
  int shown = 0;
  EXPECT_FALSE((*scan).Visit(0, [&](absl::string_view, absl::string_view) {
    ++shown;
    return true;
  }));
  EXPECT_LT(shown * kShared, uint32_t{10} << 20);
  EXPECT_THAT(scan.reports(), ElementsAre(StatusIs(absl::StatusCode::kOutOfRange,
                                                   HasSubstr("t.ldb: a limit, not damage"))));
}

}  // namespace
}  // namespace sstable
