#include "table/block/rocksdb_properties.h"

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

enum class Encoding { kFixed32, kFixed64, kVarint64 };

struct Property {
  absl::string_view name;
  Encoding encoding;
  const char* meaning;  // the meaning of any value but 0
};
constexpr char kRangeDeletions[] = "deletions of ranges of keys";

constexpr Property kProperties[] = {
    {"rocksdb.index.key.is.user.key", Encoding::kVarint64, "user keys in the index"},
    {"rocksdb.index.value.is.delta.encoded", Encoding::kVarint64, "delta-encoded block handles"},
    {"rocksdb.external_sst_file.global_seqno", Encoding::kFixed64,
     "sequences that are not in its keys"},
    {"rocksdb.num.range-deletions", Encoding::kVarint64, kRangeDeletions},
};

// Type 0 is LevelDB's index, type 1 adds a separate hash index, and type 3 adds a block's first key
// after its handle.
constexpr absl::string_view kIndexType = "rocksdb.block.based.table.index.type";
constexpr uint64_t kTwoLevelIndex = 2;
constexpr uint64_t kLastIndexType = 3;

// A meta block that RocksDB writes with any codec, though some codecs do not use it.
constexpr absl::string_view kDictionary = "rocksdb.compression_dict";
constexpr absl::string_view kCodec = "rocksdb.compression";
constexpr absl::string_view kCodecsWithoutDictionary[] = {"NoCompression", "Snappy", "BZip2"};

// Returns nullopt if `bytes` are not such a number.
std::optional<uint64_t> Decode(Encoding encoding, absl::string_view bytes) {
  uint64_t number = 0;
  switch (encoding) {
    case Encoding::kFixed32:
      if (bytes.size() != sizeof(uint32_t)) return std::nullopt;
      return DecodeFixed32(bytes.data());
    case Encoding::kFixed64:
      if (bytes.size() != sizeof(uint64_t)) return std::nullopt;
      return DecodeFixed64(bytes.data());
    case Encoding::kVarint64:
      if (!ConsumeVarint64(&bytes, &number) || !bytes.empty()) return std::nullopt;
      return number;
  }
  return std::nullopt;
}

absl::Status Refusal(absl::string_view meaning, absl::string_view name) {
  return absl::UnimplementedError(
      absl::StrCat("is a table of RocksDB's with ", meaning, ", which are not read (", name, ")"));
}

absl::Status CheckProperty(absl::string_view name, absl::string_view value) {
  if (name == kIndexType) {
    const std::optional<uint64_t> type = Decode(Encoding::kFixed32, value);
    if (type == kTwoLevelIndex) return Refusal("two levels of index blocks", name);
    if (!type.has_value() || *type > kLastIndexType) {
      return Refusal("index blocks of an unknown type", name);
    }
  }
  for (const Property& property : kProperties) {
    if (name != property.name) continue;
    if (Decode(property.encoding, value) != uint64_t{0}) return Refusal(property.meaning, name);
  }
  return absl::OkStatus();
}

absl::Status CheckProperties(absl::string_view contents, bool has_dictionary) {
  const absl::StatusOr<Block> block = Block::Parse(contents);
  if (!block.ok()) return absl::OkStatus();
  const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  BlockIterator entries(&order, *block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    RETURN_IF_ERROR(CheckProperty(entries.key(), entries.value()));
    if (entries.key() == kCodec) {
      has_dictionary =
          has_dictionary && !absl::c_linear_search(kCodecsWithoutDictionary, entries.value());
    }
  }
  return has_dictionary ? Refusal("blocks compressed with a dictionary", kDictionary)
                        : absl::OkStatus();
}

}  // namespace

absl::Status CheckRocksDbTable(
    const std::vector<MetaBlock>& meta_blocks,
    absl::FunctionRef<absl::StatusOr<BlockContents>(const BlockHandle&)> read) {
  bool has_dictionary = false;
  for (const MetaBlock& block : meta_blocks) {  // in the order of their names
    has_dictionary = has_dictionary || block.name == kDictionary;
    if (block.name == "rocksdb.range_del") return Refusal(kRangeDeletions, block.name);
    if (block.name != "rocksdb.properties") continue;
    const absl::StatusOr<BlockContents> contents = read(block.handle);
    if (IsTransient(contents.status())) return contents.status();
    if (contents.ok()) RETURN_IF_ERROR(CheckProperties(contents->bytes, has_dictionary));
  }
  return absl::OkStatus();
}

}  // namespace sstable
