#include "sstable/experimental/filter_report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "filter/bloom.h"
#include "sstable/check.h"
#include "sstable/experimental/table_filter.h"
#include "table/block/limits.h"
#include "table/block/seek_key.h"
#include "table/index/table_index.h"
#include "table/inspect/absent_keys.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/filter_tester.h"
#include "table/inspect/murmur3.h"
#include "table/inspect/verified_scan.h"
#include "table/table_internals.h"
#include "util/coding.h"
#include "util/hash.h"

namespace sstable {
namespace {

// The bits and the probe count of a Bloom filter.
struct BloomParts {
  explicit BloomParts(absl::string_view filter)
      : bits(BloomView(filter).bit_count()),
        bits_set(CountBits(BloomView(filter).bits())),
        probe_count(BloomView(filter).probe_count()) {}

  uint64_t bits;
  uint64_t bits_set;
  int probe_count;
};

// Overlapping windows, which no writer makes, count as malformed once they exceed the size of the
// block.
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

// The filters that lookups consult, or the filter block that they rejected; either may be null.
struct Filters {
  const FilterBlockReader* blocks;
  bool is_rejected;
  const TableFilter* table;
  const KeyOrder& order;

  FilterWindow WindowOf(const IndexRecord& record) const {
    if (blocks == nullptr) return {};
    return blocks->Window(blocks->WindowIndex(record.block_offset));
  }
  bool TableMayHave(absl::string_view key) const {
    return table->MayMatch(TableFilterHash(order.UserKey(key)));
  }
  // Tests an absent key with both filters; `window` is that of a data block.
  void Ask(const FilterWindow& window, absl::string_view key, FilterRate FilterReport::*rate,
           FilterRate TableFilterReport::*table_rate, FilterReport* report) const {
    if (window.state == FilterWindow::State::kPresent) {
      ++(report->*rate).tested;
      (report->*rate).passed += blocks->Matches(window, key);
    }
    if (table == nullptr) return;
    ++((*report->table_filter).*table_rate).tested;
    ((*report->table_filter).*table_rate).passed += TableMayHave(key);
  }
};

void TestKeys(const TableReader& reader, KeyTrust keys, const Filters& filters,
              FilterReport* report) {
  const FilterTester tester(reader);
  VerifiedScan scan(&reader, keys, VerifiedScan::Misplaced::kSkip,
                    [report](const absl::Status& status) { report->scan_status.Update(status); });
  for (size_t i = 0; i < scan.block_count(); ++i) {
    const IndexRecord& record = IndexOf(reader)->record(i);
    const FilterWindow window = filters.WindowOf(record);
    Neighbours neighbours(&filters.order);
    const bool goes_on = scan.Visit(i, [&](absl::string_view key, absl::string_view) {
      ++report->keys_tested;
      const FalseNegatives negatives = tester.Test(record.block_offset, key);
      report->false_negatives +=
          filters.is_rejected ? !filters.blocks->Matches(window, key) : negatives.of_block_filter;
      if (negatives.of_table_filter || negatives.of_prefixes) {
        ++report->table_filter->false_negatives;
      }
      if (const auto neighbour = neighbours.Next(key);
          neighbour.has_value() && keys == KeyTrust::kOrdered) {
        filters.Ask(window, *neighbour, &FilterReport::neighbours, &TableFilterReport::neighbours,
                    report);
      }
      if (report->is_bloom && window.state == FilterWindow::State::kPresent) {
        report->hash.Add(window.filter, filters.order.UserKey(key));
      }
      return true;
    });
    if (!goes_on) return;
  }
}

// Calls `ask` with the windows of `count` data blocks in turn.
void ForEachWindow(const TableIndex& index, const Filters& filters, uint64_t count,
                   absl::FunctionRef<void(const FilterWindow&)> ask) {
  if (index.size() == 0) return;
  // A prime that does not divide the size, so that all blocks are reached.
  const uint64_t step = index.size() % 7919 == 0 ? 7907 : 7919;
  for (uint64_t i = 0; i < count; ++i) {
    ask(filters.WindowOf(index.record(i * step % index.size())));
  }
}

void TestRandomKeys(const TableIndex& index, const Filters& filters, uint64_t count,
                    FilterReport* report) {
  RandomNumbers random;
  std::string key(2 * sizeof(uint64_t), '\0');
  if (filters.order.kind() == KeyKind::kInternal) key.append(kTagSize, '\0');
  ForEachWindow(index, filters, count, [&](const FilterWindow& window) {
    EncodeFixed64(&key[0], random.Next());
    EncodeFixed64(&key[sizeof(uint64_t)], random.Next());
    filters.Ask(window, key, &FilterReport::random, &TableFilterReport::random, report);
  });
  if (!report->is_bloom) return;
  // LevelDB's hash of a random key is random, so no keys are needed, and both hashes are alike.
  FilterRate expected;
  ForEachWindow(index, filters, 16 * count, [&](const FilterWindow& window) {
    if (window.state != FilterWindow::State::kPresent) return;
    ++expected.tested;
    expected.passed += BloomMayContain(static_cast<uint32_t>(random.Next()), window.filter);
  });
  report->expected_rate = expected.Rate();
}

void TestGivenKeys(const TableReader& reader, const Filters& filters,
                   const std::vector<std::string>& user_keys, FilterReport* report) {
  const TableIndex& index = *IndexOf(reader);
  for (const std::string& user_key : user_keys) {
    const std::string key = SeekKey(filters.order, user_key);
    std::string value;
    const absl::StatusOr<Presence> presence = reader.Get(user_key, &value);
    size_t block = 0;
    const absl::Status status =
        presence.ok() ? index.Find(filters.order.Split(key), &block) : presence.status();
    report->scan_status.Update(status);
    if (!status.ok()) continue;
    if (*presence != Presence::kAbsent) {
      ++report->given_present;
      continue;
    }
    const FilterWindow window =
        block == index.size() ? FilterWindow() : filters.WindowOf(index.record(block));
    filters.Ask(window, key, &FilterReport::given, &TableFilterReport::given, report);
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

FilterReport MeasureFilter(const TableReader& reader, const FilterProbes& probes, KeyTrust keys) {
  FilterReport report;
  const LoadedTable& loaded = LoadNow(reader);
  report.status = loaded.filter_status.At(reader.file());
  const bool is_rejected = loaded.rejected_filter.has_value();
  const FilterBlockReader* const filter = is_rejected ? &*loaded.rejected_filter : reader.filter();
  const Metaindex::Filter found = MetaindexOf(reader).FindFilter(reader.options().filter_policies);
  if (found.block != nullptr) {
    report.name = std::string(found.policy_name);
    report.handle = found.block->handle;
  }
  const Metaindex::TableFilter of_table =
      MetaindexOf(reader).FindTableFilter(reader.options().table_filter_policies);
  if (of_table.block != nullptr) {
    report.table_filter.emplace();
    report.table_filter->status = loaded.table_filter.status.At(reader.file());
    report.table_filter->name = std::string(of_table.policy_name);
    report.table_filter->handle = of_table.block->handle;
  }
  const Filters filters = {filter, is_rejected, loaded.table_filter.filter.get(),
                           KeyOrderOf(reader)};
  if (filter == nullptr && filters.table == nullptr) {
    report.scan_status = TableVerifier(&reader, KeyTrust::kUnknown).index_status();
    return report;
  }
  if (filter != nullptr) {
    report.base_lg = filter->base_lg();
    report.windows = filter->window_count();
    report.is_bloom = BloomTraitsOf(*filter->policy()).has_value();
    CountWindows(*filter, &report);
  }
  TestKeys(reader, keys, filters, &report);
  if (IndexOf(reader) == nullptr) return report;
  TestRandomKeys(*IndexOf(reader), filters, probes.random_keys, &report);
  TestGivenKeys(reader, filters, probes.given_keys, &report);
  return report;
}

void FilterHashEvidence::Add(absl::string_view filter, absl::string_view user_key) {
  if (HashTailMatters(user_key)) ++keys_with_two_hashes;
  if (!BloomMayContain(BloomKeyHash<HashTail::kUnsigned>(user_key), filter)) {
    ++lost_by_unsigned_hash;
  }
  if (!BloomMayContain(BloomKeyHash<HashTail::kSigned>(user_key), filter)) ++lost_by_signed_hash;
  if (!BloomMayContain(Murmur3(user_key, kBloomHashSeed), filter)) ++lost_by_murmur3;
}

std::string FilterHashEvidence::Verdict() const {
  if (lost_by_unsigned_hash == 0 && lost_by_signed_hash == 0) {
    return keys_with_two_hashes == 0 ? "either" : "both";
  }
  if (lost_by_unsigned_hash == 0) return "unsigned";
  if (lost_by_signed_hash == 0) return "signed";
  return lost_by_murmur3 == 0 ? "murmur3" : "neither";
}

}  // namespace sstable
