// The metaindex block, and what its names mean: which filter lookups use or why they use none, and
// which numbering the type bytes of blocks follow.
#ifndef SSTABLE_TABLE_METAINDEX_H_
#define SSTABLE_TABLE_METAINDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"

namespace sstable {

// RocksDB's partitioned filter. The block with this name has the handles of its parts.
inline constexpr char kPartitionedFilterKeyPrefix[] = "partitionedfilter.";

// True if a program known to write such tables gives this name to a filter, including RocksDB's
// filters, which this library can't read.
bool IsFilterName(absl::string_view name);

// Returns the name of a filter for the whole table, which may also contain `prefixes` of keys.
std::string TableFilterName(const TableFilterPolicy& policy,
                            const std::optional<PrefixExtractor>& prefixes);

// True if only RocksDB gives this name to a meta block other than a filter.
bool IsRocksDbName(absl::string_view name);

// Threads: immutable, so const methods may run concurrently.
class Metaindex {
 public:
  Metaindex() = default;

  // Reads the block at `handle`. DataLoss also for a block with more entries or longer names than
  // the file can have (table/block/limits.h). The entries before a malformed one are kept.
  Metaindex(const RandomAccessFile& file, const BlockHandle& handle,
            std::optional<uint64_t> max_uncompressed_size);

  // OK if all entries were read; otherwise the reason why not. Does not name file and block.
  const absl::Status& status() const { return status_; }

  const std::vector<MetaBlock>& blocks() const { return blocks_; }

  // Returns null if no block has this name. Lives as long as the metaindex.
  const MetaBlock* Find(absl::string_view name) const;

  CompressionNumbering dialect() const { return dialect_; }

  // The first filter with a known policy or, failing that, the first filter.
  struct Filter {
    const MetaBlock* block = nullptr;      // null: no filter is named
    absl::string_view policy_name;         // policy of that block
    const FilterPolicy* policy = nullptr;  // null: lookups can't use a filter
    // The reason why they can't: NotFound, Unimplemented for an unknown policy, or status() of the
    // metaindex.
    absl::Status status;
  };
  // `user_policies` take precedence over built-in ones of the same name. Views are valid as long as
  // the metaindex; FindFilterPolicy() says how long the policy lives.
  Filter FindFilter(absl::Span<const FilterPolicy* const> user_policies) const;

  // The first filter for the whole table, chosen in the same way.
  struct TableFilter {
    const MetaBlock* block = nullptr;
    absl::string_view policy_name;  // without the prefixes, if those are known
    const TableFilterPolicy* policy = nullptr;
    std::optional<PrefixExtractor> prefixes;  // the key prefixes that are in the filter, too
    absl::Status status;
  };
  TableFilter FindTableFilter(absl::Span<const TableFilterPolicy* const> user_policies) const;

 private:
  absl::Status Parse(absl::string_view contents, uint64_t file_size);

  absl::Status status_;
  std::vector<MetaBlock> blocks_;
  CompressionNumbering dialect_ = CompressionNumbering::kLevelDb;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_METAINDEX_H_
