// Runs check, detection, statistics and layout on the corpus' real files.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/check.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/layout.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/table_reader.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

using ::nlohmann::json;

class CorpusReportTest : public CorpusTableTest {};

TEST_P(CorpusReportTest, CheckFindsNothingWrong) {
  CheckOptions options;
  options.keys = file().comparator_known() ? KeyTrust::kOrdered : KeyTrust::kUnordered;
  const CheckReport report = CheckTable(*table_, options);
  for (const CheckProblem& problem : report.problems) {
    ADD_FAILURE() << problem.place << ": " << problem.message;
  }
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.data_blocks, facts().at("n_data_blocks"));
  EXPECT_EQ(report.damaged_data_blocks, 0);
  EXPECT_EQ(report.entries, facts().at("n_entries"));
  EXPECT_EQ(report.keys_checked_with_filter,
            file().has_filter() ? facts().at("n_entries") : json(0));
}

TEST_P(CorpusReportTest, KeysAreToldByLooking) {
  ASSERT_OK_AND_ASSIGN(const auto table, OpenCorpusFile(GetParam(), {}));
  ASSERT_OK_AND_ASSIGN(const TableKeys keys, ResolveKeys(*table));
  if (keys.kind_known_by == KnownBy::kNothing) {
    EXPECT_EQ(facts().at("n_entries"), 0) << keys.kind_reason;
    return;
  }
  EXPECT_EQ(keys.key_kind, OptionsFor(file()).key_kind) << keys.kind_reason;
  EXPECT_EQ(keys.comparator, file().comparator_known() ? OptionsFor(file()).comparator : nullptr)
      << keys.order_reason;
  EXPECT_FALSE(keys.has_out_of_order) << keys.order_reason;
}

TEST_P(CorpusReportTest, StatisticsAreThoseOfTheManifest) {
  const TableStats stats = CollectStats(*table_);
  EXPECT_OK(stats.status);
  EXPECT_EQ(stats.file_size, facts().at("bytes"));
  EXPECT_EQ(stats.data_blocks, facts().at("n_data_blocks"));
  EXPECT_EQ(stats.data_raw_size, facts().at("data_bytes_uncompressed"));
  EXPECT_EQ(stats.entries, facts().at("n_entries"));
  EXPECT_EQ(stats.key_sizes.max, facts().at("max_key_len"));
  EXPECT_EQ(stats.value_sizes.max, facts().at("max_value_len"));
  EXPECT_EQ(stats.value_sizes.by_bit_width[0], facts().at("n_empty_values"));
  if (!file().internal_keys()) return;
  EXPECT_EQ(stats.deletions, facts().at("n_by_value_type").value("0", 0));
  EXPECT_EQ(stats.distinct_user_keys, facts().at("n_distinct_user_keys"));
  EXPECT_EQ(stats.max_sequence, facts().at("max_sequence"));
}

// Maps the manifest's name of a writer to the name that `sst` may print.
constexpr std::pair<absl::string_view, absl::string_view> kWriters[] = {
    {"Chromium", "LevelDB"},
    {"LevelDB (C++)", "LevelDB"},
    {"old LevelDB (C++)", "LevelDB 1.4 to 1.17"},
    {"golang/leveldb (Go)", "golang/leveldb"},
    {"syndtr/goleveldb (Go)", "goleveldb"},
    {"Syncthing (goleveldb inside)", "goleveldb"},
    {"iq80 leveldb (Java)", "iq80 leveldb (Java)"},
    {"Minecraft Bedrock Edition", "Minecraft Bedrock (Mojang's LevelDB)"},
    {"Mojang's LevelDB fork", "Mojang's LevelDB"},
    {"RocksDB", "RocksDB"},
    {"TensorFlow", "TensorFlow"},
};

TEST_P(CorpusReportTest, TheWriterIsAmongThoseThatAreNamed) {
  const std::string writer = facts().at("writer");
  const Origin origin = CollectStats(*table_).origin;
  const std::string named = absl::StrJoin(origin.writers, ", or ");
  bool is_known = false;
  for (const auto& [name, expected] : kWriters) {
    if (!absl::StartsWith(writer, name)) continue;
    is_known = true;
    EXPECT_TRUE(absl::StrContains(named, expected)) << writer << " is called " << named;
    // If a writer leaves a mark of its own, no other writer may be named.
    const bool has_own_mark =
        expected != "LevelDB" && expected != "golang/leveldb" && (facts().at("n_entries") != 0);
    if (has_own_mark && facts().at("compression_types").contains("1")) {
      EXPECT_EQ(origin.writers.size(), 1) << named;
    }
  }
  EXPECT_TRUE(is_known) << writer;
}

TEST_P(CorpusReportTest, LayoutAccountsForEveryByte) {
  const Layout layout = DescribeLayout(*table_);
  EXPECT_OK(layout.index_status);
  EXPECT_OK(layout.metaindex_status);
  EXPECT_TRUE(layout.overlapping.empty());
  for (const ByteRange& range : layout.unreferenced) {
    ADD_FAILURE() << range.size << " bytes at offset " << range.offset << " belong to no block";
  }
  std::map<std::string, int> types;
  uint64_t restarts = 0;
  for (const BlockInfo& block : layout.blocks) {
    EXPECT_OK(block.status);
    EXPECT_EQ(block.stored_crc, block.computed_crc);
    if (block.kind != BlockKind::kData) continue;
    ++types[absl::StrCat(static_cast<int>(block.type))];
    restarts += block.restart_count;
  }
  EXPECT_EQ(json(types), facts().at("compression_types"));
  EXPECT_EQ(restarts, facts().at("data_restarts"));
}

INSTANTIATE_FOR_READABLE_FILES(CorpusReportTest);

}  // namespace
}  // namespace sstable::test
