// Lookups in the corpus' real files find every key and every version of it, and no other key. If
// the order of keys is unknown or wrong, they return an error and never "absent".
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

std::string Show(absl::string_view key) {
  return absl::StrCat("key \"", absl::CHexEscape(key.substr(0, 64)), "\"");
}

// Maps 0 to `count` - 1 to a permutation of these numbers, unless `count` is a multiple of this
// prime.
size_t Jump(size_t i, size_t count) { return i * 1000003 % count; }

class CorpusLookupTest : public CorpusTableTest {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(CorpusTableTest::SetUp());
    TableReaderOptions options = OptionsFor(file());
    options.block_cache = std::make_shared<BlockCache>(8 << 20);
    ASSERT_OK_AND_ASSIGN(cached_, OpenCorpusFile(GetParam(), options));
  }

  // Expects lookups to find `key`, including any tag, with this value.
  void ExpectFinds(const std::string& key, const std::string& expected, bool is_newest) {
    std::string value;
    if (!file().internal_keys()) {
      ASSERT_OK_AND_ASSIGN(const Presence presence, table_->Get(key, &value));
      ASSERT_EQ(presence, Presence::kFound) << Show(key);
      ASSERT_EQ(value, expected) << Show(key);
      ASSERT_OK_AND_ASSIGN(const std::optional<std::string> got, cached_->Get(key));
      ASSERT_EQ(got, expected) << Show(key);
      return;
    }
    const auto parsed = ParseInternalKey(key);
    ASSERT_TRUE(parsed.has_value());
    const Presence expected_presence =
        parsed->type == ValueType::kValue ? Presence::kFound : Presence::kDeleted;
    for (const uint64_t snapshot : {parsed->sequence, kMaxSequence}) {
      if (snapshot == kMaxSequence && !is_newest) break;
      ASSERT_OK_AND_ASSIGN(const Presence presence,
                           table_->Get(parsed->user_key, &value, {snapshot}));
      ASSERT_EQ(presence, expected_presence) << Show(key) << " at " << snapshot;
      if (presence != Presence::kFound) continue;
      ASSERT_EQ(value, expected) << Show(key) << " at " << snapshot;
    }
  }

  // Expects InternalGet() to pass this entry.
  void ExpectPasses(const std::string& key, const std::string& value) {
    int visits = 0;
    ASSERT_OK(cached_->InternalGet(key, [&](absl::string_view k, absl::string_view v) {
      ++visits;
      EXPECT_EQ(k, key);
      EXPECT_EQ(v, value);
    }));
    ASSERT_EQ(visits, 1) << Show(key);
  }

  // Without a cache, every lookup uncompresses its block again, so only some lookups do without.
  std::unique_ptr<TableReader> cached_;
};

TEST_P(CorpusLookupTest, FindsEveryKeyAndEveryVersion) {
  if (!file().comparator_known()) return;
  std::optional<std::string> last;  // the previous user key
  for (const auto& [key, value] : ReadEntries(*table_)) {
    const std::string user_key(KeyOrderOf(*table_).UserKey(key));
    ASSERT_NO_FATAL_FAILURE(ExpectPasses(key, value));
    ASSERT_NO_FATAL_FAILURE(ExpectFinds(key, value, /*is_newest=*/user_key != last));
    last = user_key;
  }
  for (const TableReader* const reader : {table_.get(), cached_.get()}) {
    const ReaderStats stats = reader->stats();
    EXPECT_EQ(stats.filter_negatives, 0);
    EXPECT_EQ(stats.false_positives, 0);
  }
}

TEST_P(CorpusLookupTest, FindsAllKeysAtOnce) {
  if (!file().comparator_known()) return;
  Entries expected;  // the newest version of each user key
  std::vector<Presence> presences;
  for (const auto& [key, value] : ReadEntries(*table_)) {
    const std::string user_key(KeyOrderOf(*table_).UserKey(key));
    if (!expected.empty() && expected.back().first == user_key) continue;
    expected.emplace_back(user_key, value);
    const bool is_deletion = file().internal_keys() && (ExtractTag(key) & 0xff) == 0;
    presences.push_back(is_deletion ? Presence::kDeleted : Presence::kFound);
  }
  // Consecutive keys are in distant blocks, and each is followed by an absent key.
  std::vector<std::string> keys;
  for (size_t i = 0; i < expected.size(); ++i) {
    keys.push_back(expected[Jump(i, expected.size())].first);
    keys.push_back(absl::StrCat(keys.back(), "absent-probe"));
  }
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    requests[i].key = keys[i];
    requests[i].value = &values[i];
  }
  table_->MultiGet(absl::MakeSpan(requests));
  for (size_t i = 0; i < expected.size(); ++i) {
    const size_t n = Jump(i, expected.size());
    ASSERT_OK(requests[2 * i].presence);
    ASSERT_EQ(*requests[2 * i].presence, presences[n]) << Show(keys[2 * i]);
    if (presences[n] == Presence::kFound) {
      ASSERT_EQ(values[2 * i], expected[n].second) << Show(keys[2 * i]);
    }
    ASSERT_OK(requests[2 * i + 1].presence);
    ASSERT_EQ(*requests[2 * i + 1].presence, Presence::kAbsent) << Show(keys[2 * i + 1]);
  }
}

TEST_P(CorpusLookupTest, SeeksToEveryKey) {
  if (!file().comparator_known()) return;
  const Entries entries = ReadEntries(*table_);
  const auto plain = table_->NewIterator(), cached = cached_->NewIterator();
  for (size_t i = 0; i < entries.size(); i += 3) {
    const auto& it = i % 12 == 0 ? plain : cached;
    it->Seek(entries[i].first);
    ASSERT_TRUE(it->Valid()) << Show(entries[i].first) << it->status();
    ASSERT_EQ(it->key(), entries[i].first);
    ASSERT_EQ(it->value(), entries[i].second);
  }
}

TEST_P(CorpusLookupTest, FindsNoOtherKey) {
  if (!file().comparator_known()) return;
  absl::flat_hash_set<std::string> keys;
  for (const auto& [key, value] : ReadEntries(*table_))
    keys.emplace(KeyOrderOf(*table_).UserKey(key));
  std::vector<std::string> others;
  for (int i = 0; i < 2000; ++i) others.push_back(absl::StrFormat("absent-probe-%06d", i));
  for (const std::string& key : keys) {
    others.push_back(key + '\0');
    others.push_back(key + '\xff');
    if (key.empty()) continue;
    others.push_back(key.substr(0, key.size() - 1));
    ++others.emplace_back(key).back();
  }
  uint64_t asked = 0;
  for (const std::string& key : others) {
    if (keys.contains(key)) continue;
    ++asked;
    std::string value;
    ASSERT_OK_AND_ASSIGN(const Presence presence, table_->Get(key, &value));
    ASSERT_EQ(presence, Presence::kAbsent) << Show(key);
  }
  const ReaderStats stats = table_->stats();
  EXPECT_EQ(stats.lookups, asked);
  EXPECT_EQ(stats.false_positives, stats.filter_positives);
  // (A table with only an empty key has no keys for which the filter could be consulted.)
  if (file().has_filter() && facts().at("n_entries") > 1) {
    EXPECT_GT(stats.filter_negatives, 0);
  }
}

// A reader that does not know the right order uses bytewise order.
TEST_P(CorpusLookupTest, NeverCallsAKeyAbsentForWantOfItsComparator) {
  if (facts().at("bytewise_order")) return;
  TableReaderOptions options = OptionsFor(file());
  options.comparator = BytewiseComparator();
  ASSERT_OK_AND_ASSIGN(const auto table, OpenCorpusFile(GetParam(), options));
  EXPECT_THAT(IndexOf(*table)->order_status(),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       testing::HasSubstr("index keys are not in the order of")));
  const Entries entries = ReadEntries(*table);
  EXPECT_EQ(EntriesSha256(entries), facts().at("entries_sha256"));
  for (const auto& [key, value] : entries) {
    std::string found_value;
    const absl::StatusOr<Presence> found =
        table->Get(KeyOrderOf(*table).UserKey(key), &found_value);
    if (!found.ok()) {
      ASSERT_THAT(found, StatusIs(absl::StatusCode::kFailedPrecondition, testing::_));
      continue;
    }
    ASSERT_NE(*found, Presence::kAbsent) << Show(key);
  }
}

INSTANTIATE_FOR_READABLE_FILES(CorpusLookupTest);

}  // namespace
}  // namespace sstable::test
