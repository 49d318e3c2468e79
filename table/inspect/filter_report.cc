#include "sstable/filter_report.h"

#include <cmath>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_format.h"
#include "filter/bloom.h"
#include "table/block/limits.h"
#include "table/inspect/guarded_scan.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
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

  // The chance that all probes of a key that is not in it meet a set bit.
  double FalsePositiveRate() const {
    if (bits == 0) return 0;
    return std::pow(static_cast<double>(bits_set) / static_cast<double>(bits), probe_count);
  }

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

void TestKeys(const TableReader& reader, KeysKnown keys, const FilterBlockReader& filter,
              FilterReport* report) {
  GuardedScan scan(&reader, keys, GuardedScan::Misplaced::kSkip,
                   [report](const absl::Status& status) { report->scan_status.Update(status); });
  for (size_t i = 0; i < scan.block_count(); ++i) {
    const FilterWindow window =
        filter.Window(filter.WindowIndex(IndexOf(reader)->record(i).block_offset));
    const bool goes_on = scan.Visit(i, [&](absl::string_view key, absl::string_view) {
      ++report->keys_tested;
      if (!filter.Matches(window, key)) ++report->false_negatives;
      if (report->is_bloom && window.state == FilterWindow::State::kPresent) {
        report->hash.Add(window.filter, KeyOrderOf(reader).UserKey(key));
      }
      return true;
    });
    if (!goes_on) return;
  }
}

void TestAbsentKeys(const TableReader& reader, const FilterBlockReader& filter, uint64_t count,
                    FilterReport* report) {
  const TableIndex& index = *IndexOf(reader);
  if (index.size() == 0) return;
  const std::string tag(KeyOrderOf(reader).kind() == KeyKind::kInternal ? kTagSize : 0, '\0');
  const uint64_t step = index.size() % 7919 == 0 ? 7907 : 7919;  // primes, so that it meets all
  double expected = 0;
  absl::flat_hash_map<uint64_t, double> expected_of_window;
  Budget bytes(filter.contents().size());
  for (uint64_t i = 0; i < count; ++i) {
    const IndexRecord& record = index.record(i * step % index.size());
    const uint64_t window_index = filter.WindowIndex(record.block_offset);
    const FilterWindow window = filter.Window(window_index);
    if (window.state != FilterWindow::State::kPresent) continue;
    ++report->absent_tested;
    if (filter.Matches(window, absl::StrFormat("absent-probe-%06d", i) + tag)) {
      ++report->absent_passed;
    }
    if (!report->is_bloom) continue;
    const auto [entry, is_new] = expected_of_window.try_emplace(window_index);
    if (is_new && bytes.Take(window.filter.size())) {
      entry->second = BloomParts(window.filter).FalsePositiveRate();
    }
    expected += entry->second;
  }
  if (report->absent_tested > 0) {
    report->expected_false_positive_rate = expected / static_cast<double>(report->absent_tested);
  }
}

}  // namespace

FilterReport MeasureFilter(const TableReader& reader, uint64_t absent_probes, KeysKnown keys) {
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
  if (IndexOf(reader) != nullptr) TestAbsentKeys(reader, *filter, absent_probes, &report);
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
