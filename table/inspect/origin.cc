// The traits of each writer were observed in tables of the corpus (tests/corpus) and read in its
// sources.
#include "table/inspect/origin.h"

#include "absl/strings/str_cat.h"
#include "sstable/filter_block.h"

namespace sstable {
namespace {

constexpr absl::string_view kOldFilter = "leveldb.BuiltinBloomFilter";
constexpr absl::string_view kNewFilter = "leveldb.BuiltinBloomFilter2";

bool HasFilter(const WriterEvidence& e, absl::string_view name) { return e.filter_policy == name; }

bool HasOwnFilter(const WriterEvidence& e) {
  return e.filter_policy.has_value() && !HasFilter(e, kOldFilter) && !HasFilter(e, kNewFilter);
}

bool HasBedrockBlocks(const WriterEvidence& e) { return e.zlib_blocks + e.deflate_blocks > 0; }

bool HasUsualWindows(const WriterEvidence& e) {
  return e.filter_base_lg.value_or(kDefaultFilterBaseLg) == kDefaultFilterBaseLg;
}

// True for tables of LevelDB's own table builder and its close ports.
bool IsBuiltAsByLevelDb(const WriterEvidence& e) {
  return e.compressed_without_gain == 0 && !e.metaindex_without_restart &&
         !e.index_shares_prefixes && !e.has_empty_data_block && HasUsualWindows(e);
}

// goleveldb compresses either all blocks of a table except the filter's, or none.
bool IsBuiltAsByGoLevelDb(const WriterEvidence& e) {
  return (e.raw_blocks == 0 || e.raw_blocks == e.blocks) && !e.metaindex_without_restart &&
         !e.index_shares_prefixes && !HasFilter(e, kNewFilter) && e.filter_hash != "signed";
}

// iq80's port has no filters, and omits the metaindex block's restart point.
bool IsBuiltAsByIq80(const WriterEvidence& e) {
  return e.metaindex_without_restart && !e.filter_policy.has_value() &&
         e.compressed_without_gain == 0 && !e.index_shares_prefixes;
}

std::string LevelDbRelease(const WriterEvidence& e) {
  if (e.zstd_blocks > 0) return "LevelDB's main branch after 1.23";
  if (HasFilter(e, kNewFilter)) return "LevelDB 1.18 or later";
  if (HasOwnFilter(e)) return "LevelDB, with a filter policy of the program's own";
  if (!HasFilter(e, kOldFilter)) return "LevelDB";
  if (e.filter_hash != "unsigned") return "LevelDB 1.4 to 1.17";
  return "LevelDB 1.4 to 1.17 where char is unsigned, or a later one with a policy of that name";
}

std::vector<std::string> WritersOfBedrocksBlocks(const WriterEvidence& e) {
  std::vector<std::string> writers;
  if (IsBuiltAsByLevelDb(e) && !HasFilter(e, kOldFilter)) {
    writers.emplace_back(e.deflate_blocks > 0 ? "Minecraft Bedrock (Mojang's LevelDB)"
                                              : "Mojang's LevelDB");
  }
  const bool as_sstable = e.compressed_without_gain == 0 && !e.metaindex_without_restart &&
                          !e.index_shares_prefixes && !e.has_empty_data_block &&
                          !HasFilter(e, kOldFilter);
  if (as_sstable) writers.emplace_back("sstable");
  if (IsBuiltAsByIq80(e)) {
    writers.emplace_back("a Java fork of iq80 leveldb for Minecraft Bedrock");
  }
  const bool has_a_mark_of_gos = HasFilter(e, kOldFilter) || e.compressed_without_gain > 0;
  if (IsBuiltAsByGoLevelDb(e) && has_a_mark_of_gos) {
    writers.emplace_back("a Go fork of goleveldb for Minecraft Bedrock");
  }
  return writers;
}

std::vector<std::string> WritersOfSnappyOrRawBlocks(const WriterEvidence& e) {
  std::vector<std::string> writers;
  const bool as_leveldb = IsBuiltAsByLevelDb(e);
  const bool as_goleveldb = IsBuiltAsByGoLevelDb(e) && e.zstd_blocks == 0 && !HasOwnFilter(e);
  if (e.is_tensorflow && as_leveldb) return {"TensorFlow (a checkpoint's index)"};
  if (as_goleveldb && (e.filter_hash == "unsigned" || !as_leveldb))
    writers.emplace_back("goleveldb");
  if (as_leveldb) writers.push_back(LevelDbRelease(e));
  if (as_goleveldb && writers.size() < 2 && (writers.empty() || writers[0] != "goleveldb")) {
    writers.emplace_back("goleveldb");
  }
  if (as_leveldb && !e.filter_policy.has_value() && e.zstd_blocks == 0) {
    writers.emplace_back("golang/leveldb");
  }
  if (IsBuiltAsByIq80(e) && e.zstd_blocks == 0) writers.emplace_back("iq80 leveldb (Java)");
  const bool only_ours = !HasUsualWindows(e) && !HasFilter(e, kOldFilter);
  if (e.zstd_blocks > 0 || only_ours) writers.emplace_back("sstable");
  return writers;
}

std::vector<std::string> MarksOf(const WriterEvidence& e) {
  std::vector<std::string> marks;
  if (e.dialect == CompressionNumbering::kRocksDb) {
    marks.emplace_back("its metaindex has a block called rocksdb.*");
  }
  if (e.deflate_blocks > 0) {
    const bool is_rocksdb = e.dialect == CompressionNumbering::kRocksDb;
    marks.push_back(absl::StrCat("has ", is_rocksdb ? "RocksDB's " : "",
                                 CodecName(Codec::kRawDeflate, e.dialect), " blocks (type ",
                                 e.deflate_type, ")"));
  }
  if (e.lz4_or_bzip2_blocks > 0) marks.emplace_back("has LZ4 or bzip2 blocks");
  if (e.zlib_blocks > 0) marks.emplace_back("has zlib blocks (type 2)");
  if (e.zstd_blocks > 0 && e.dialect == CompressionNumbering::kLevelDb) {
    marks.emplace_back("has zstd blocks (type 2)");
  }
  if (e.compressed_without_gain > 0) {
    marks.push_back(absl::StrCat(e.compressed_without_gain,
                                 e.compressed_without_gain == 1 ? " block is" : " blocks are",
                                 " compressed though that saves less than an eighth"));
  }
  if (e.metaindex_without_restart) {
    marks.emplace_back("its metaindex block has no restart point");
  }
  if (e.index_shares_prefixes) marks.emplace_back("its index block is prefix-compressed");
  if (e.has_empty_data_block) marks.emplace_back("has a data block without entries");
  if (e.is_tensorflow) marks.emplace_back("its first entry is the header of a checkpoint");
  if (!HasUsualWindows(e)) {
    marks.push_back(absl::StrCat("its filter's base lg is ", *e.filter_base_lg));
  }
  if (HasFilter(e, kOldFilter)) {
    const bool is_known = e.filter_hash == "signed" || e.filter_hash == "unsigned";
    marks.push_back(
        absl::StrCat("its filter has the old name",
                     is_known ? absl::StrCat(", and a hash of ", e.filter_hash, " bytes") : ""));
  } else if (HasFilter(e, kNewFilter)) {
    marks.push_back(absl::StrCat("its filter has the name that LevelDB uses since 1.18",
                                 e.filter_hash == "murmur3" ? ", but murmur3 for its hash" : ""));
  } else if (e.filter_policy.has_value()) {
    marks.push_back("its filter is none of LevelDB's");
  }
  if (e.has_table_filter) marks.emplace_back("has a filter for the whole table");
  return marks;
}

// Removes a varint from the front of `*input`.
bool SkipVarint(absl::string_view* input) {
  for (size_t i = 0; i < input->size() && i < 10; ++i) {
    if (static_cast<unsigned char>((*input)[i]) < 0x80) {
      input->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

}  // namespace

void WriterEvidence::AddBlock(uint8_t type, Codec codec, uint64_t stored_size, uint64_t raw_size) {
  ++blocks;
  switch (codec) {
    case Codec::kNone:
      ++raw_blocks;
      return;
    case Codec::kSnappy:
      ++snappy_blocks;
      break;
    case Codec::kZstd:
      ++zstd_blocks;
      break;
    case Codec::kZlib:
      ++zlib_blocks;
      break;
    case Codec::kRawDeflate:
      ++deflate_blocks;
      deflate_type = type;
      break;
    case Codec::kLz4:
    case Codec::kBzip2:
      ++lz4_or_bzip2_blocks;
      break;
    case Codec::kUnknown:
      ++unknown_blocks;
      return;
  }
  if (stored_size >= raw_size - raw_size / 8) ++compressed_without_gain;
}

bool IsTensorFlowHeader(absl::string_view key, absl::string_view value) {
  // num_shards = 1, endianness = 2, version = 3, a message of a few bytes.
  if (!key.empty()) return false;
  bool has_shards = false, has_version = false;
  while (!value.empty()) {
    const char tag = value.front();
    value.remove_prefix(1);
    switch (tag) {
      case 0x08:
      case 0x10:
        if (!SkipVarint(&value)) return false;
        if (tag == 0x08) has_shards = true;
        break;
      case 0x1a: {
        if (value.empty()) return false;
        const size_t size = static_cast<unsigned char>(value.front());
        value.remove_prefix(1);
        if (size >= 0x80 || size > value.size()) return false;
        value.remove_prefix(size);
        has_version = true;
        break;
      }
      default:
        return false;
    }
  }
  return has_shards && has_version;
}

Origin NameWriters(const WriterEvidence& evidence) {
  Origin origin;
  origin.marks = MarksOf(evidence);
  if (evidence.dialect == CompressionNumbering::kRocksDb) {
    origin.writers = {"RocksDB up to 10.0, format version 0"};
  } else if (evidence.has_table_filter) {
    origin.writers = {"sstable"};
  } else if (evidence.filter_hash == "murmur3") {
    origin.writers = {"StarRocks"};
  } else if (HasFilter(evidence, "_")) {
    origin.writers = {"dermesser/sstable (Rust)"};
  } else if (evidence.unknown_blocks + evidence.lz4_or_bzip2_blocks == 0) {
    origin.writers = HasBedrockBlocks(evidence) ? WritersOfBedrocksBlocks(evidence)
                                                : WritersOfSnappyOrRawBlocks(evidence);
  }
  return origin;
}

}  // namespace sstable
