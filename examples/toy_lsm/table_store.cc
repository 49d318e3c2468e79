#include "examples/toy_lsm/table_store.h"

#include <unistd.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/database_files.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_builder.h"
#include "util/status_util.h"

namespace toy_lsm {

Table::~Table() {
  if (is_obsolete) ::unlink(reader->file().name().c_str());
}

TableStore::TableStore(const Options& options, std::string folder)
    : folder_(std::move(folder)),
      filter_policy_(sstable::NewBloomFilterPolicy(options.bloom_bits_per_key)),
      table_filter_policy_(sstable::NewBlockedBloomPolicy(options.bloom_bits_per_key)) {
  builder_options_.key_kind = sstable::KeyKind::kInternal;
  builder_options_.block_size = options.block_size;
  builder_options_.compression = options.compression;
  if (options.bloom_bits_per_key > 0) builder_options_.filter_policy = filter_policy_.get();
  if (options.bloom_bits_per_key > 0 && options.prefixes.has_value()) {
    builder_options_.table_filter_policy = table_filter_policy_.get();
    builder_options_.table_filter_prefixes = options.prefixes;
  }

  reader_options_.key_kind = sstable::KeyKind::kInternal;
  reader_options_.use_filter = options.bloom_bits_per_key > 0;
  reader_options_.block_cache = options.block_cache;
}

absl::StatusOr<TablePtr> TableStore::Open(sstable::TableFile file) const {
  const auto table = std::make_shared<Table>();
  table->file = std::move(file);
  table->smallest = sstable::ExtractUserKey(table->file.smallest);
  table->largest = sstable::ExtractUserKey(table->file.largest);
  const std::string path = Path(sstable::TableFileName(table->file.number));
  ASSIGN_OR_RETURN(table->reader, sstable::TableReader::Open(path, reader_options_));
  const uint64_t size = table->reader->file().size();
  if (size == table->size()) return table;
  return absl::DataLossError(
      absl::StrCat(path, ": has ", size, " bytes, the manifest says ", table->size()));
}

absl::StatusOr<std::vector<TablePtr>> TableStore::Write(sstable::Iterator* entries,
                                                        uint64_t max_size, Keep keep) {
  std::vector<TablePtr> tables;
  std::unique_ptr<sstable::TableBuilder> builder;
  sstable::TableFile file;
  const auto finish = [&]() -> absl::Status {
    RETURN_IF_ERROR(builder->Finish());
    file.size = builder->FileSize();
    builder.reset();
    ASSIGN_OR_RETURN(tables.emplace_back(), Open(file));
    return absl::OkStatus();
  };
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    const absl::string_view user_key = sstable::ExtractUserKey(entries->key());
    ASSIGN_OR_RETURN(const bool is_kept, keep(entries->key()));
    if (!is_kept) continue;
    if (builder != nullptr && builder->FileSize() >= max_size &&
        user_key != sstable::ExtractUserKey(file.largest)) {
      RETURN_IF_ERROR(finish());
    }
    if (builder == nullptr) {
      file.number = TakeFileNumber();
      ASSIGN_OR_RETURN(builder, sstable::TableBuilder::Create(
                                    Path(sstable::TableFileName(file.number)), builder_options_));
      file.smallest = std::string(entries->key());
    }
    file.largest.assign(entries->key().data(), entries->key().size());
    RETURN_IF_ERROR(builder->Add(entries->key(), entries->value()));
  }
  RETURN_IF_ERROR(entries->status());
  if (builder != nullptr) RETURN_IF_ERROR(finish());
  return tables;
}

}  // namespace toy_lsm
