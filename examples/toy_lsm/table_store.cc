#include "examples/toy_lsm/table_store.h"

#include <unistd.h>

#include "examples/toy_lsm/files.h"
#include "filter/bloom_filter_policy.h"
#include "table/key_order.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace toy_lsm {

Table::~Table() {
  if (is_obsolete_) ::unlink(reader_->file().name().c_str());
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

absl::StatusOr<TablePtr> TableStore::Open(TableInfo info) const {
  const std::string path = TablePath(folder_, info.number);
  ASSIGN_OR_RETURN(auto reader, sstable::TableReader::Open(reader_options_, path));
  return std::make_shared<Table>(std::move(info), std::move(reader));
}

absl::StatusOr<std::unique_ptr<TableStore::Writer>> TableStore::NewWriter() {
  auto writer = std::make_unique<Writer>();
  writer->store_ = this;
  writer->info_.number = TakeFileNumber();
  const std::string path = TablePath(folder_, writer->info_.number);
  ASSIGN_OR_RETURN(writer->builder_, sstable::TableBuilder::Create(builder_options_, path));
  return writer;
}

absl::StatusOr<TablePtr> TableStore::Write(sstable::Iterator* it) {
  ASSIGN_OR_RETURN(const auto writer, NewWriter());
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    RETURN_IF_ERROR(writer->Add(it->key(), it->value()));
  }
  RETURN_IF_ERROR(it->status());
  return writer->Finish();
}

absl::Status TableStore::Writer::Add(absl::string_view internal_key, absl::string_view value) {
  const absl::string_view user_key = sstable::ExtractUserKey(internal_key);
  if (builder_->NumEntries() == 0) info_.smallest = std::string(user_key);
  info_.largest.assign(user_key.data(), user_key.size());
  return builder_->Add(internal_key, value);
}

absl::StatusOr<TablePtr> TableStore::Writer::Finish() {
  RETURN_IF_ERROR(builder_->Finish());
  info_.file_size = builder_->FileSize();
  return store_->Open(std::move(info_));
}

}  // namespace toy_lsm
