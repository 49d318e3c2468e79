#include "table/table_stats.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter/filter_block.h"
#include "table/block_iterator.h"
#include "table/layout.h"
#include "util/internal_key.h"

namespace sstable {
namespace {

// What distinguishes writers, gathered from all blocks.
struct Marks {
  uint64_t snappy_without_gain = 0;  // stored compressed though that saved at most an eighth
  uint64_t deflate_blocks = 0;
  uint64_t zlib_blocks = 0;
  uint64_t zstd_blocks = 0;
  bool metaindex_without_restart = false;
  bool index_with_long_runs = false;  // restart interval above 1
};

class Collector {
 public:
  explicit Collector(const TableReader& reader) : reader_(reader) {
    stats_.file_size = reader.file().size();
  }

  TableStats Run() {
    const absl::Status index_status = reader_.LoadIndex();
    VisitBlocks(reader_, [this](const VisitedBlock& block) { Count(block); });
    stats_.status.Update(index_status);
    stats_.status.Update(reader_.metaindex_status());
    NameWriter();
    return std::move(stats_);
  }

 private:
  void Count(const VisitedBlock& block) {
    const BlockInfo& info = block.info;
    stats_.status.Update(info.status);
    switch (info.kind) {
      case BlockKind::kData:
        ++stats_.data_blocks;
        if (!info.status.ok()) {
          ++stats_.damaged_data_blocks;
          return;
        }
        return CountDataBlock(info, *block.parsed);
      case BlockKind::kIndex:
        stats_.index_size = info.handle.size;
        marks_.index_with_long_runs = info.entry_count > info.restart_count;
        return;
      case BlockKind::kMetaindex:
        marks_.metaindex_without_restart = info.status.ok() && info.restart_count == 0;
        return;
      case BlockKind::kFilter:
        stats_.filter_size += info.handle.size;
        return;
      case BlockKind::kMeta:
        return;
    }
  }

  void CountDataBlock(const BlockInfo& info, const Block& block) {
    stats_.data_stored_size += info.handle.size;
    stats_.data_raw_size += info.raw_size;
    ++stats_.blocks_by_codec[std::string(CodecName(info.codec))];
    switch (info.codec) {
      case Codec::kSnappy:
        if (info.handle.size >= info.raw_size - info.raw_size / 8) ++marks_.snappy_without_gain;
        break;
      case Codec::kZstd:
        ++marks_.zstd_blocks;
        break;
      case Codec::kZlib:
        ++marks_.zlib_blocks;
        break;
      case Codec::kRawDeflate:
        ++marks_.deflate_blocks;
        break;
      case Codec::kNone:
      case Codec::kUnknown:
        break;
    }
    BlockIterator entries(&reader_.order(), block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      ++stats_.entries;
      stats_.key_sizes.Add(entries.key().size());
      stats_.value_sizes.Add(entries.value().size());
      if (reader_.order().kind() == KeyKind::kInternal) CountInternalKey(entries.key());
    }
  }

  void CountInternalKey(absl::string_view key) {
    const uint64_t tag = ExtractTag(key);
    const uint64_t sequence = tag >> 8;
    if ((tag & 0xff) == static_cast<uint8_t>(ValueType::kDeletion)) ++stats_.deletions;
    stats_.min_sequence = stats_.entries == 1 ? sequence : std::min(stats_.min_sequence, sequence);
    stats_.max_sequence = std::max(stats_.max_sequence, sequence);
    const absl::string_view user_key = ExtractUserKey(key);
    if (stats_.entries == 1 || user_key != last_user_key_) {
      ++stats_.distinct_user_keys;
      last_user_key_.assign(user_key.data(), user_key.size());
    }
  }

  void Mark(std::string mark, absl::string_view writer) {
    stats_.marks.push_back(std::move(mark));
    if (stats_.likely_writer.empty()) stats_.likely_writer = std::string(writer);
  }

  bool HasMeta(absl::string_view name) const {
    return std::any_of(reader_.meta_blocks().begin(), reader_.meta_blocks().end(),
                       [name](const MetaBlock& block) { return block.name == name; });
  }

  // The most telling mark first: the first one names the writer.
  void NameWriter() {
    if (reader_.dialect() == TypeByteDialect::kRocksDb) {
      Mark("has a rocksdb.properties block", "RocksDB up to 10.0, format version 0");
    }
    if (HasMeta("filter._")) Mark("has an empty filter called \"_\"", "dermesser/sstable (Rust)");
    if (marks_.deflate_blocks > 0) {
      Mark("has raw deflate blocks (type 4)", "Minecraft Bedrock (Mojang's LevelDB)");
    }
    if (marks_.zlib_blocks > 0) Mark("has zlib blocks (type 2)", "Mojang's LevelDB");
    if (marks_.zstd_blocks > 0) {
      Mark("has zstd blocks (type 2)", "LevelDB's main branch after 1.23, or sstable");
    }
    if (marks_.metaindex_without_restart) {
      Mark("its metaindex block has no restart point", "iq80 leveldb (Java)");
    }
    if (marks_.snappy_without_gain > 0) {
      Mark(absl::StrCat(marks_.snappy_without_gain,
                        " blocks are stored as snappy though that saves less than an eighth"),
           "goleveldb or another writer that is not LevelDB");
    }
    if (marks_.index_with_long_runs) {
      Mark("its index block is prefix-compressed", "a writer that is not LevelDB");
    }
    if (reader_.filter() != nullptr && reader_.filter()->base_lg() != kDefaultFilterBaseLg) {
      Mark(absl::StrCat("its filter's base lg is ", reader_.filter()->base_lg()), "goleveldb");
    }
    if (HasMeta("filter.leveldb.BuiltinBloomFilter")) {
      Mark("its filter has the old name",
           "goleveldb, or LevelDB 1.4 to 1.17 (the filter's hash may tell)");
    }
    if (HasMeta("filter.leveldb.BuiltinBloomFilter2")) {
      Mark("its filter has the name that LevelDB uses since 1.18", "LevelDB 1.18 or later");
    }
  }

  const TableReader& reader_;
  TableStats stats_;
  Marks marks_;
  std::string last_user_key_;
};

}  // namespace

void SizeHistogram::Add(uint64_t size) {
  ++count;
  sum += size;
  min = std::min(min, size);
  max = std::max(max, size);
  ++by_bit_width[size == 0 ? 0 : 64 - __builtin_clzll(size)];
}

TableStats CollectStats(const TableReader& reader) { return Collector(reader).Run(); }

}  // namespace sstable
