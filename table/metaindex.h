// The metaindex block, and what its names say of the table: which filter lookups use and why they
// use none, and whose type bytes its blocks have.
#ifndef SSTABLE_TABLE_METAINDEX_H_
#define SSTABLE_TABLE_METAINDEX_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/table_reader.h"

namespace sstable {

// RocksDB's filter in several blocks, whose handles are in the block of this name.
inline constexpr char kPartitionedFilterKeyPrefix[] = "partitionedfilter.";

// Whether a program that is known to write such tables gives this name to a filter, be it one of
// RocksDB's that this library can't read.
bool IsFilterName(absl::string_view name);

// The name of a filter for the whole table; `prefixes` of keys are in it, too.
std::string TableFilterName(const TableFilterPolicy& policy,
                            const std::optional<PrefixExtractor>& prefixes);

// Whether only RocksDB gives this name to a meta block, apart from its filters.
bool IsRocksDbName(absl::string_view name);

// Threads: immutable, so const methods may run concurrently.
class Metaindex {
 public:
  Metaindex() = default;

  // Reads the block at `handle`. DataLoss also for one that names more blocks or has larger names
  // than suit the file (table/block/limits.h). The entries before a malformed one are kept.
  Metaindex(const RandomAccessFile& file, const BlockHandle& handle,
            std::optional<uint64_t> max_uncompressed_size);

  // Why these are not all entries; OK if they are. Does not name file and block.
  const absl::Status& status() const { return status_; }

  const std::vector<MetaBlock>& blocks() const { return blocks_; }

  // Null if no block has this name. Lives as long as the metaindex.
  const MetaBlock* Find(absl::string_view name) const;

  TypeByteDialect dialect() const { return dialect_; }

  // The first filter whose policy is known, or else the first one.
  struct Filter {
    const MetaBlock* block = nullptr;      // null: there is none that has a policy
    absl::string_view policy_name;         // of that block
    const FilterPolicy* policy = nullptr;  // null: lookups can't use a filter
    // Why they can't: NotFound, Unimplemented for an unknown policy, or status() of the metaindex.
    absl::Status status;
  };
  // `user_policies` are preferred to the built-in ones of the same name. Views are valid as long as
  // the metaindex; the policy lives as FindFilterPolicy() says.
  Filter FindFilter(absl::Span<const FilterPolicy* const> user_policies) const;

  // The same of a filter for the whole table.
  struct TableFilter {
    const MetaBlock* block = nullptr;
    absl::string_view policy_name;  // without the prefixes, if these are known
    const TableFilterPolicy* policy = nullptr;
    std::optional<PrefixExtractor> prefixes;  // of keys, that are in the filter, too
    absl::Status status;
  };
  TableFilter FindTableFilter(absl::Span<const TableFilterPolicy* const> user_policies) const;

 private:
  absl::Status Parse(absl::string_view contents, uint64_t file_size);

  absl::Status status_;
  std::vector<MetaBlock> blocks_;
  TypeByteDialect dialect_ = TypeByteDialect::kLevelDb;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_METAINDEX_H_
