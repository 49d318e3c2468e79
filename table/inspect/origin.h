// Names the programs that may have written a table. A table does not name its writer, but programs
// differ in what they compress, in their filters, and in details that readers ignore.
#ifndef SSTABLE_TABLE_INSPECT_ORIGIN_H_
#define SSTABLE_TABLE_INSPECT_ORIGIN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/format.h"

namespace sstable {

// The evidence for a table's writer. Only NameWriters() knows the traits of each writer.
struct WriterEvidence {
  CompressionNumbering dialect = CompressionNumbering::kLevelDb;

  // Counts over data, index and metaindex blocks.
  uint64_t blocks = 0;
  uint64_t raw_blocks = 0;
  uint64_t snappy_blocks = 0;
  uint64_t zstd_blocks = 0;
  uint64_t zlib_blocks = 0;
  uint64_t deflate_blocks = 0;
  uint64_t lz4_or_bzip2_blocks = 0;  // only RocksDB writes them
  uint64_t unknown_blocks = 0;
  uint64_t compressed_without_gain = 0;  // compressed, though that saves at most an eighth
  uint8_t deflate_type = 0;              // the type byte of one of the deflate blocks

  bool metaindex_without_restart = false;  // iq80 writes none in a metaindex without entries
  bool index_shares_prefixes = false;      // the index block's restart interval is above 1
  bool has_empty_data_block = false;
  bool is_tensorflow = false;  // the first entry is IsTensorFlowHeader()

  // The filter block: its policy's name, nullopt if there is none; its base lg, if it is in use;
  // and FilterHashEvidence::Verdict(), if that was requested.
  std::optional<std::string> filter_policy;
  std::optional<int> filter_base_lg;
  std::string filter_hash;
  bool has_table_filter = false;

  void AddBlock(uint8_t type, Codec codec, uint64_t stored_size, uint64_t raw_size);
};

// Returns true for the first entry in the index of a TensorFlow checkpoint: an empty key, and a
// BundleHeaderProto.
bool IsTensorFlowHeader(absl::string_view key, absl::string_view value);

Origin NameWriters(const WriterEvidence& evidence);

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_ORIGIN_H_
