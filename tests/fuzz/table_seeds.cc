#include "tests/fuzz/table_seeds.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::fuzz {
namespace {

test::Entries SomeEntries(KeyKind kind) {
  test::Entries entries;
  for (int i = 0; i < 24; ++i) {
    const std::string user_key = absl::StrCat("user key ", 100 + i / 2 * 3);
    const std::string value = absl::StrCat("value ", std::string(static_cast<size_t>(i), 'v'));
    if (kind == KeyKind::kInternal) {
      entries.emplace_back(MakeInternalKey(user_key, static_cast<uint64_t>(100 - i),
                                           i % 5 == 0 ? ValueType::kDeletion : ValueType::kValue),
                           value);
    } else {
      entries.emplace_back(absl::StrCat(user_key, i % 2 == 0 ? "" : "a"), value);
    }
  }
  return entries;
}

// Returns a table with prefix compression in the index, and with more than a filter in the
// metaindex.
std::string OtherWritersTable() {
  test::TableAssembler assembler;
  assembler.AddDataBlock("key 1", {{"key 0", "a"}, {"key 1", "b"}});
  assembler.AddDataBlock("key 2", {{"key 11", "c"}, {"key 2", ""}});
  assembler.AddDataBlock("key 3", {{"key 3", "d"}});
  assembler.AddMetaBlock("rocksdb.properties", "some bytes");
  return assembler.Finish({/*restart_interval=*/16});
}

}  // namespace

std::vector<std::string> TableSeeds() {
  const auto policy = NewBloomFilterPolicy(10);
  std::vector<std::string> seeds = {OtherWritersTable()};
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    for (const Compression compression :
         {Compression::kNone, Compression::kSnappy, Compression::kZstd, Compression::kZlib,
          Compression::kRawDeflate}) {
      TableBuilderOptions options;
      options.key_kind = kind;
      options.compression = compression;
      options.block_size = 200;
      options.block_restart_interval = 3;
      seeds.push_back(ValueOrFail(test::BuildTable(options, SomeEntries(kind))));
      options.filter_policy = policy.get();
      options.filter_base_lg = 8;
      seeds.push_back(ValueOrFail(test::BuildTable(options, SomeEntries(kind))));
    }
  }
  for (const auto& table_policy : {NewBlockedBloomPolicy(10), NewBinaryFusePolicy(FuseBits::k8)}) {
    TableBuilderOptions options;
    options.block_size = 200;
    options.filter_policy = policy.get();
    options.table_filter_policy = table_policy.get();
    seeds.push_back(ValueOrFail(test::BuildTable(options, SomeEntries(KeyKind::kPlain))));
  }
  seeds.push_back(ValueOrFail(test::BuildTable(TableBuilderOptions(), {})));
  return seeds;
}

}  // namespace sstable::fuzz
