#include "examples/toy_lsm/table_store.h"

#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/bloom_filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_builder.h"
#include "util/status_util.h"

namespace toy_lsm {

Table::~Table() {
  if (is_obsolete) ::unlink(reader->file().name().c_str());
}

TableStore::TableStore(const Options& options, std::string folder)
    : folder_(std::move(folder)),
      filter_policy_(sstable::NewBloomFilterPolicy(options.bloom_bits_per_key)) {
  builder_options_.key_kind = sstable::KeyKind::kInternal;
  builder_options_.block_size = options.block_size;
  builder_options_.compression = options.compression;
  if (options.bloom_bits_per_key > 0) builder_options_.filter_policy = filter_policy_.get();

  reader_options_.key_kind = sstable::KeyKind::kInternal;
  reader_options_.use_filter = options.bloom_bits_per_key > 0;
  reader_options_.block_cache = options.block_cache;
}

std::string TableStore::Path(uint64_t number, absl::string_view suffix) const {
  return absl::StrCat(folder_, "/", absl::Dec(number, absl::kZeroPad6), suffix);
}

absl::StatusOr<TablePtr> TableStore::Open(uint64_t number, absl::string_view smallest,
                                          absl::string_view largest) const {
  const auto table = std::make_shared<Table>();
  table->number = number;
  table->smallest = std::string(smallest);
  table->largest = std::string(largest);
  ASSIGN_OR_RETURN(table->reader,
                   sstable::TableReader::Open(reader_options_, Path(number, ".ldb")));
  return table;
}

absl::StatusOr<std::vector<TablePtr>> TableStore::Write(sstable::Iterator* entries,
                                                        uint64_t max_size, Keep keep) {
  std::vector<TablePtr> tables;
  std::unique_ptr<sstable::TableBuilder> builder;
  uint64_t number = 0;
  std::string smallest, largest;
  const auto finish = [&]() -> absl::Status {
    RETURN_IF_ERROR(builder->Finish());
    builder.reset();
    ASSIGN_OR_RETURN(tables.emplace_back(), Open(number, smallest, largest));
    return absl::OkStatus();
  };
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const absl::string_view user_key = sstable::ExtractUserKey(entries->key());
    ASSIGN_OR_RETURN(const bool is_kept, keep(entries->key()));
    if (!is_kept) continue;
    if (builder != nullptr && builder->FileSize() >= max_size && user_key != largest) {
      RETURN_IF_ERROR(finish());
    }
    if (builder == nullptr) {
      number = TakeFileNumber();
      ASSIGN_OR_RETURN(builder,
                       sstable::TableBuilder::Create(builder_options_, Path(number, ".ldb")));
      smallest = std::string(user_key);
    }
    largest.assign(user_key.data(), user_key.size());
    RETURN_IF_ERROR(builder->Add(entries->key(), entries->value()));
  }
  RETURN_IF_ERROR(entries->status());
  if (builder != nullptr) RETURN_IF_ERROR(finish());
  return tables;
}

}  // namespace toy_lsm
