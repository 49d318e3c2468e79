#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/block/key_order.h"
#include "util/descriptor.h"
#include "util/status_util.h"

// Numbers are stored as received from C, and checked later.
struct sstable_builder_options {
  sstable::TableBuilderOptions options;
  int key_kind = SSTABLE_PLAIN_KEYS;
  int compression = SSTABLE_SNAPPY;
  int bloom_bits_per_key = 0;
  std::optional<int> level;
  double bloom_rate = 0;  // 0: use bits per key
  int table_filter = SSTABLE_NO_TABLE_FILTER;
  int table_filter_bits_per_key = 0;
  bool replace = true;
};

struct sstable_builder {
  // `builder` borrows both policies.
  std::unique_ptr<const sstable::FilterPolicy> filter_policy;
  std::unique_ptr<const sstable::TableFilterPolicy> table_filter_policy;
  std::unique_ptr<sstable::TableBuilder> builder;
  absl::Status first_error;  // may come from an entry that never reached the builder
};

namespace sstable {
namespace {

static_assert(SSTABLE_PLAIN_KEYS == static_cast<int>(KeyKind::kPlain));
static_assert(SSTABLE_INTERNAL_KEYS == static_cast<int>(KeyKind::kInternal));
static_assert(SSTABLE_NO_COMPRESSION == static_cast<int>(Compression::kNone));
static_assert(SSTABLE_SNAPPY == static_cast<int>(Compression::kSnappy));
static_assert(SSTABLE_ZSTD == static_cast<int>(Compression::kZstd));
static_assert(SSTABLE_ZLIB == static_cast<int>(Compression::kZlib));
static_assert(SSTABLE_RAW_DEFLATE == static_cast<int>(Compression::kRawDeflate));

// Creates the policy that the options ask for; null if none.
absl::StatusOr<std::unique_ptr<const FilterPolicy>> MakeFilterPolicy(
    const sstable_builder_options& from) {
  if (from.bloom_rate != 0) {
    if (from.bloom_rate >= kMinBloomRate && from.bloom_rate <= kMaxBloomRate) {
      return NewBloomFilterPolicyForRate(from.bloom_rate);
    }
    return absl::InvalidArgumentError(absl::StrCat("bloom rate is ", from.bloom_rate, ", expected ",
                                                   kMinBloomRate, " to ", kMaxBloomRate));
  }
  if (from.bloom_bits_per_key < 0 || from.bloom_bits_per_key > kMaxBloomBitsPerKey) {
    return absl::InvalidArgumentError(absl::StrCat("bloom bits per key is ",
                                                   from.bloom_bits_per_key, ", expected 0 to ",
                                                   kMaxBloomBitsPerKey));
  }
  if (from.bloom_bits_per_key == 0) return nullptr;
  return NewBloomFilterPolicy(from.bloom_bits_per_key);
}

// Creates the filter policy for whole tables that the options ask for; null if none.
absl::StatusOr<std::unique_ptr<const TableFilterPolicy>> MakeTableFilterPolicy(
    const sstable_builder_options& from) {
  switch (from.table_filter) {
    case SSTABLE_NO_TABLE_FILTER:
      return nullptr;
    case SSTABLE_BLOCKED_BLOOM: {
      const int bits = from.table_filter_bits_per_key;
      if (bits >= 1 && bits <= kMaxBlockedBloomBitsPerKey) return NewBlockedBloomPolicy(bits);
      return absl::InvalidArgumentError(absl::StrCat("bits per key of the table's filter is ", bits,
                                                     ", expected 1 to ",
                                                     kMaxBlockedBloomBitsPerKey));
    }
    case SSTABLE_FUSE8:
      return NewBinaryFusePolicy(FuseBits::k8);
    case SSTABLE_FUSE16:
      return NewBinaryFusePolicy(FuseBits::k16);
    default:
      return absl::InvalidArgumentError(absl::StrCat("table filter is ", from.table_filter,
                                                     ", expected 0 to ", int{SSTABLE_FUSE16}));
  }
}

absl::StatusOr<std::unique_ptr<sstable_builder>> CreateBuilder(const sstable_builder_options& from,
                                                               const char* path) {
  RETURN_IF_ERROR(NotNull(path, "path"));
  if (!from.replace) RETURN_IF_ERROR(CheckAbsentOrEmpty(path));
  TableBuilderOptions options = from.options;
  ASSIGN_OR_RETURN(options.key_kind, ToEnum(from.key_kind, KeyKind::kInternal, "key kind"));
  ASSIGN_OR_RETURN(options.compression, ToEnum(from.compression, kLastCompression, "compression"));
  if (from.level.has_value()) {
    (options.compression == Compression::kZstd ? options.zstd_level : options.zlib_level) =
        *from.level;
  }
  auto builder = std::make_unique<sstable_builder>();
  ASSIGN_OR_RETURN(builder->filter_policy, MakeFilterPolicy(from));
  ASSIGN_OR_RETURN(builder->table_filter_policy, MakeTableFilterPolicy(from));
  options.filter_policy = builder->filter_policy.get();
  options.table_filter_policy = builder->table_filter_policy.get();
  ASSIGN_OR_RETURN(builder->builder, TableBuilder::Create(path, options));
  return builder;
}

// Adds entries by calling `add_to` with the builder. Keeps the first error, which abandons the
// table.
template <typename Function>
sstable_code Add(sstable_builder* builder, char** message, Function add_to) {
  const sstable_code code = Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(builder, "builder"));
    builder->first_error.Update(add_to(builder->builder.get()));
    return builder->first_error;
  });
  if (code != SSTABLE_OK) sstable_builder_abandon(builder);
  return code;
}

}  // namespace
}  // namespace sstable

using sstable::Add;
using sstable::Bytes;
using sstable::CreateBuilder;
using sstable::Give;
using sstable::Guard;
using sstable::ItemsOfC;
using sstable::NewOrNull;
using sstable::NotNull;

sstable_builder_options* sstable_builder_options_create(void) {
  return NewOrNull<sstable_builder_options>();
}

void sstable_builder_options_destroy(sstable_builder_options* options) { delete options; }

void sstable_builder_options_set_key_kind(sstable_builder_options* options, int key_kind) {
  options->key_kind = key_kind;
}

void sstable_builder_options_set_block_size(sstable_builder_options* options, size_t block_size) {
  options->options.block_size = block_size;
}

void sstable_builder_options_set_restart_interval(sstable_builder_options* options,
                                                  int restart_interval) {
  options->options.block_restart_interval = restart_interval;
}

void sstable_builder_options_set_compression(sstable_builder_options* options, int compression) {
  options->compression = compression;
}

void sstable_builder_options_set_bloom_bits_per_key(sstable_builder_options* options,
                                                    int bits_per_key) {
  options->bloom_bits_per_key = bits_per_key;
}

void sstable_builder_options_set_bloom_rate(sstable_builder_options* options, double rate) {
  options->bloom_rate = rate;
}

void sstable_builder_options_set_table_filter(sstable_builder_options* options, int table_filter,
                                              int bits_per_key) {
  options->table_filter = table_filter;
  options->table_filter_bits_per_key = bits_per_key;
}

void sstable_builder_options_set_compression_level(sstable_builder_options* options, int level) {
  options->level = level;
}

void sstable_builder_options_set_compression_threads(sstable_builder_options* options,
                                                     int threads) {
  options->options.compression_threads = threads;
}

void sstable_builder_options_set_sync(sstable_builder_options* options, int sync) {
  options->options.sync = sync != 0;
}

void sstable_builder_options_set_replace(sstable_builder_options* options, int replace) {
  options->replace = replace != 0;
}

sstable_code sstable_builder_create(const sstable_builder_options* options, const char* path,
                                    sstable_builder** builder, char** message) {
  if (builder != nullptr) *builder = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(builder, "builder"));
    return Give(CreateBuilder(options == nullptr ? sstable_builder_options() : *options, path),
                builder);
  });
}

void sstable_builder_destroy(sstable_builder* builder) { delete builder; }

sstable_code sstable_builder_add(sstable_builder* builder, const void* key, size_t key_size,
                                 const void* value, size_t value_size, char** message) {
  return Add(builder, message, [&](sstable::TableBuilder* to) -> absl::Status {
    ASSIGN_OR_RETURN(const absl::string_view key_bytes, Bytes(key, key_size, "key"));
    ASSIGN_OR_RETURN(const absl::string_view value_bytes, Bytes(value, value_size, "value"));
    return to->Add(key_bytes, value_bytes);
  });
}

sstable_code sstable_builder_add_many(sstable_builder* builder, size_t count, const void* keys,
                                      const size_t* key_sizes, const void* values,
                                      const size_t* value_sizes, char** message) {
  return Add(builder, message, [&](sstable::TableBuilder* to) -> absl::Status {
    ASSIGN_OR_RETURN(ItemsOfC key_items, ItemsOfC::Make(count, keys, key_sizes, "key"));
    ASSIGN_OR_RETURN(ItemsOfC value_items, ItemsOfC::Make(count, values, value_sizes, "value"));
    for (size_t i = 0; i < count; ++i) {
      const absl::string_view key = key_items.Next();
      RETURN_IF_ERROR(to->Add(key, value_items.Next()));
    }
    return absl::OkStatus();
  });
}

sstable_code sstable_builder_finish(sstable_builder* builder, char** message) {
  const sstable_code code = Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(builder, "builder"));
    RETURN_IF_ERROR(builder->first_error);
    return builder->builder->Finish();
  });
  if (code != SSTABLE_OK) sstable_builder_abandon(builder);
  return code;
}

void sstable_builder_abandon(sstable_builder* builder) {
  if (builder != nullptr) builder->builder->Abandon();
}

uint64_t sstable_builder_entry_count(const sstable_builder* builder) {
  return builder->builder->NumEntries();
}

uint64_t sstable_builder_file_size(const sstable_builder* builder) {
  return builder->builder->FileSize();
}
