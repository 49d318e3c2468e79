#include "table/inspect/filter_comparison.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "filter/bloom.h"
#include "sstable/check.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "table/index/table_index.h"
#include "table/inspect/absent_keys.h"
#include "table/inspect/verified_scan.h"
#include "table/table_filter_block.h"
#include "table/table_internals.h"
#include "util/coding.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

// The expected rate of LevelDB's probes is measured with this many times as many hashes, since no
// formula gives it for filters of few keys.
constexpr uint64_t kExpectationFactor = 4;

constexpr size_t kMaxNeighbours = size_t{1} << 17;  // for each table
constexpr size_t kMaxRangeKeys = 256;               // for each table; kept in full

// An evenly spread sample of the added items, fewer than kMaxSize.
template <typename T, size_t kMaxSize>
class Sample {
 public:
  void Add(absl::FunctionRef<T()> make) {
    if (seen_++ % step_ != 0) return;
    items_.push_back(make());
    if (items_.size() < kMaxSize) return;
    for (size_t i = 1; i < items_.size() / 2; ++i) items_[i] = std::move(items_[2 * i]);
    items_.resize(items_.size() / 2);
    step_ *= 2;
  }
  std::vector<T>& items() { return items_; }
  const std::vector<T>& items() const { return items_; }

 private:
  std::vector<T> items_;
  uint64_t seen_ = 0;
  uint64_t step_ = 1;
};

struct Neighbour {
  uint32_t bloom_hash;
  uint64_t table_hash;
  size_t block;
};

// Returns the expected rate of a blocked Bloom filter, given that the number of keys in a line has
// a Poisson distribution. Format: docs/filter_block.md.
double ExpectedBlockedRate(absl::string_view filter, uint64_t key_count) {
  const double lines = static_cast<double>(filter.size() / 64);
  const double probes = static_cast<unsigned char>(filter.back());
  const double mean = static_cast<double>(key_count) / lines;
  double rate = 0;
  const double most = mean + 12 * std::sqrt(mean) + 12;
  for (double keys = 0; keys <= most; ++keys) {
    const double share = std::exp(keys * std::log(mean) - mean - std::lgamma(keys + 1));
    const double fill = 1 - std::pow(1 - 1.0 / 512, probes * keys);
    rate += share * std::pow(fill, probes);
  }
  return rate;
}

}  // namespace

// The data that is kept about a table's keys.
struct FilterComparison::Keys {
  struct Block {
    uint64_t offset;  // in the file
    size_t end;       // end of its keys in bloom_hashes
  };
  std::vector<uint32_t> bloom_hashes;
  std::vector<uint64_t> table_hashes;
  std::vector<Block> blocks;
  uint64_t data_end = 0;  // end of these blocks in the file
  Sample<Neighbour, kMaxNeighbours> neighbours;
  Sample<std::string, kMaxRangeKeys> range_keys;
  std::string first, last;

  void Add(absl::string_view user_key);
  void AddNeighbour(absl::string_view absent);
};

void FilterComparison::Keys::Add(absl::string_view user_key) {
  range_keys.Add([&] { return std::string(user_key); });
  if (bloom_hashes.empty()) first = std::string(user_key);
  last.assign(user_key.data(), user_key.size());
  bloom_hashes.push_back(BloomKeyHash<HashTail::kUnsigned>(user_key));
  const uint64_t hash = TableFilterHash(user_key);
  // In a filter for the whole table, all versions of a key count once.
  if (table_hashes.empty() || table_hashes.back() != hash) table_hashes.push_back(hash);
}

// Adds an absent key near those of the current block.
void FilterComparison::Keys::AddNeighbour(absl::string_view absent) {
  neighbours.Add([&] {
    return Neighbour{BloomKeyHash<HashTail::kUnsigned>(absent), TableFilterHash(absent),
                     blocks.size()};
  });
}

FilterComparison::FilterComparison(std::optional<double> rate, uint64_t random_keys)
    : random_keys_(random_keys) {
  const auto add_blocks = [this](std::string option, auto make) {
    for (int base_lg = kDefaultFilterBaseLg; base_lg <= 16; ++base_lg) {
      ComparedFilter& filter = filters_.emplace_back();
      filter.option = option;
      filter.base_lg = base_lg;
      filter.policy = make();
    }
  };
  for (const int bits : {8, 10, 12, 14, 16}) {
    add_blocks(absl::StrCat("bloom:", bits), [bits] { return NewBloomFilterPolicy(bits); });
  }
  if (rate.has_value()) {
    add_blocks(absl::StrCat("bloom:", 100 * *rate, "%"),
               [rate] { return NewBloomFilterPolicyForRate(*rate); });
  }
  const auto add_table = [this](std::string option,
                                std::unique_ptr<const TableFilterPolicy> policy) {
    ComparedFilter& filter = filters_.emplace_back();
    filter.option = std::move(option);
    filter.table_policy = std::move(policy);
  };
  for (const int bits : {8, 10, 12, 16}) {
    add_table(absl::StrCat("blocked:", bits), NewBlockedBloomPolicy(bits));
  }
  add_table("fuse8", NewBinaryFusePolicy(FuseBits::k8));
  add_table("fuse16", NewBinaryFusePolicy(FuseBits::k16));
}

absl::Status FilterComparison::AddTable(const OpenedTable& table) {
  RETURN_IF_ERROR(table.reader->LoadIndex());
  Keys keys;
  const absl::Status status = Collect(table, &keys);
  key_count_ += keys.bloom_hashes.size();
  ranges_.push_back({table.key_trust == KeyTrust::kOrdered,
                     &KeyOrderOf(*table.reader).user_comparator(), keys.bloom_hashes.size(),
                     std::move(keys.first), std::move(keys.last),
                     std::move(keys.range_keys.items())});
  if (!keys.bloom_hashes.empty()) {
    for (ComparedFilter& filter : filters_) Measure(keys, &filter);
  }
  return status;
}

absl::Status FilterComparison::Collect(const OpenedTable& table, Keys* keys) {
  const TableIndex& index = *IndexOf(*table.reader);
  const KeyOrder& order = KeyOrderOf(*table.reader);
  const bool in_order = table.key_trust == KeyTrust::kOrdered;
  absl::Status status;
  VerifiedScan scan(table.reader.get(), table.key_trust, VerifiedScan::Misplaced::kSkip,
                    [&status](const absl::Status& error) { status.Update(error); });
  for (size_t i = 0; i < scan.block_count(); ++i) {
    if (keys->bloom_hashes.size() >= kMaxKeys) {
      is_sample_ = true;
      break;
    }
    const BlockHandle handle = index.record(i).handle();
    const size_t keys_before = keys->bloom_hashes.size();
    Neighbours neighbours(&order);
    const bool goes_on = scan.Visit(i, [&](absl::string_view key, absl::string_view) {
      const std::optional<absl::string_view> neighbour = neighbours.Next(key);
      if (neighbour.has_value() && in_order) keys->AddNeighbour(order.UserKey(*neighbour));
      keys->Add(order.UserKey(key));
      return true;
    });
    if (keys->bloom_hashes.size() > keys_before) {
      keys->data_end = handle.offset + handle.size + kBlockTrailerSize;
      keys->blocks.push_back({handle.offset, keys->bloom_hashes.size()});
    }
    if (!goes_on) break;
  }
  return status;
}

void FilterComparison::Measure(const Keys& keys, ComparedFilter* filter) const {
  return filter->policy != nullptr ? MeasureBlocks(keys, filter) : MeasureTable(keys, filter);
}

void FilterComparison::MeasureBlocks(const Keys& keys, ComparedFilter* filter) const {
  const BloomTraits traits = *BloomTraitsOf(*filter->policy);
  const int base_lg = *filter->base_lg;
  std::string bytes;
  std::vector<size_t> starts;     // start of each nonempty filter, in `bytes`
  std::vector<size_t> window_of;  // the window of each block
  const auto& blocks = keys.blocks;
  for (size_t i = 0, key = 0; i < blocks.size();) {
    const uint64_t window = blocks[i].offset >> base_lg;
    const size_t first_key = key;
    for (; i < blocks.size() && blocks[i].offset >> base_lg == window; ++i) {
      window_of.push_back(starts.size());
      key = blocks[i].end;
    }
    starts.push_back(bytes.size());
    const size_t count = key - first_key;
    if (count > 0) {
      AppendBloomFilter(absl::MakeSpan(keys.bloom_hashes).subspan(first_key, count), traits,
                        &bytes);
    }
  }
  starts.push_back(bytes.size());
  // The number of windows of a table that has only these blocks: docs/filter_block.md#writing-it.
  const uint64_t windows =
      std::max(keys.data_end >> base_lg, (blocks.back().offset >> base_lg) + 1);
  filter->bytes += bytes.size() + 4 * windows + kFilterBlockTailSize;

  const auto filter_of = [&](size_t block) {
    const size_t window = window_of[block];
    return absl::string_view(bytes).substr(starts[window], starts[window + 1] - starts[window]);
  };
  const auto passes = [](absl::string_view window, uint32_t hash) {
    return window.empty() || BloomMayContain(hash, window);  // without a filter, blocks are read
  };
  RandomNumbers random;
  // A prime that does not divide the size, so that all blocks are reached.
  const size_t step = blocks.size() % 7919 == 0 ? 7907 : 7919;
  const auto count_passes = [&](uint64_t probes) {
    uint64_t passed = 0;
    for (uint64_t i = 0; i < probes; ++i) {
      passed += passes(filter_of(i * step % blocks.size()), static_cast<uint32_t>(random.Next()));
    }
    return passed;
  };
  const double start = sys::ThreadSeconds();
  filter->random.passed += count_passes(random_keys_);
  filter->probe_seconds += sys::ThreadSeconds() - start;
  filter->random.tested += random_keys_;
  filter->expected_passes += static_cast<double>(count_passes(kExpectationFactor * random_keys_)) /
                             static_cast<double>(kExpectationFactor);
  for (const Neighbour& neighbour : keys.neighbours.items()) {
    ++filter->neighbours.tested;
    filter->neighbours.passed += passes(filter_of(neighbour.block), neighbour.bloom_hash);
  }
}

void FilterComparison::MeasureTable(const Keys& keys, ComparedFilter* filter) const {
  std::string contents;
  std::vector<uint64_t> hashes = keys.table_hashes;
  filter->table_policy->CreateFilter(absl::MakeSpan(hashes), &contents);
  filter->bytes += contents.size();
  TableFilterBlock block;  // keeps an aligned copy of the contents
  block.Parse(*filter->table_policy, contents);
  if (block.filter == nullptr) return;

  RandomNumbers random;
  uint64_t passed = 0;
  const double start = sys::ThreadSeconds();
  for (uint64_t i = 0; i < random_keys_; ++i) passed += block.filter->MayMatch(random.Next());
  filter->probe_seconds += sys::ThreadSeconds() - start;
  const absl::string_view name = filter->table_policy->Name();
  const double expected = name == "BinaryFuse8" ? 1.0 / 256
                          : name == "BinaryFuse16"
                              ? 1.0 / 65536
                              : ExpectedBlockedRate(contents, keys.table_hashes.size());
  filter->expected_passes += expected * static_cast<double>(random_keys_);
  filter->random.tested += random_keys_;
  filter->random.passed += passed;
  for (const Neighbour& neighbour : keys.neighbours.items()) {
    ++filter->neighbours.tested;
    filter->neighbours.passed += block.filter->MayMatch(neighbour.table_hash);
  }
}

double FilterComparison::TablesPerLookup() const {
  const Comparator* const comparator = ranges_.empty() ? nullptr : ranges_[0].comparator;
  double tables = 0, keys = 0;
  for (const Range& range : ranges_) {
    if (!range.order_known || range.comparator != comparator) {
      return static_cast<double>(ranges_.size());
    }
    if (range.some_keys.empty()) continue;
    uint64_t found = 0;
    for (const std::string& key : range.some_keys) {
      found += std::count_if(ranges_.begin(), ranges_.end(), [&](const Range& other) {
        return other.key_count > 0 && comparator->Compare(other.first, key) <= 0 &&
               comparator->Compare(key, other.last) <= 0;
      });
    }
    const double weight = static_cast<double>(range.key_count);
    tables += weight * static_cast<double>(found) / static_cast<double>(range.some_keys.size());
    keys += weight;
  }
  return keys == 0 ? 0 : tables / keys;
}

}  // namespace sstable
