#include "table/salvage/table_salvager.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "table/inspect/order_evidence.h"
#include "table/inspect/writer_settings.h"
#include "table/metaindex.h"
#include "table/salvage/table_scan.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/stable_order.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Entries of overlapping blocks are sorted in memory. Only a hostile file needs more than this.
constexpr uint64_t kFreeSortMemory = uint64_t{16} << 20;
constexpr uint64_t kSortMemoryPerByte = 64;

}  // namespace

struct TableSalvager::Entry {
  std::string key;
  std::string value;
  size_t block;
};

TableSalvager::TableSalvager(ScannedTable table, const SalvageOptions& options)
    : scan_(std::move(table.scan)),
      bytes_(std::move(table.bytes)),
      comparator_(table.comparator),
      options_(options),
      work_(scan_.file_size, options.max_work.value_or(kDefaultMaxWork)) {}

absl::StatusOr<std::unique_ptr<Salvager>> Salvager::Open(const RandomAccessFile& file,
                                                         const SalvageOptions& options) {
  TableScanOptions scan_options;
  scan_options.key_kind = options.key_kind;
  scan_options.comparator = options.comparator;
  scan_options.max_uncompressed_block_size = options.max_uncompressed_block_size;
  scan_options.max_work = options.max_work.value_or(kDefaultMaxWork);
  ASSIGN_OR_RETURN(ScannedTable table, ScanTable(file, scan_options));
  auto salvager = std::make_unique<TableSalvager>(std::move(table), options);
  RETURN_IF_ERROR(salvager->OpenRebuilt(file.name()));
  RETURN_IF_ERROR(salvager->SettleKeys());
  return salvager;
}

// Appends an index of the remaining blocks, a metaindex and a footer to the file, so that all code
// that reads tables can read it. Blocks keep their offsets, and with them their filters.
absl::Status TableSalvager::OpenRebuilt(const std::string& name) {
  ByteBuffer& bytes = bytes_;
  const auto append = [&bytes](const std::vector<std::pair<std::string, BlockHandle>>& entries) {
    BlockBuilder builder(/*restart_interval=*/1);
    builder.Start(&bytes);
    for (const auto& [key, handle] : entries) builder.Add(key, handle.Encode(), 0);
    const size_t start = builder.Finish();
    return BlockHandle{start, SealBlock(nullptr, start, &bytes)};
  };
  std::vector<std::pair<std::string, BlockHandle>> metaindex, index;
  for (const MetaBlock& block : scan_.meta_blocks) {
    if (FitsInFile(block.handle, scan_.file_size)) metaindex.emplace_back(block.name, block.handle);
  }
  for (const ScannedBlock& block : scan_.blocks) {
    index.emplace_back(block.index_key.value_or(block.last_key), block.handle);
  }
  Footer footer;
  footer.metaindex = append(metaindex);
  footer.index = append(index);
  bytes.Append(footer.Encode());
  file_ = NewMemoryFile(bytes.view(), name);
  TableReaderOptions reader_options;
  reader_options.max_uncompressed_block_size = options_.max_uncompressed_block_size;
  ASSIGN_OR_RETURN(reader_, TableReader::Open(NewMemoryFile(bytes.view(), name), reader_options));
  return absl::OkStatus();
}

// Determines kind and order of the keys, from the options or from the keys. If keys violate a
// guessed order, it is kept only if all keys together confirm it, or if only non-adjacent blocks
// are out of order; otherwise the writer used an unknown order. Duplicate keys do not count.
absl::Status TableSalvager::SettleKeys() {
  ASSIGN_OR_RETURN(const TableKeys keys,
                   ResolveKeys(*reader_, {options_.key_kind, options_.comparator}));
  const Comparator* comparator = comparator_ != nullptr ? comparator_ : keys.comparator;
  if (comparator == nullptr) comparator = BytewiseComparator();
  TableReaderOptions reader_options = reader_->options();
  reader_options.key_kind = keys.key_kind;
  reader_options.comparator = comparator;
  ASSIGN_OR_RETURN(reader_,
                   TableReader::Open(NewMemoryFile(bytes_.view(), file_->name()), reader_options));
  OrderEvidence evidence(keys.key_kind);
  std::vector<bool> block_descends;
  FindDisorder(&evidence, &block_descends);
  if (!has_disorder_ || options_.comparator != nullptr) return absl::OkStatus();
  IndexKeyEvidence index_keys(keys.key_kind);
  for (const ScannedBlock& block : scan_.blocks) {
    if (block.index_key.has_value()) index_keys.Add(*block.index_key, block.last_key);
  }
  if (WeighOrder(evidence, index_keys).comparator == comparator) return absl::OkStatus();
  bool touching_disorder = false;
  for (size_t i = 0; i < scan_.blocks.size(); ++i) {
    if (block_descends[i]) touching_disorder = true;
    if (i == 0) continue;
    const BlockHandle& before = scan_.blocks[i - 1].handle;
    const bool are_neighbours =  // now, or in their index
        scan_.index_source != IndexSource::kNone ||
        before.offset + before.size + kBlockTrailerSize == scan_.blocks[i].handle.offset;
    if (are_neighbours && Descends(highest_[i - 1], lowest_[i])) touching_disorder = true;
  }
  if (!touching_disorder) return absl::OkStatus();
  order_known_ = false;
  has_disorder_ = false;
  report_.out_of_order_keys = 0;
  return absl::OkStatus();
}

// Returns true if the plain or user key of `key` is below that of `before`.
bool TableSalvager::Descends(absl::string_view before, absl::string_view key) const {
  const KeyOrder& order = KeyOrderOf(*reader_);
  return order.user_comparator().Compare(order.UserKey(before), order.UserKey(key)) > 0;
}

// Checks the order of the keys that are not left out, and adds them to `evidence`. Sets
// `*block_descends` to true for each block with a plain or user key below the previous one.
void TableSalvager::FindDisorder(OrderEvidence* evidence, std::vector<bool>* block_descends) {
  const KeyOrder& order = KeyOrderOf(*reader_);
  block_has_disorder_.assign(scan_.blocks.size(), false);
  block_descends->assign(scan_.blocks.size(), false);
  std::string last;
  bool has_last = false;
  for (size_t i = 0; i < scan_.blocks.size(); ++i) {
    bool first_of_block = true;
    evidence->BeginBlock();
    const absl::Status status =
        ReadEntries(scan_.blocks[i].handle, [&](absl::string_view key, absl::string_view) {
          if (IsOfOtherKind(key)) return absl::OkStatus();
          evidence->Add(key);
          if (has_last && order.Compare(last, key) >= 0) {
            ++report_.out_of_order_keys;
            has_disorder_ = true;
            if (!first_of_block) {
              block_has_disorder_[i] = true;
              if (Descends(last, key)) (*block_descends)[i] = true;
            }
          }
          last.assign(key.data(), key.size());
          has_last = true;
          first_of_block = false;
          return absl::OkStatus();
        });
    static_cast<void>(status);  // the scan has read it without an error
  }
  if (has_disorder_) FindBounds();
}

// Finds each block's lowest and highest key among those that are not left out.
void TableSalvager::FindBounds() {
  const KeyOrder& order = KeyOrderOf(*reader_);
  for (size_t i = 0; i < scan_.blocks.size(); ++i) {
    std::string& lowest = lowest_.emplace_back(scan_.blocks[i].first_key);
    std::string& highest = highest_.emplace_back(scan_.blocks[i].last_key);
    bool is_first = true;
    const absl::Status status =
        ReadEntries(scan_.blocks[i].handle, [&](absl::string_view key, absl::string_view) {
          if (IsOfOtherKind(key)) return absl::OkStatus();
          if (is_first || order.Compare(key, lowest) < 0) lowest = std::string(key);
          if (is_first || order.Compare(key, highest) > 0) highest = std::string(key);
          is_first = false;
          return absl::OkStatus();
        });
    static_cast<void>(status);  // the scan has read it without an error
  }
}

absl::Status TableSalvager::ReadEntries(
    const BlockHandle& handle,
    absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit) const {
  BlockReadOptions options;
  options.max_uncompressed_size = options_.max_uncompressed_block_size;
  options.dialect = scan_.dialect;
  options.work = &work_;
  const auto contents = ReadBlock(*file_, BlockKind::kData, handle, options);
  if (!contents.ok()) return AtBlock(*file_, BlockKind::kData, handle, contents.status());
  ASSIGN_OR_RETURN(const Block parsed, Block::Parse(contents->bytes));
  BlockIterator it(&KeyOrderOf(*reader_), parsed);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (!work_.Take(kWorkPerEntry + it.key().size())) {
      return AtPlace(file_->name(), work_.Error());
    }
    RETURN_IF_ERROR(visit(it.key(), it.value()));
  }
  return it.status();
}

uint64_t TableSalvager::total_entries() const {
  return std::accumulate(
      scan_.blocks.begin(), scan_.blocks.end(), uint64_t{0},
      [](uint64_t sum, const ScannedBlock& block) { return sum + block.entry_count; });
}

TableBuilderOptions TableSalvager::BuilderOptions() const {
  TableBuilderOptions options;
  options.key_kind = KeyOrderOf(*reader_).kind();
  options.comparator = &KeyOrderOf(*reader_).user_comparator();
  options.keep_input_order = !order_known_;
  BlockReadOptions read_options;
  read_options.max_uncompressed_size = options_.max_uncompressed_block_size;
  read_options.dialect = scan_.dialect;
  WriterSettings settings;
  for (const ScannedBlock& block : scan_.blocks) {
    const absl::string_view stored = bytes_.view().substr(block.handle.offset, block.handle.size);
    const auto contents = ReadBlock(*file_, BlockKind::kData, block.handle, read_options);
    if (!contents.ok()) continue;
    const auto parsed = Block::Parse(contents->bytes);
    if (!parsed.ok()) continue;
    settings.AddBlock(IdentifyCodec(block.type, stored, scan_.dialect), *parsed);
  }
  settings.ApplyTo(&options);
  // The new table uses LevelDB's type bytes, of which only 0 (raw) and 1 (Snappy) mean the same in
  // RocksDB's tables.
  if (scan_.dialect == CompressionNumbering::kRocksDb &&
      options.compression > Compression::kSnappy) {
    options.compression = Compression::kSnappy;
  }
  return options;
}

bool TableSalvager::wants_filter() const {
  if (!scan_.metaindex_status.ok() && scan_.meta_blocks.empty()) return order_known_;
  return std::any_of(scan_.meta_blocks.begin(), scan_.meta_blocks.end(),
                     [](const MetaBlock& block) { return IsFilterName(block.name); });
}

// Returns true if a key can't be the table's: keys are internal, and it has no tag.
bool TableSalvager::IsOfOtherKind(absl::string_view key) const {
  return KeyOrderOf(*reader_).kind() == KeyKind::kInternal && !ParseInternalKey(key).has_value();
}

bool TableSalvager::IsSameUserKey(absl::string_view a, absl::string_view b) const {
  if (KeyOrderOf(*reader_).kind() == KeyKind::kPlain) return a == b;
  return ExtractUserKey(a) == ExtractUserKey(b);
}

void TableSalvager::AddConflict(SalvageConflict::Kind kind, size_t block, absl::string_view key) {
  if (++report_.conflict_count > SalvageReport::kMaxConflicts) return;
  report_.conflicts.push_back({kind, scan_.blocks[block].handle.offset, std::string(key)});
}

// Returns the blocks in order of their lowest keys; those with overlapping keys are grouped.
std::vector<std::vector<size_t>> TableSalvager::GroupOverlapping() const {
  std::vector<size_t> blocks(scan_.blocks.size());
  std::iota(blocks.begin(), blocks.end(), size_t{0});
  const auto has_no_entries = [this](size_t i) { return scan_.blocks[i].entry_count == 0; };
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(), has_no_entries), blocks.end());
  std::vector<std::vector<size_t>> groups;
  if (!has_disorder_) {
    for (const size_t i : blocks) groups.push_back({i});
    return groups;
  }
  const KeyOrder& order = KeyOrderOf(*reader_);
  SortStably(&blocks,
             [&](size_t a, size_t b) { return order.Compare(lowest_[a], lowest_[b]) < 0; });
  const std::string* highest = nullptr;  // highest key of the group
  for (const size_t i : blocks) {
    if (highest == nullptr || order.Compare(*highest, lowest_[i]) < 0) {
      groups.emplace_back();
      highest = &highest_[i];
    } else if (order.Compare(*highest, highest_[i]) < 0) {
      highest = &highest_[i];
    }
    groups.back().push_back(i);
  }
  for (std::vector<size_t>& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

absl::Status TableSalvager::VisitEntries(
    absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit) {
  const KeyOrder& order = KeyOrderOf(*reader_);
  const auto save = [&](absl::string_view key, absl::string_view value) {
    ++report_.entries_saved;
    return visit(key, value);
  };
  std::vector<Entry> entries;  // to be sorted
  Budget memory(0);
  const auto keep = [&](size_t block, absl::string_view key, absl::string_view value) {
    if (entries.empty()) memory = Budget(kFreeSortMemory + kSortMemoryPerByte * scan_.file_size);
    if (!memory.Take(sizeof(Entry) + key.size() + value.size())) {
      return AtPlace(file_->name(),
                     absl::ResourceExhaustedError("the entries whose keys are out of order take "
                                                  "too much memory to sort"));
    }
    entries.push_back({std::string(key), std::string(value), block});
    return absl::OkStatus();
  };
  const auto save_sorted = [&]() -> absl::Status {
    // Stable, so that of equal keys in blocks of equal rank, the first in the file stays first.
    const auto is_better = [this](size_t a, size_t b) {
      const ScannedBlock& x = scan_.blocks[a];
      const ScannedBlock& y = scan_.blocks[b];
      return x.certain != y.certain ? x.certain : y.may_be_index && !x.may_be_index;
    };
    SortStably(&entries, [&](const Entry& a, const Entry& b) {
      const int compared = order.Compare(a.key, b.key);
      if (compared != 0) return compared < 0;
      return is_better(a.block, b.block);
    });
    const Entry* kept = nullptr;
    for (const Entry& entry : entries) {
      if (kept == nullptr || order.Compare(kept->key, entry.key) != 0) {
        kept = &entry;
        RETURN_IF_ERROR(save(entry.key, entry.value));
      } else if (kept->key == entry.key && kept->value == entry.value) {
        ++report_.duplicates;
      } else {
        AddConflict(SalvageConflict::Kind::kOtherValue, entry.block, entry.key);
      }
    }
    entries.clear();
    return absl::OkStatus();
  };
  for (const std::vector<size_t>& group : GroupOverlapping()) {
    const bool is_sorted =
        order_known_ &&
        (!has_disorder_ || (group.size() == 1 && !block_has_disorder_[group.front()]));
    for (const size_t block : group) {
      const auto add = [&](absl::string_view key, absl::string_view value) -> absl::Status {
        if (IsOfOtherKind(key)) {
          AddConflict(SalvageConflict::Kind::kNoTag, block, key);
          return absl::OkStatus();
        }
        if (is_sorted) return save(key, value);
        // In an unknown order, adjacent versions of a user key still have an order.
        if (!order_known_ && !entries.empty() && !IsSameUserKey(entries.back().key, key)) {
          RETURN_IF_ERROR(save_sorted());
        }
        return keep(block, key, value);
      };
      RETURN_IF_ERROR(ReadEntries(scan_.blocks[block].handle, add));
    }
    if (order_known_) RETURN_IF_ERROR(save_sorted());
  }
  return save_sorted();
}

absl::Status TableSalvager::VisitDoubtful(
    absl::FunctionRef<absl::Status(const ScannedBlock& block, absl::string_view key,
                                   absl::string_view value)>
        visit) {
  for (const ScannedBlock& block : scan_.doubtful) {
    RETURN_IF_ERROR(ReadEntries(block.handle, [&](absl::string_view key, absl::string_view value) {
      return visit(block, key, value);
    }));
  }
  return absl::OkStatus();
}

bool TableSalvager::complete() const {
  // A block may have been written over another one; only the index or the order of keys would show
  // it.
  if (scan_.index_source == IndexSource::kNone && (!order_known_ || report_.duplicates > 0)) {
    return false;
  }
  return scan_.lost.empty() && scan_.extent_known && scan_.owner_known && scan_.doubtful.empty() &&
         report_.conflict_count == 0 && scan_.read_status.ok();
}

}  // namespace sstable
