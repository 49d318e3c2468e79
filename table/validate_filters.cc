// Whether the filters of a table were made of its keys, and with the hash that lookups ask them by.
//
// Other programs write filters with other hashes under LevelDB's names. Such a filter, or one of
// another kind of keys, lets a key of the table through only by chance, as it does absent ones. So
// a filter is asked for keys of the table until that many would have passed in fewer than one of
// 10^12 such tables, or there are no more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "filter/lookup_filter.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/table_loader.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr double kMaxChance = 1e-12;
constexpr double kMaxChanceOfBlock = 1e-6;  // so that two blocks are asked, or more
constexpr double kTableFilterRate = 0.5;    // that of no filter is that high

// Blocks are the first ones, which a device reads at once; and, if these do not suffice, others
// that are ever further apart.
constexpr size_t kAdjacentBlocks = 16;

// What may be read for that, beyond two blocks and a key of each.
constexpr uint64_t kMaxBlockBytes = uint64_t{4} << 20;
constexpr uint64_t kMaxKeyBytes = uint64_t{1} << 20;

// Bytes from one entry to the next, on average of the first ones of a run.
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

// Bytes between the places that a search of the block looks at; it has restart points.
size_t SearchStride(const Block& block) {
  return std::max<size_t>(
      64, block.restart_count() > 1 ? block.RestartOffset(1) : EntryDistance(block));
}

// How likely it is that a filter let keys through by chance.
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

// Asks the filters of `loaded`, and drops one that does not contain a key.
class FilterTrials {
 public:
  FilterTrials(const KeyOrder& order, LoadedTable* loaded) : order_(order), loaded_(*loaded) {}

  bool is_done() const { return !asks_blocks() && !asks_table(); }

  // Whether the data block's keys can be asked for.
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
          !has_key_ || user_key != last_user_key_) {  // not a version of the one before
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
    // With other prefixes than its name says, it would hide keys from scans.
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
        ": it was made with another hash, of another kind of "
        "keys, or without this one"));
  }

  const KeyOrder& order_;
  LoadedTable& loaded_;
  Trial blocks_, table_;
  bool has_key_ = false;
  std::string last_user_key_;
  uint64_t key_bytes_ = 0;
};

}  // namespace

// If a block is damaged, lookups that need it will say so.
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
    DataBlock data(FillCache::kNo);
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
