// Truncates small tables at every length and flips every bit. If all checksums are verified, a
// reader returns an error or the truth: no key is lost silently, and no value is wrong.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

// The effect of damage. kSilentlyWrong must never happen.
enum class Outcome { kAllTrue, kErrorsAndTheTruth, kSilentlyWrong };

struct DamageCase {
  const char* name;
  Compression compression;
  KeyKind kind;
  VerifyChecksums verify;
};
class DamageTest : public testing::TestWithParam<DamageCase> {
 protected:
  void SetUp() override {
    TableBuilderOptions options;
    options.compression = GetParam().compression;
    options.key_kind = GetParam().kind;
    options.filter_policy = policy_.get();
    options.block_size = 120;
    options.block_restart_interval = 3;
    for (int i = 20; i < 40; ++i) {
      user_keys_.push_back(absl::StrCat("key", i * 5));
      entries_.emplace_back(user_keys_.back(), absl::StrCat("a value of some size ", i));
    }
    if (GetParam().kind == KeyKind::kInternal) {
      for (auto& entry : entries_) {
        entry.first = MakeInternalKey(entry.first, 3, ValueType::kValue);
      }
    }
    bytes_ = BuildTable(options, entries_).value();
    ASSERT_GE(IndexOf(*Open(bytes_).value())->size(), 4);
    ASSERT_OK(Open(bytes_).value()->LoadFilter());
    ASSERT_EQ(Try(bytes_), Outcome::kAllTrue);
  }

  absl::StatusOr<std::unique_ptr<TableReader>> Open(absl::string_view bytes) const {
    TableReaderOptions options;
    options.key_kind = GetParam().kind;
    options.verify_checksums = GetParam().verify;
    return TableReader::Open(NewMemoryFile(bytes, "t.ldb"), options);
  }

  // Opens the table, iterates both ways, looks up every key and some others.
  Outcome Try(absl::string_view bytes) const {
    const auto table = Open(bytes);
    if (!table.ok()) return Outcome::kErrorsAndTheTruth;
    bool all = true;
    const Walk forward = WalkForward((*table)->NewIterator().get());
    all &= forward.status.ok();
    if (forward.status.ok() ? forward.entries != entries_ : !IsFront(forward.entries)) {
      return Outcome::kSilentlyWrong;
    }
    const Walk backward = WalkBackward((*table)->NewIterator().get());
    all &= backward.status.ok();
    if (backward.status.ok() ? backward.entries != entries_ : !IsBack(backward.entries)) {
      return Outcome::kSilentlyWrong;
    }
    for (size_t i = 0; i < entries_.size(); ++i) {
      const auto value = (*table)->Get(user_keys_[i]);
      all &= value.ok();
      if (value.ok() && *value != entries_[i].second) return Outcome::kSilentlyWrong;
      const auto absent = (*table)->Get(absl::StrCat(user_keys_[i], "x"));
      if (absent.ok() && *absent != std::nullopt) return Outcome::kSilentlyWrong;
    }
    return all ? Outcome::kAllTrue : Outcome::kErrorsAndTheTruth;
  }

  bool IsFront(const Entries& some) const {
    return some.size() <= entries_.size() && std::equal(some.begin(), some.end(), entries_.begin());
  }
  bool IsBack(const Entries& some) const {
    return some.size() <= entries_.size() &&
           std::equal(some.rbegin(), some.rend(), entries_.rbegin());
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  std::vector<std::string> user_keys_;
  Entries entries_;
  std::string bytes_;
};

TEST_P(DamageTest, AFileCutAtAnyLengthIsNoTable) {
  for (size_t size = 0; size < bytes_.size(); ++size) {
    // A separate allocation, so that AddressSanitizer detects a read past the end.
    const std::vector<char> cut(bytes_.begin(), bytes_.begin() + size);
    ASSERT_THAT(Open(absl::string_view(cut.data(), cut.size())),
                StatusIs(absl::StatusCode::kDataLoss, testing::HasSubstr("not a LevelDB table")))
        << size;
  }
}

TEST_P(DamageTest, AFlippedBitIsAnErrorOrChangesNothing) {
  const auto table = Open(bytes_).value();
  const uint64_t data_end = table->meta_blocks().at(0).handle.offset;
  const uint64_t index_offset = table->footer().index.offset;
  const uint64_t handles_offset = bytes_.size() - kFooterSize;
  const size_t handles_size =
      table->footer().metaindex.Encode().size() + table->footer().index.Encode().size();
  const uint64_t magic_offset = bytes_.size() - sizeof(kTableMagic);
  std::string damaged = bytes_;
  for (size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    const size_t i = bit / 8;
    SCOPED_TRACE(absl::StrCat("bit ", bit % 8, " of byte ", i));
    damaged[i] = static_cast<char>(bytes_[i] ^ (1 << (bit % 8)));
    const Outcome outcome = Try(damaged);
    ASSERT_NE(outcome, Outcome::kSilentlyWrong);
    if (i < data_end || i >= magic_offset || (i >= index_offset && i < handles_offset)) {
      ASSERT_EQ(outcome, Outcome::kErrorsAndTheTruth)
          << "data, index and magic can't be done without";
    } else if (i < handles_offset || i >= handles_offset + handles_size) {
      ASSERT_EQ(outcome, Outcome::kAllTrue) << "filter, metaindex and padding can";
    }
    damaged[i] = bytes_[i];
  }
}

TEST_P(DamageTest, ZeroedStretchesAreErrors) {
  for (size_t size : {16, 64, 256}) {
    for (size_t start = 0; start + size <= bytes_.size(); start += 8) {
      std::string damaged = bytes_;
      std::fill_n(damaged.begin() + start, size, '\0');
      ASSERT_NE(Try(damaged), Outcome::kSilentlyWrong) << size << " bytes at " << start;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tables, DamageTest,
    testing::ValuesIn<DamageCase>({
        {"Raw", Compression::kNone, KeyKind::kPlain, VerifyChecksums::kFirstTouch},
        {"Snappy", Compression::kSnappy, KeyKind::kPlain, VerifyChecksums::kFirstTouch},
        {"ZstdInternal", Compression::kZstd, KeyKind::kInternal, VerifyChecksums::kAlways},
    }),
    [](const auto& info) { return info.param.name; });

// Without checksums, wrong data can't be detected, but there must be no crash.
class UncheckedDamageTest : public DamageTest {};
TEST_P(UncheckedDamageTest, AFlippedBitDoesNotCrash) {
  size_t wrong = 0;
  for (size_t bit = 0; bit < 8 * bytes_.size(); ++bit) {
    std::vector<char> damaged(bytes_.begin(), bytes_.end());
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    wrong += Try(absl::string_view(damaged.data(), damaged.size())) == Outcome::kSilentlyWrong;
  }
  EXPECT_GT(wrong, 0) << "checksums were looked at after all";
}
INSTANTIATE_TEST_SUITE_P(
    Tables, UncheckedDamageTest,
    testing::ValuesIn<DamageCase>({
        {"Raw", Compression::kNone, KeyKind::kPlain, VerifyChecksums::kNever},
        {"Snappy", Compression::kSnappy, KeyKind::kPlain, VerifyChecksums::kNever},
        {"ZstdInternal", Compression::kZstd, KeyKind::kInternal, VerifyChecksums::kNever},
        {"RawDeflate", Compression::kRawDeflate, KeyKind::kPlain, VerifyChecksums::kNever},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
