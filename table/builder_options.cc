#include "table/builder_options.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "filter/table_filter_keys.h"
#include "sstable/filter_block.h"
#include "sstable/format.h"
#include "table/block/compression.h"
#include "util/status_util.h"

namespace sstable {

absl::Status CheckBuilderOptions(const TableBuilderOptions& options) {
  const auto out_of_range = [](absl::string_view option, auto value, absl::string_view range) {
    return absl::InvalidArgumentError(
        absl::StrCat("table option ", option, " is ", value, ", expected ", range));
  };
  if (options.comparator == nullptr) {
    return absl::InvalidArgumentError("table option comparator is null");
  }
  if (options.block_size < 1 || options.block_size > std::numeric_limits<uint32_t>::max() / 2) {
    return out_of_range("block_size", options.block_size, "1 to 2147483647");
  }
  if (options.block_restart_interval < 1) {
    return out_of_range("block_restart_interval", options.block_restart_interval, "at least 1");
  }
  if (options.compression > kLastCompression) {
    return out_of_range("compression", static_cast<int>(options.compression),
                        absl::StrCat("0 to ", static_cast<int>(kLastCompression)));
  }
  RETURN_IF_ERROR(CheckIsBuilt(options.compression));
  if (options.zstd_level < kMinZstdLevel || options.zstd_level > kMaxZstdLevel) {
    return out_of_range("zstd_level", options.zstd_level,
                        absl::StrCat(kMinZstdLevel, " to ", kMaxZstdLevel));
  }
  if (options.zlib_level < kMinZlibLevel || options.zlib_level > kMaxZlibLevel) {
    return out_of_range("zlib_level", options.zlib_level,
                        absl::StrCat(kMinZlibLevel, " to ", kMaxZlibLevel));
  }
  if (options.compression_threads < 1 || options.compression_threads > 64) {
    return out_of_range("compression_threads", options.compression_threads, "1 to 64");
  }
  if (options.table_filter_policy != nullptr) RETURN_IF_ERROR(CheckHasTableFilterHash());
  if (options.table_filter_prefixes.has_value() && options.table_filter_policy == nullptr) {
    return absl::InvalidArgumentError(
        "table option table_filter_prefixes is set, but table_filter_policy is null");
  }
  if (options.filter_base_lg != kAutoFilterBaseLg &&
      (options.filter_base_lg < 0 || options.filter_base_lg > kMaxFilterBaseLg)) {
    return out_of_range(
        "filter_base_lg", options.filter_base_lg,
        absl::StrCat("0 to ", kMaxFilterBaseLg, ", or ", kAutoFilterBaseLg, " for auto"));
  }
  const bool has_policy = options.filter_policy != nullptr;
  return CheckNotWrapped(options.key_kind, options.comparator,
                         absl::MakeConstSpan(&options.filter_policy, has_policy ? 1 : 0));
}

absl::Status CheckNotWrapped(KeyKind kind, const Comparator* comparator,
                             absl::Span<const FilterPolicy* const> policies) {
  if (comparator != nullptr && comparator->Name() == "leveldb.InternalKeyComparator") {
    return absl::InvalidArgumentError(
        "the comparator already orders internal keys: pass the comparator of user keys, to which "
        "key_kind internal adds the order of tags");
  }
  if (kind == KeyKind::kPlain) return absl::OkStatus();
  for (const FilterPolicy* const policy : policies) {
    if (dynamic_cast<const InternalFilterPolicy*>(policy) == nullptr) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("filter policy \"", policy->Name(),
                     "\" is an InternalFilterPolicy already, and key_kind is "
                     "internal: pass the policy of user keys, which the table wraps itself"));
  }
  return absl::OkStatus();
}

}  // namespace sstable
