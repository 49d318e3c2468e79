#include "table/metaindex.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "filter/table_filter_keys.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_filter.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {

bool IsFilterName(absl::string_view name) {
  return absl::StartsWith(name, kFilterKeyPrefix) || absl::StartsWith(name, "fullfilter.") ||
         absl::StartsWith(name, kPartitionedFilterKeyPrefix);
}

std::string TableFilterName(const TableFilterPolicy& policy,
                            const std::optional<PrefixExtractor>& prefixes) {
  std::string name = absl::StrCat(kTableFilterKeyPrefix, policy.Name());
  if (prefixes.has_value()) absl::StrAppend(&name, "/", prefixes->Name());
  return name;
}

constexpr uint64_t kMaxNames = uint64_t{16} << 20;  // bytes of all meta blocks' names

bool IsRocksDbName(absl::string_view name) { return absl::StartsWith(name, kRocksDbKeyPrefix); }

Metaindex::Metaindex(const RandomAccessFile& file, const BlockHandle& handle,
                     std::optional<uint64_t> max_uncompressed_size) {
  const absl::StatusOr<BlockContents> contents =
      ReadBlock(file, BlockKind::kMetaindex, handle,
                {/*verify_checksum=*/true, max_uncompressed_size, CompressionNumbering::kLevelDb,
                 BlockAccess::kFew});
  status_ = contents.ok() ? Parse(contents->bytes, file.size()) : contents.status();
}

absl::Status Metaindex::Parse(absl::string_view contents, uint64_t file_size) {
  ASSIGN_OR_RETURN(const Block block, Block::Parse(contents));
  const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  BlockBudget blocks(file_size);
  Budget names(kMaxNames);
  BlockIterator entries(&order, block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    absl::string_view value = entries.value();
    const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
    if (!handle.ok()) {
      return AtPlace(absl::StrCat("entry ", ShowBytes(entries.key())), handle.status());
    }
    if (!blocks.Take(*handle)) return blocks.Error();
    if (!names.Take(sizeof(MetaBlock) + entries.key().size())) {
      return absl::DataLossError(absl::StrCat("its names take more than ", kMaxNames, " bytes"));
    }
    blocks_.push_back({std::string(entries.key()), *handle});
    if (IsRocksDbName(entries.key())) dialect_ = CompressionNumbering::kRocksDb;
  }
  return entries.status();
}

const MetaBlock* Metaindex::Find(absl::string_view name) const {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [name](const MetaBlock& block) { return block.name == name; });
  return found == blocks_.end() ? nullptr : &*found;
}

Metaindex::Filter Metaindex::FindFilter(absl::Span<const FilterPolicy* const> user_policies) const {
  Filter found;
  found.status = status_.ok() ? absl::NotFoundError("the table has no filter block") : status_;
  for (const MetaBlock& block : blocks_) {
    absl::string_view name = block.name;
    if (absl::StartsWith(name, kTableFilterKeyPrefix)) continue;
    if (!absl::ConsumePrefix(&name, kFilterKeyPrefix)) {
      if (IsFilterName(name)) {
        found.status = absl::UnimplementedError(
            absl::StrCat(ShowBytes(name), " is one of RocksDB's filters that are not read"));
      }
      continue;
    }
    const FilterPolicy* const policy = FindFilterPolicy(name, user_policies);
    if (policy != nullptr) return {&block, name, policy, absl::OkStatus()};
    found.status =
        absl::UnimplementedError(absl::StrCat("filter policy ", ShowBytes(name), " is not known"));
    if (found.block == nullptr) {
      found.block = &block;
      found.policy_name = name;
    }
  }
  return found;
}

Metaindex::TableFilter Metaindex::FindTableFilter(
    absl::Span<const TableFilterPolicy* const> user_policies) const {
  TableFilter found;
  found.status = absl::NotFoundError("the table has no filter for the whole table");
  for (const MetaBlock& block : blocks_) {
    absl::string_view name = block.name;
    if (!absl::ConsumePrefix(&name, kTableFilterKeyPrefix)) continue;
    if (const absl::Status status = CheckHasTableFilterHash(); !status.ok()) {
      return {&block, name, nullptr, std::nullopt, status};
    }
    const TableFilterPolicy* policy = FindTableFilterPolicy(name, user_policies);
    if (policy != nullptr) return {&block, name, policy, std::nullopt, absl::OkStatus()};
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(name, absl::MaxSplits('/', 1));
    const std::optional<PrefixExtractor> prefixes = PrefixExtractor::Parse(parts.second);
    policy = FindTableFilterPolicy(parts.first, user_policies);
    if (policy != nullptr && prefixes.has_value()) {
      return {&block, parts.first, policy, prefixes, absl::OkStatus()};
    }
    if (found.block != nullptr) continue;
    found.block = &block;
    found.policy_name = name;
    found.status = absl::UnimplementedError(
        absl::StrCat("table filter policy ", ShowBytes(name), " is not known"));
  }
  return found;
}

}  // namespace sstable
