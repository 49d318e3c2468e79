// What every table file has in common: block handles, entries, block trailers, codecs and the
// footer.
//
// Format: data block* | meta block* | metaindex block | index block | footer, each block followed
//         by a 5-byte trailer. All of it: docs/table_format.md.
#ifndef SSTABLE_FORMAT_H_
#define SSTABLE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/version.h"

namespace sstable {

// Part of the file format; changing any of these breaks existing files.
inline constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
inline constexpr size_t kBlockTrailerSize = 5;  // type byte, masked crc32c of block and type byte
inline constexpr size_t kFooterSize = 48;
inline constexpr size_t kFooterHandlesSize = 40;  // two handles, zero-padded; the magic follows
inline constexpr char kFilterKeyPrefix[] = "filter.";  // in the metaindex, before the policy's name
// Before the name of a filter for the whole table. It begins with "filter.", too, since RocksDB
// asserts that it knows all names that don't.
inline constexpr char kTableFilterKeyPrefix[] = "filter.sstable.";

// In the metaindex of RocksDB's tables; identifies them.
inline constexpr char kRocksDbKeyPrefix[] = "rocksdb.";

// Returns the other format that ends with this magic, such as "RocksDB's block-based table"; empty
// if none is known.
SSTABLE_EXPORT absl::string_view ForeignFormatOf(uint64_t magic);

// Where a block is in the file.
struct SSTABLE_EXPORT BlockHandle {
  static constexpr size_t kMaxEncodedSize = 20;

  uint64_t offset = 0;  // bytes from the start of the file
  uint64_t size = 0;    // bytes; the trailer is not counted

  // Removes a handle from the front of `*input`: varint64 offset ++ varint64 size. Some writers pad
  // handles, so bytes may be left.
  static absl::StatusOr<BlockHandle> Parse(absl::string_view* input);
  std::string Encode() const;

  bool operator==(const BlockHandle& other) const {
    return offset == other.offset && size == other.size;
  }
  bool operator!=(const BlockHandle& other) const { return !(*this == other); }
};

// One entry of the metaindex block.
struct MetaBlock {
  std::string name;  // for a filter block, "filter." and its policy's name
  BlockHandle handle;
};

// True if the block and its trailer lie between the start of a file of this size and its footer.
SSTABLE_EXPORT bool FitsInFile(const BlockHandle& handle, uint64_t file_size);

// One entry as stored in a block: its key is the first `shared` bytes of the key before it, then
// key_suffix(). Made of plain numbers, so that it stays in registers where entries are walked.
struct BlockEntry {
  uint32_t shared = 0;
  uint32_t unshared = 0;
  uint32_t value_size = 0;
  const char* suffix = nullptr;

  absl::string_view key_suffix() const { return absl::string_view(suffix, unshared); }
  absl::string_view value() const { return absl::string_view(suffix + unshared, value_size); }

  // The first byte after the entry.
  const char* next() const { return suffix + unshared + value_size; }

  // True if the entry ends at `limit` or before. Its suffix may start past the limit.
  bool EndsBy(const char* limit) const {
    return static_cast<int64_t>(uint64_t{unshared} + value_size) <= limit - suffix;
  }
};

// Decodes the header of the entry at `p` in a block, if its key sizes are below 128 and its value
// size is below 2^14; otherwise returns false. Inline, since every scan needs it. Reads 4 bytes,
// which are there: the block's restart array follows its entries.
inline bool DecodeShortEntryHeader(const char* p, BlockEntry* entry) {
  uint32_t header;
  std::memcpy(&header, p, sizeof(header));
  if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) header = __builtin_bswap32(header);
  entry->shared = header & 0xff;
  entry->unshared = (header >> 8) & 0xff;
  if (ABSL_PREDICT_TRUE((header & 0x808080) == 0)) {
    entry->value_size = (header >> 16) & 0xff;
    entry->suffix = p + 3;
    return true;
  }
  entry->value_size = ((header >> 16) & 0x7f) | (header >> 24) << 7;
  entry->suffix = p + 4;
  return (header & 0x80808080) == 0x800000;  // the value's size takes two bytes
}

// How far ahead of an entry a scan prefetches, in bytes. In a file in memory, that includes the
// next block.
inline constexpr size_t kScanPrefetchDistance = 2048;

// How blocks are compressed. The numbers are those of sstable/c.h, not the type bytes of the file
// format: zstd and zlib share one of those.
enum class Compression : uint8_t {
  kNone = 0,
  kSnappy = 1,
  kZstd = 2,        // type byte 2; readable by LevelDB's main branch, not by releases up to 1.23
  kZlib = 3,        // type byte 2, too; readable by Mojang's fork (Minecraft Bedrock), not LevelDB
  kRawDeflate = 4,  // type byte 4; what Minecraft Bedrock writes
};
inline constexpr Compression kLastCompression = Compression::kRawDeflate;

// The ranges of levels. Level -1 of zlib is its default, 6, which Mojang's fork uses.
inline constexpr int kMinZstdLevel = -5, kMaxZstdLevel = 22;
inline constexpr int kMinZlibLevel = -1, kMaxZlibLevel = 9;

// Programs disagree on type bytes above 1, so their meaning depends on the writer.
enum class CompressionNumbering {
  kLevelDb,  // also Mojang's fork: 2 is zstd or zlib, as the first bytes show; 4 is raw deflate
  kRocksDb,  // 2 is zlib, 4 is LZ4, 7 is zstd; identified by "rocksdb.properties" in the metaindex
};

// The last two can be read, not written.
enum class Codec { kNone, kSnappy, kZstd, kZlib, kRawDeflate, kLz4, kBzip2, kUnknown };

// "none", "snappy", "zstd", "zlib", "raw deflate", "lz4", "bzip2" or "unknown". RocksDB's raw
// deflate (type 2) is "zlib", as RocksDB calls it.
SSTABLE_EXPORT absl::string_view CodecName(Codec codec, CompressionNumbering dialect);

// The last 48 bytes of a file.
struct SSTABLE_EXPORT Footer {
  BlockHandle metaindex;
  BlockHandle index;

  // `bytes` are the last kFooterSize bytes of a file of `file_size` bytes. DataLoss says what is
  // wrong with them, and what they might be instead.
  static absl::StatusOr<Footer> Parse(absl::string_view bytes, uint64_t file_size);
  std::string Encode() const;
};

enum class BlockKind { kData, kFilter, kMeta, kMetaindex, kIndex };

// "data", "filter", "meta", "metaindex" or "index".
SSTABLE_EXPORT absl::string_view BlockKindName(BlockKind kind);

// The kind of a block that the metaindex calls `name`: kFilter or kMeta.
SSTABLE_EXPORT BlockKind MetaBlockKind(absl::string_view name);

// "data block at offset 12 (345 bytes)", for error messages.
SSTABLE_EXPORT std::string DescribeBlock(BlockKind kind, const BlockHandle& handle);

}  // namespace sstable

#endif  // SSTABLE_FORMAT_H_
