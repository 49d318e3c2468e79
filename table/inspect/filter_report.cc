#include "sstable/filter_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "filter/bloom.h"
#include "sstable/internal_key.h"
#include "table/block/limits.h"
#include "table/inspect/guarded_scan.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/coding.h"
#include "util/hash.h"

namespace sstable {
namespace {

uint64_t CountBits(absl::string_view bytes) {
  uint64_t count = 0;
  for (const char byte : bytes) count += __builtin_popcount(static_cast<unsigned char>(byte));
  return count;
}

// The bits and the number of probes of one Bloom filter.
struct BloomParts {
  explicit BloomParts(absl::string_view filter)
      : bits(BloomView(filter).bit_count()),
        bits_set(CountBits(BloomView(filter).bits())),
        probe_count(BloomView(filter).probe_count()) {}

  uint64_t bits;
  uint64_t bits_set;
  int probe_count;
};

// Windows that overlap, as no writer's do, are counted as malformed once they have more bytes
// than the block.
void CountWindows(const FilterBlockReader& filter, FilterReport* report) {
  Budget bytes(filter.contents().size());
  for (uint64_t i = 0; i < filter.window_count(); ++i) {
    const FilterWindow window = filter.Window(i);
    switch (window.state) {
      case FilterWindow::State::kEmpty:
        ++report->empty_windows;
        continue;
      case FilterWindow::State::kMissing:
      case FilterWindow::State::kMalformed:
        ++report->malformed_windows;
        continue;
      case FilterWindow::State::kPresent:
        break;
    }
    if (!bytes.Take(window.filter.size())) {
      ++report->malformed_windows;
      continue;
    }
    if (!report->is_bloom) continue;
    const BloomParts parts(window.filter);
    ++report->windows_by_probe_count[parts.probe_count];
    report->bits += parts.bits;
    report->bits_set += parts.bits_set;
  }
}

// Asks one data block's filter for keys that are nearly its own.
class NeighbourTest {
 public:
  NeighbourTest(const KeyOrder& order, const FilterBlockReader& filter, const FilterWindow& window)
      : order_(order), filter_(filter), window_(window) {}

  // `key` is the block's next one.
  void Add(absl::string_view key, FilterRate* rate) {
    const absl::string_view user_key = order_.UserKey(key);
    if (!neighbour_.empty() && order_.user_comparator().Compare(neighbour_, user_key) < 0 &&
        order_.user_comparator().Compare(last_, neighbour_) < 0) {
      // The filter ignores the tag.
      if (order_.kind() == KeyKind::kInternal) neighbour_.append(kTagSize, '\0');
      ++rate->tested;
      rate->passed += filter_.Matches(window_, neighbour_);
    }
    last_.assign(user_key.data(), user_key.size());
    neighbour_ = last_;
    if (!last_.empty()) ++neighbour_.back();
  }

 private:
  const KeyOrder& order_;
  const FilterBlockReader& filter_;
  const FilterWindow& window_;
  std::string last_;
  std::string neighbour_;
};

void TestKeys(const TableReader& reader, KeysKnown keys, const FilterBlockReader& filter,
              FilterReport* report) {
  GuardedScan scan(&reader, keys, GuardedScan::Misplaced::kSkip,
                   [report](const absl::Status& status) { report->scan_status.Update(status); });
  for (size_t i = 0; i < scan.block_count(); ++i) {
    const FilterWindow window =
        filter.Window(filter.WindowIndex(IndexOf(reader)->record(i).block_offset));
    const bool has_filter = window.state == FilterWindow::State::kPresent;
    NeighbourTest neighbours(KeyOrderOf(reader), filter, window);
    const bool goes_on = scan.Visit(i, [&](absl::string_view key, absl::string_view) {
      ++report->keys_tested;
      if (!filter.Matches(window, key)) ++report->false_negatives;
      if (has_filter && keys == KeysKnown::kInOrder) neighbours.Add(key, &report->neighbours);
      if (report->is_bloom && has_filter) {
        report->hash.Add(window.filter, KeyOrderOf(reader).UserKey(key));
      }
      return true;
    });
    if (!goes_on) return;
  }
}

// Numbers that are the same in each run. After Steele, Lea and Flood, "Fast splittable pseudorandom
// number generators", 2014.
class RandomNumbers {
 public:
  uint64_t Next() {
    state_ += 0x9e3779b97f4a7c15;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_ = 0;
};

// Shows `count` filters to `ask`: those of the data blocks in turn, but for blocks without one.
void ForEachFilter(const TableReader& reader, const FilterBlockReader& filter, uint64_t count,
                   absl::FunctionRef<void(const FilterWindow&)> ask) {
  const TableIndex& index = *IndexOf(reader);
  if (index.size() == 0) return;
  const uint64_t step = index.size() % 7919 == 0 ? 7907 : 7919;  // primes, so that it meets all
  for (uint64_t i = 0; i < count; ++i) {
    const IndexRecord& record = index.record(i * step % index.size());
    const FilterWindow window = filter.Window(filter.WindowIndex(record.block_offset));
    if (window.state == FilterWindow::State::kPresent) ask(window);
  }
}

void TestRandomKeys(const TableReader& reader, const FilterBlockReader& filter, uint64_t count,
                    FilterReport* report) {
  RandomNumbers random;
  std::string key(2 * sizeof(uint64_t), '\0');
  if (KeyOrderOf(reader).kind() == KeyKind::kInternal) key.append(kTagSize, '\0');
  ForEachFilter(reader, filter, count, [&](const FilterWindow& window) {
    EncodeFixed64(&key[0], random.Next());
    EncodeFixed64(&key[sizeof(uint64_t)], random.Next());
    ++report->random.tested;
    report->random.passed += filter.Matches(window, key);
  });
  if (!report->is_bloom) return;
  // LevelDB's hash of a random word is random, so keys need not be made, and by both of the hashes
  // it is the same.
  FilterRate expected;
  ForEachFilter(reader, filter, 16 * count, [&](const FilterWindow& window) {
    ++expected.tested;
    expected.passed += BloomMayContain(static_cast<uint32_t>(random.Next()), window.filter);
  });
  report->expected_rate = expected.Rate();
}

void TestGivenKeys(const TableReader& reader, const FilterBlockReader& filter,
                   const std::vector<std::string>& user_keys, FilterReport* report) {
  const TableIndex& index = *IndexOf(reader);
  for (const std::string& user_key : user_keys) {
    std::string key = user_key;
    if (KeyOrderOf(reader).kind() == KeyKind::kInternal) AppendFixed64(&key, SeekTag(kMaxSequence));
    std::string value;
    const absl::StatusOr<Presence> presence = reader.Find(user_key, &value);
    size_t block = 0;
    const absl::Status status = presence.ok() ? index.Find(key, &block) : presence.status();
    report->scan_status.Update(status);
    if (!status.ok()) continue;
    if (*presence != Presence::kAbsent) {
      ++report->given_present;
      continue;
    }
    if (block == index.size()) continue;
    const FilterWindow window = filter.Window(filter.WindowIndex(index.record(block).block_offset));
    if (window.state != FilterWindow::State::kPresent) continue;
    ++report->given.tested;
    report->given.passed += filter.Matches(window, key);
  }
}

}  // namespace

FilterRate::Interval FilterRate::Interval95() const {
  if (tested == 0) return {};
  constexpr double kZ = 1.959964;  // 2.5 % of a normal distribution lie above
  const double n = static_cast<double>(tested);
  const double shrink = 1 + kZ * kZ / n;
  const double middle = (Rate() + kZ * kZ / (2 * n)) / shrink;
  const double half = kZ * std::sqrt(Rate() * (1 - Rate()) / n + kZ * kZ / (4 * n * n)) / shrink;
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

FilterReport MeasureFilter(const TableReader& reader, const FilterProbes& probes, KeysKnown keys) {
  FilterReport report;
  report.status = reader.filter_status();
  const FilterBlockReader* filter = reader.filter();
  const Metaindex::Filter found = MetaindexOf(reader).FindFilter(reader.options().filter_policies);
  if (found.block != nullptr) {
    report.name = std::string(found.policy_name);
    report.handle = found.block->handle;
  }
  if (filter == nullptr) {
    report.scan_status = TableGuard(&reader, KeysKnown::kNot).index_status();
    return report;
  }
  report.base_lg = filter->base_lg();
  report.windows = filter->window_count();
  report.is_bloom = filter->policy()->bloom() != nullptr;
  CountWindows(*filter, &report);
  TestKeys(reader, keys, *filter, &report);
  if (IndexOf(reader) == nullptr) return report;
  TestRandomKeys(reader, *filter, probes.random_keys, &report);
  TestGivenKeys(reader, *filter, probes.given_keys, &report);
  return report;
}

void FilterHashEvidence::Add(absl::string_view filter, absl::string_view user_key) {
  if (HashTailMatters(user_key)) ++keys_with_two_hashes;
  if (!BloomMayContain(BloomKeyHash<HashTail::kUnsigned>(user_key), filter)) {
    ++lost_by_unsigned_hash;
  }
  if (!BloomMayContain(BloomKeyHash<HashTail::kSigned>(user_key), filter)) ++lost_by_signed_hash;
}

std::string FilterHashEvidence::Verdict() const {
  if (lost_by_unsigned_hash == 0 && lost_by_signed_hash == 0) {
    return keys_with_two_hashes == 0 ? "either" : "both";
  }
  if (lost_by_unsigned_hash == 0) return "unsigned";
  return lost_by_signed_hash == 0 ? "signed" : "neither";
}

}  // namespace sstable
