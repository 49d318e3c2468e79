// Checks that the filters of a table were built from its keys, with the hash that lookups use.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "filter/lookup_filter.h"
#include "sstable/experimental/table_filter.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/table_loader.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr double kMaxChance = 1e-12;
constexpr double kMaxChanceOfBlock = 1e-6;  // so at least two blocks are tried
constexpr double kTableFilterRate = 0.5;    // no filter has a higher rate

// Tries the first blocks, which a device reads at once; then others at growing distances.
constexpr size_t kAdjacentBlocks = 16;

// Limits on what is read beyond two blocks and one key of each.
constexpr uint64_t kMaxBlockBytes = uint64_t{4} << 20;
constexpr uint64_t kMaxKeyBytes = uint64_t{1} << 20;

// Average size of the first entries of a block.
size_t EntryDistance(const Block& block) {
  constexpr size_t kMostEntries = 16;
  const char* p = block.begin();
  size_t count = 0;
  BlockEntry entry;
  while (count < kMostEntries && p < block.end() && DecodeEntry(p, block, &entry)) {
    p = entry.next();
    ++count;
  }
  return count == 0 ? block.entries_size() : (p - block.begin()) / count;
}

// Distance in bytes between the points that the search of a block examines. The block must have
// restart points.
size_t SearchStride(const Block& block) {
  return std::max<size_t>(
      64, block.restart_count() > 1 ? block.RestartOffset(1) : EntryDistance(block));
}

// The probability that a filter matched the keys by chance.
class Trial {
 public:
  bool wants_block() const { return chance_ > kMaxChance; }
  void StartBlock(double rate) {
    rate_ = rate;
    chance_of_block_ = 1;
  }
  bool wants_key() const { return chance_of_block_ > kMaxChanceOfBlock; }
  void Pass() {
    chance_of_block_ *= rate_;
    chance_ *= rate_;
  }
  void EndBlock() { chance_of_block_ = 0; }

 private:
  double chance_ = 1;
  double chance_of_block_ = 0;
  double rate_ = 1;
};

// Tests the filters of `loaded`, and drops one that does not contain a key.
class FilterTrials {
 public:
  FilterTrials(const KeyOrder& order, LoadedTable* loaded) : order_(order), loaded_(*loaded) {}

  bool is_done() const { return !asks_blocks() && !asks_table(); }

  // Returns true if the data block's keys can be looked up in a filter.
  bool Wants(const IndexRecord& record) const {
    return asks_table() || (asks_blocks() && record.filter_size > 0);
  }

  void Ask(const IndexRecord& record, const Block& block) {
    if (asks_blocks() && record.filter_size > 0)
      blocks_.StartBlock(loaded_.filter.PassRate(record));
    if (asks_table()) table_.StartBlock(kTableFilterRate);
    BlockIterator entries(&order_, block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      if (!blocks_.wants_key() && !table_.wants_key()) break;
      if (const absl::string_view user_key = order_.UserKey(entries.key());
          !has_key_ || user_key != last_user_key_) {  // not a version of the last key
        AskFor(record, entries.key());
        has_key_ = true;
        last_user_key_.assign(user_key.data(), user_key.size());
      }
      key_bytes_ += entries.key().size();
      if (key_bytes_ > kMaxKeyBytes) break;
    }
    blocks_.EndBlock();
    table_.EndBlock();
  }

 private:
  bool asks_blocks() const { return loaded_.filter.reader() != nullptr && blocks_.wants_block(); }
  bool asks_table() const { return loaded_.table_filter.filter != nullptr && table_.wants_block(); }

  void AskFor(const IndexRecord& record, absl::string_view key) {
    if (blocks_.wants_key()) {
      if (loaded_.filter.reader()->KeyMayMatch(record.block_offset, key)) {
        blocks_.Pass();
      } else {
        blocks_.EndBlock();
        loaded_.rejected_filter = *loaded_.filter.reader();
        loaded_.filter_status.status = Missing(loaded_.rejected_filter->policy()->Name(), key);
        loaded_.filter = LookupFilter();
      }
    }
    if (!table_.wants_key()) return;
    TableFilterBlock& of_table = loaded_.table_filter;
    const absl::string_view user_key = order_.UserKey(key);
    // If the prefixes in the filter are not those that its name says, prefix scans would miss keys.
    if (!of_table.PrefixMayMatch(user_key)) of_table.prefixes.reset();
    if (of_table.filter->MayMatch(TableFilterHash(user_key))) {
      table_.Pass();
    } else {
      table_.EndBlock();
      of_table.status.status = Missing(of_table.policy_name, key);
      of_table.filter = nullptr;
    }
  }

  absl::Status Missing(absl::string_view filter, absl::string_view key) const {
    return absl::FailedPreconditionError(absl::StrCat(
        "filter \"", filter, "\" does not contain the table's key ", ShowKey(order_, key),
        ": it was made with another hash, from another kind of keys, or without this key"));
  }

  const KeyOrder& order_;
  LoadedTable& loaded_;
  Trial blocks_, table_;
  bool has_key_ = false;
  std::string last_user_key_;
  uint64_t key_bytes_ = 0;
};

}  // namespace

// Damaged blocks are skipped; lookups that need them will report the damage.
void TableLoader::ValidateFilters(LoadedTable* loaded) const {
  FilterTrials trials(table_.order, loaded);
  size_t blocks = 0;
  uint64_t block_bytes = 0;
  for (size_t i = 0; i < loaded->index->size() && !trials.is_done();) {
    const IndexRecord& record = loaded->index->record(i);
    if (!trials.Wants(record)) {
      ++i;
      continue;
    }
    DataBlock data(/*fill=*/false);
    const absl::Status status = loaded->ReadDataBlock(table_, record, &data);
    if (IsTransient(status)) {
      return loaded->LeaveOutFilters({status, BlockKind::kData, record.handle()});
    }
    if (status.ok()) {
      if (i == 0 && data.block.restart_count() > 0) {
        loaded->search_stride = SearchStride(data.block);
      }
      trials.Ask(record, data.block);
      block_bytes += data.block.contents_size();
    }
    if (++blocks >= 2 && block_bytes > kMaxBlockBytes) return;
    i = blocks < kAdjacentBlocks ? i + 1 : 2 * i;
  }
}

}  // namespace sstable
