// Compares random operations with a std::map. Closes and reopens the database at random.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

using Model = std::map<std::string, std::string>;
using Entries = std::vector<std::pair<std::string, std::string>>;

class Worker {
 public:
  Worker(const Options& options, const std::string& path, uint32_t seed)
      : options_(options), path_(path), random_(seed) {
    Reopen();
  }

  void Step() {
    const size_t action = Below(1000);
    if (action < 3) {
      snapshots_.clear();
      Reopen();
    } else if (action < 6) {
      EXPECT_OK(Below(2) == 0 ? db_->CompactAll() : db_->WaitUntilIdle());
    } else if (action < 10) {
      snapshots_.emplace_back(db_->TakeSnapshot(), model_);
      if (snapshots_.size() > 4) snapshots_.erase(snapshots_.begin() + Below(5));
    } else if (action < 15) {
      if (snapshots_.empty()) return CompareWalks(nullptr, model_);
      const auto& [snapshot, model] = snapshots_[Below(snapshots_.size())];
      CompareWalks(snapshot, model);
    } else if (action < 60) {
      CompareCursor();
    } else if (action < 100) {
      if (snapshots_.empty()) return CompareScan(nullptr, model_);
      const auto& [snapshot, model] = snapshots_[Below(snapshots_.size())];
      CompareScan(snapshot, model);
    } else if (action < 400) {
      CompareGets(nullptr, model_);
      for (const auto& [snapshot, model] : snapshots_) CompareGets(snapshot, model);
    } else {
      Write();
    }
  }

 private:
  size_t Below(size_t limit) {
    return std::uniform_int_distribution<size_t>(0, limit - 1)(random_);
  }

  // Returns keys that are prefixes of each other, with all kinds of bytes.
  std::string Key() {
    std::string key;
    for (size_t size = Below(5); size > 0; --size) key += "\0ab\xff"[Below(4)];
    return key;
  }

  void Reopen() {
    db_.reset();
    db_ = Db::Open(options_, path_).value();
  }

  void Write() {
    WriteBatch batch;
    for (size_t count = 1 + Below(10); count > 0; --count) {
      const std::string key = Key();
      if (Below(3) == 0) {
        batch.Delete(key);
        model_.erase(key);
      } else {
        model_[key] = absl::StrCat(random_(), std::string(Below(200), 'v'));
        batch.Put(key, model_[key]);
      }
    }
    EXPECT_OK(db_->Write(batch, Below(50) == 0 ? Sync::kYes : Sync::kNo));
  }

  void CompareGets(const Snapshot& snapshot, const Model& model) {
    const std::string key = Key();
    std::string value;
    const bool is_found = db_->Get(key, &value, snapshot).value();
    const auto it = model.find(key);
    ASSERT_EQ(is_found, it != model.end());
    if (is_found) {
      ASSERT_EQ(value, it->second);
    }
  }

  void CompareWalks(const Snapshot& snapshot, const Model& model) {
    const Entries expected(model.begin(), model.end());
    const auto it = db_->NewIterator(snapshot);
    ASSERT_EQ(sstable::test::WalkForward(it.get()).entries, expected);
    ASSERT_EQ(sstable::test::WalkBackward(it.get()).entries, expected);
  }

  void CompareScan(const Snapshot& snapshot, const Model& model) {
    const std::string prefix = Key();
    Entries expected;
    for (auto it = model.lower_bound(prefix);
         it != model.end() && absl::StartsWith(it->first, prefix); ++it) {
      expected.push_back(*it);
    }
    const size_t limit = Below(4) == 0 ? 1 : SIZE_MAX;
    if (expected.size() > limit) expected.resize(limit);
    Entries found;
    const auto visit = [&](absl::string_view key, absl::string_view value) {
      found.emplace_back(key, value);
      return found.size() < limit;
    };
    ASSERT_OK(db_->ScanPrefix(prefix, visit, snapshot));
    ASSERT_EQ(found, expected);
  }

  // Moves an iterator back and forth during writes, which must not affect it.
  void CompareCursor() {
    const Model model = model_;
    const auto it = db_->NewIterator();
    auto expected = model.end();
    for (int step = 0; step < 30; ++step) {
      const size_t action = Below(8);
      if (action == 0) {
        const std::string target = Key();
        it->Seek(target);
        expected = model.lower_bound(target);
      } else if (action == 1) {
        it->SeekToLast();
        expected = model.empty() ? model.end() : std::prev(model.end());
      } else if (action == 2) {
        Write();
      } else if (it->Valid() && action < 6) {
        it->Next();
        ++expected;
      } else if (it->Valid()) {
        it->Prev();
        expected = expected == model.begin() ? model.end() : std::prev(expected);
      }
      ASSERT_OK(it->status());
      ASSERT_EQ(it->Valid(), expected != model.end());
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key(), expected->first);
      ASSERT_EQ(it->value(), expected->second);
    }
  }

  const Options options_;
  const std::string path_;
  std::mt19937 random_;
  Model model_;
  std::unique_ptr<Db> db_;
  std::vector<std::pair<Snapshot, Model>> snapshots_;
};

struct ModelCase {
  const char* name;
  size_t write_buffer_size;
  size_t max_table_size;
  size_t level1_size;
  sstable::Compression compression;
  int bloom_bits_per_key;
  std::optional<sstable::PrefixExtractor> prefixes = std::nullopt;
};
class ModelTest : public testing::TestWithParam<ModelCase> {};

TEST_P(ModelTest, DoesWhatAMapDoes) {
  Options options;
  options.write_buffer_size = GetParam().write_buffer_size;
  options.max_table_size = GetParam().max_table_size;
  options.level1_size = GetParam().level1_size;
  options.compression = GetParam().compression;
  options.bloom_bits_per_key = GetParam().bloom_bits_per_key;
  options.prefixes = GetParam().prefixes;
  options.block_size = 256;
  for (uint32_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    const sstable::test::TempFolder folder;
    Worker worker(options, folder.File("db"), seed);
    for (int step = 0; step < 2000; ++step) {
      worker.Step();
      if (testing::Test::HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Databases, ModelTest,
    testing::ValuesIn<ModelCase>({
        {"Snappy", 8 << 10, 4 << 10, 8 << 10, sstable::Compression::kSnappy, 10},
        {"RawWithoutFilter", 8 << 10, 3 << 10, 6 << 10, sstable::Compression::kNone, 0},
        {"TinyTables", 8 << 10, 900, 4 << 10, sstable::Compression::kNone, 10},
        {"LargeMemtable", 1 << 20, 64 << 10, 64 << 10, sstable::Compression::kSnappy, 10},
        {"Prefixes", 8 << 10, 900, 4 << 10, sstable::Compression::kNone, 10,
         sstable::PrefixExtractor::FirstBytes(2)},
        {"PrefixesToTheSecondA", 8 << 10, 900, 4 << 10, sstable::Compression::kNone, 10,
         sstable::PrefixExtractor::ThroughDelimiter('a', 2)},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace toy_lsm
