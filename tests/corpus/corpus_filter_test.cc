// Tests the filters of the corpus' real files: their layout, no false negatives, and their false
// positive rate.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/experimental/filter_report.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "table/table_internals.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/sha256.h"
#include "tests/support/status_matchers.h"
#include "util/hash.h"

namespace sstable::test {
namespace {

using ::nlohmann::json;

class CorpusFilterTest : public CorpusTableTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CorpusTableTest::SetUp());
    if (!file().has_filter()) return;
    const std::string meta_key = facts().at("filter").at("meta_key");
    ASSERT_OK_AND_ASSIGN(contents_, table_->ReadMetaBlock(meta_key));
    policy_ = FindFilterPolicy(std::string(filter_facts().at("name")),
                               OptionsFor(file()).filter_policies);
    ASSERT_NE(policy_, nullptr);
  }

  const json& filter_facts() const { return facts().at("filter"); }
  bool is_bloom() const { return filter_facts().contains("hash_tail"); }

  FilterBlockReader ParseWith(const FilterPolicy* policy) const {
    absl::StatusOr<FilterBlockReader> filter = FilterBlockReader::Parse(policy, contents_);
    EXPECT_OK(filter);
    return *filter;
  }

  std::string contents_;
  const FilterPolicy* policy_ = nullptr;
};

TEST_P(CorpusFilterTest, IsConsultedWhereThereIsOne) {
  if (file().has_filter()) {
    EXPECT_OK(table_->LoadFilter());
  } else if (absl::StrContains(facts().at("metaindex_keys").dump(), "fullfilter")) {
    EXPECT_THAT(table_->LoadFilter(),
                StatusIs(absl::StatusCode::kUnimplemented, testing::HasSubstr("RocksDB")));
  } else {
    EXPECT_THAT(table_->LoadFilter(),
                StatusIs(absl::StatusCode::kNotFound, "the table has no filter block"));
  }
}

TEST_P(CorpusFilterTest, HasTheLayoutOfTheManifest) {
  if (!file().has_filter()) return;
  const json& expected = filter_facts();
  EXPECT_EQ(absl::StrCat(kFilterKeyPrefix, policy_->Name()), expected.at("meta_key"));
  EXPECT_EQ(contents_.size(), expected.at("bytes"));
  EXPECT_EQ(Sha256Hex(contents_), expected.at("sha256"));
  for (const MetaBlock& block : table_->meta_blocks()) {
    if (block.name != expected.at("meta_key")) continue;
    EXPECT_EQ(json::array({block.handle.offset, block.handle.size}), expected.at("handle"));
  }
  const FilterBlockReader filter = ParseWith(policy_);
  EXPECT_EQ(filter.base_lg(), expected.at("base_lg"));
  EXPECT_EQ(filter.array_offset(), expected.at("array_offset"));
  EXPECT_EQ(filter.window_count(), expected.at("n_filters"));
  int empty = 0;
  std::map<std::string, int> last_bytes;
  for (uint32_t i = 0; i < filter.window_count(); ++i) {
    const FilterWindow window = filter.Window(i);
    ASSERT_NE(window.state, FilterWindow::State::kMalformed) << "window " << i;
    empty += window.state == FilterWindow::State::kEmpty;
    if (window.state != FilterWindow::State::kPresent) continue;
    ++last_bytes[absl::StrCat(static_cast<unsigned char>(window.filter.back()))];
  }
  EXPECT_EQ(empty, expected.at("n_empty_filters"));
  EXPECT_EQ(json(last_bytes), expected.at("k"));
}

TEST_P(CorpusFilterTest, LetsAsManyAbsentKeysThroughAsTheManifestCounts) {
  if (!file().has_filter() || !is_bloom()) return;
  const FilterBlockReader filter = ParseWith(policy_);
  int asked = 0, hits = 0;
  for (size_t i = 0; i < 2000 && IndexOf(*table_)->size() > 0; ++i) {
    const uint64_t block_offset =
        IndexOf(*table_)->record(i * 7919 % IndexOf(*table_)->size()).block_offset;
    if (filter.WindowIndex(block_offset) >= filter.window_count()) continue;
    ++asked;
    hits += filter.KeyMayMatch(block_offset, absl::StrFormat("absent-probe-%06d", i));
  }
  EXPECT_EQ(json::array({hits, asked}), filter_facts().at("absent_probe_hits_of_tested"));
}

TEST_P(CorpusFilterTest, IsReportedAsInTheManifest) {
  const FilterReport report = MeasureFilter(*table_);
  if (!file().has_filter()) {
    EXPECT_FALSE(report.status.ok());
    return;
  }
  const json& expected = filter_facts();
  EXPECT_OK(report.status);
  EXPECT_OK(report.scan_status);
  EXPECT_EQ(report.name, expected.at("name"));
  EXPECT_EQ(report.base_lg, expected.at("base_lg"));
  EXPECT_EQ(report.windows, expected.at("n_filters"));
  EXPECT_EQ(report.empty_windows, expected.at("n_empty_filters"));
  EXPECT_EQ(report.malformed_windows, 0);
  EXPECT_EQ(report.keys_tested, facts().at("n_entries"));
  EXPECT_EQ(report.false_negatives, 0);
  EXPECT_EQ(report.is_bloom, is_bloom());
  if (!is_bloom()) return;
  EXPECT_EQ(report.hash.keys_with_two_hashes, expected.at("keys_with_high_byte_in_hash_tail"));
  EXPECT_EQ(report.hash.lost_by_unsigned_hash, expected.at("false_negatives_unsigned_hash"));
  EXPECT_EQ(report.hash.lost_by_signed_hash, expected.at("false_negatives_signed_hash"));
  EXPECT_EQ(report.hash.Verdict(), expected.at("hash_tail"));
}

// Tests each table. The tolerance is 4 standard deviations, so that all files pass together.
TEST_P(CorpusFilterTest, LetsAsManyRandomKeysThroughAsExpected) {
  const FilterReport report = MeasureFilter(*table_, {200000, {}});
  if (!report.is_bloom || report.random.tested == 0) return;
  const double deviation =
      std::sqrt(report.expected_rate * (1 + 1.0 / 16) / static_cast<double>(report.random.tested));
  EXPECT_NEAR(report.random.Rate(), report.expected_rate, 4 * deviation + 1e-5);
}

// Tests all tables together. A single table can't be tested, since a 95 % interval misses the true
// value for one table in twenty by chance. The limit is the number of misses that chance alone
// exceeds in one of a thousand corpora. If expected rates were wrong by a fifth of the interval's
// width, there would be twice as many.
TEST(CorpusExpectedRateTest, LiesInTheMeasuredIntervalOfAsManyTablesAsItShould) {
  // The expected rate is measured, too, with 16 times as many keys. So 1.96 standard deviations of
  // the measured rate are 1.90 of the difference.
  constexpr double kMissRate = 0.0572;
  int tables = 0, misses = 0;
  for (const CorpusParameter& parameter : ReadableFiles()) {
    if (parameter.access != FileAccess::kMap) continue;
    ASSERT_OK_AND_ASSIGN(const auto table, OpenCorpusFile(parameter, OptionsFor(*parameter.file)));
    const FilterReport report = MeasureFilter(*table, {200000, {}});
    if (!report.is_bloom || report.random.tested == 0) continue;
    const FilterRate::Interval interval = report.random.Interval95();
    ++tables;
    const bool missed = report.expected_rate < interval.low || report.expected_rate > interval.high;
    misses += missed;
    if (missed) {
      std::cout << parameter.file->name << ": expected " << report.expected_rate << ", measured "
                << interval.low << " to " << interval.high << "\n";
    }
  }
  const double mean = kMissRate * tables;
  EXPECT_LE(misses, mean + 3.1 * std::sqrt(mean * (1 - kMissRate)) + 0.5) << tables << " tables";
}

INSTANTIATE_FOR_READABLE_FILES(CorpusFilterTest);

}  // namespace
}  // namespace sstable::test
