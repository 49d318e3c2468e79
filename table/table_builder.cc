#include "sstable/table_builder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/str_cat.h"
#include "filter/table_filter_keys.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "table/block/block_builder.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block_pipeline.h"
#include "table/builder_options.h"
#include "table/key_sequence.h"
#include "table/metaindex.h"
#include "util/bytes.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kWriteSize = 64 * 1024;  // bytes gathered for one write
constexpr uint64_t kMaxBlockSize = std::numeric_limits<uint32_t>::max();  // offsets have 32 bits

}  // namespace

class TableBuilder::Impl final : public TableBuilder {
 public:
  Impl(const TableBuilderOptions& options, std::unique_ptr<WritableFile> file);

  static Impl& Of(TableBuilder& builder) { return static_cast<Impl&>(builder); }
  static const Impl& Of(const TableBuilder& builder) { return static_cast<const Impl&>(builder); }

  absl::Status CheckWritable() const;
  absl::Status Fail(absl::Status status);
  // Runs a step. If it throws, the exception also becomes the builder's error: the state after the
  // step is not known.
  template <typename Step>
  auto FailIfThrown(Step step) -> decltype(step());

  absl::Status AddSlow(absl::string_view key, absl::string_view value);
  absl::Status AddChecked(absl::string_view key, absl::string_view value);
  absl::Status CheckEntry(absl::string_view key, absl::string_view value) const;
  void AddToTableFilter(absl::string_view key);
  void AddToFilters(absl::string_view key) {
    if (filter_block_.has_value()) filter_block_->AddKey(key);
    if (ABSL_PREDICT_FALSE(table_filter_keys_.has_value())) AddToTableFilter(key);
  }
  absl::Status StartDataBlock(absl::string_view first_key);
  absl::Status EndDataBlock();
  absl::Status AddNamedBlock(absl::string_view name, absl::string_view contents);
  absl::Status EndIndexEntry(std::optional<absl::string_view> next_key);
  absl::Status DrainSealedBlocks(BlockPipeline::Wait wait);
  absl::Status AddIndexEntry(absl::string_view separator, const BlockHandle& handle);

  absl::Status FinishTable();
  absl::Status FinishFilters(std::map<std::string, absl::string_view>* meta_blocks);
  absl::Status WriteRest();
  BlockHandle EndBlock(size_t start, BlockCompressor* compressor);
  BlockHandle AppendBlock(absl::string_view raw, BlockCompressor* compressor);
  absl::Status WriteOut();

  const TableBuilderOptions options_;
  std::unique_ptr<WritableFile> file_;  // null once closed or abandoned
  absl::Status status_;

  // Bytes not yet written: finished blocks, followed by the data block that is being encoded,
  // unless there is a pipeline. The first byte is at file_offset_ in the table.
  ByteBuffer out_;
  uint64_t file_offset_ = 0;
  uint64_t ended_size_ = 0;
  BlockCompressor compressor_;

  BlockBuilder data_block_;
  bool in_data_block_ = false;  // the current data block has an entry
  KeySequence keys_;

  std::optional<InternalFilterPolicy> internal_filter_policy_;
  std::optional<FilterBlockBuilder> filter_block_;
  std::optional<TableFilterKeys> table_filter_keys_;
  std::string table_filter_;  // set by FinishFilters()

  ByteBuffer index_buffer_;
  BlockBuilder index_block_;
  std::map<std::string, std::string> meta_blocks_;  // name to contents, without filters

  // The index entry of a data block waits for the next block's first key, so that it can be a short
  // key between the two.
  bool index_entry_due_ = false;
  BlockHandle ended_handle_;  // handle of that block; unused with a pipeline
  std::string separator_;

  // Null if the caller's thread compresses alone, in place.
  std::unique_ptr<BlockPipeline> pipeline_;
};

absl::StatusOr<std::unique_ptr<TableBuilder>> TableBuilder::Create(
    Slice path, const TableBuilderOptions& options) {
  RETURN_IF_ERROR(AtPlace(path, CheckBuilderOptions(options)));
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateFileAtomically(path));
  return Create(std::move(file), options);
}

absl::StatusOr<std::unique_ptr<TableBuilder>> TableBuilder::Create(
    std::unique_ptr<WritableFile> file, const TableBuilderOptions& options) {
  if (file == nullptr) return absl::InvalidArgumentError("the file to build a table in is null");
  RETURN_IF_ERROR(AtPlace(file->name(), CheckBuilderOptions(options)));
  return std::make_unique<Impl>(options, std::move(file));
}

TableBuilder::Impl::Impl(const TableBuilderOptions& options, std::unique_ptr<WritableFile> file)
    : options_(options),
      file_(std::move(file)),
      compressor_(options.compression,
                  CompressionLevel(options.compression, options.zstd_level, options.zlib_level)),
      data_block_(options.block_restart_interval),
      keys_(options_),
      index_block_(/*restart_interval=*/1) {
  out_.Reserve(kWriteSize + std::min(options_.block_size, kWriteSize));
  index_block_.Start(&index_buffer_);
  if (options_.filter_policy != nullptr) {
    const FilterPolicy* const policy =
        options_.key_kind == KeyKind::kInternal
            ? &internal_filter_policy_.emplace(options_.filter_policy)
            : options_.filter_policy;
    filter_block_.emplace(policy, options_.filter_base_lg);
    filter_block_->StartBlock(0);
  }
  if (options_.table_filter_policy != nullptr) {
    table_filter_keys_.emplace(options_.table_filter_policy, options_.table_filter_prefixes);
  }
  if (options_.compression_threads > 1 && options_.compression != Compression::kNone) {
    pipeline_ = std::make_unique<BlockPipeline>(options_.compression_threads, &compressor_);
  }
}

TableBuilder::~TableBuilder() = default;

absl::Status TableBuilder::Impl::Fail(absl::Status status) {
  status_ = std::move(status);
  Abandon();
  return status_;
}

void TableBuilder::Abandon() {
  Impl& self = Impl::Of(*this);
  self.file_.reset();
  self.in_data_block_ = false;
}

const absl::Status& TableBuilder::status() const { return Impl::Of(*this).status_; }
uint64_t TableBuilder::NumEntries() const { return Impl::Of(*this).keys_.count(); }
uint64_t TableBuilder::FileSize() const { return Impl::Of(*this).ended_size_; }

absl::Status TableBuilder::Impl::CheckWritable() const {
  if (!status_.ok()) return status_;
  if (file_ == nullptr) {
    return absl::FailedPreconditionError("table builder: Finish() or Abandon() has been called");
  }
  return absl::OkStatus();
}

// Returns OK if an entry with this key and a value of this size may come next.
absl::Status TableBuilder::Impl::CheckEntry(absl::string_view key, absl::string_view value) const {
  const size_t block_size = in_data_block_ ? data_block_.CurrentSize() : BlockBuilder::kEmptySize;
  const uint64_t room = kMaxBlockSize - block_size - BlockBuilder::kMaxEntryOverhead;
  if (key.size() > room || value.size() > room - key.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file_->name(), ": entry with a key of ", key.size(), " and a value of ",
                     value.size(), " bytes does not fit in a block of at most 4 GiB"));
  }
  return AtPlace(file_->name(), keys_.CheckNext(key));
}

template <typename Step>
inline auto TableBuilder::Impl::FailIfThrown(Step step) -> decltype(step()) {
  try {
    return step();
  } catch (...) {
    Fail(StatusOfException()).IgnoreError();  // the error stays in status_
    throw;
  }
}

// Most entries take only this path. Except at the end of a block, its only call is the filter's.
absl::Status TableBuilder::Add(Slice key, Slice value) {
  Impl& self = Impl::Of(*this);
  if (ABSL_PREDICT_FALSE(!self.in_data_block_ || !BlockBuilder::IsShort(key, value))) {
    return self.AddSlow(key, value);
  }
  const size_t shared = self.keys_.SharedWithLast(key);
  if (ABSL_PREDICT_FALSE(!self.keys_.IsAboveLast(key, shared) ||
                         !self.data_block_.TryAddShort(key, value, shared))) {
    return self.AddSlow(key, value);
  }
  self.FailIfThrown([&] { self.AddToFilters(key); });
  self.keys_.AddShort(key);
  if (ABSL_PREDICT_TRUE(self.data_block_.CurrentSize() < self.options_.block_size)) {
    return absl::OkStatus();
  }
  return Flush();
}

absl::Status TableBuilder::Impl::AddSlow(absl::string_view key, absl::string_view value) {
  return FailIfThrown([&] { return AddChecked(key, value); });
}

absl::Status TableBuilder::Impl::AddChecked(absl::string_view key, absl::string_view value) {
  RETURN_IF_ERROR(CheckWritable());
  if (absl::Status status = CheckEntry(key, value); !status.ok()) return Fail(std::move(status));
  if (!in_data_block_) RETURN_IF_ERROR(StartDataBlock(key));
  data_block_.Add(key, value, keys_.SharedWithLast(key));
  AddToFilters(key);
  keys_.Add(key);
  if (ABSL_PREDICT_TRUE(data_block_.CurrentSize() < options_.block_size)) return absl::OkStatus();
  return EndDataBlock();
}

// Not inline, since that would cost Add() registers in tables without such a filter.
void TableBuilder::Impl::AddToTableFilter(absl::string_view key) {
  table_filter_keys_->Add(keys_.order().UserKey(key));
}

absl::Status TableBuilder::Flush() {
  Impl& self = Impl::Of(*this);
  return self.FailIfThrown([&]() -> absl::Status {
    RETURN_IF_ERROR(self.CheckWritable());
    return self.EndDataBlock();
  });
}

absl::Status TableBuilder::Impl::StartDataBlock(absl::string_view first_key) {
  if (index_entry_due_) RETURN_IF_ERROR(EndIndexEntry(first_key));
  if (pipeline_ != nullptr) pipeline_->StartInput();
  data_block_.Start(pipeline_ != nullptr ? &pipeline_->input().bytes : &out_);
  in_data_block_ = true;
  return absl::OkStatus();
}

absl::Status TableBuilder::Impl::EndDataBlock() {
  if (!in_data_block_) return absl::OkStatus();
  in_data_block_ = false;
  index_entry_due_ = true;
  const size_t start = data_block_.Finish();
  if (pipeline_ != nullptr) {
    if (filter_block_.has_value()) filter_block_->EndBlock();
    return absl::OkStatus();  // continues when its separator is known
  }
  ended_handle_ = EndBlock(start, &compressor_);
  if (filter_block_.has_value()) filter_block_->StartBlock(ended_size_);
  return WriteOut();
}

// Adds the index entry for the data block that ended before `next_key`, or at the end of the table.
absl::Status TableBuilder::Impl::EndIndexEntry(std::optional<absl::string_view> next_key) {
  index_entry_due_ = false;
  separator_.assign(keys_.last().data(), keys_.last().size());
  if (options_.keep_input_order) {
    // No key between the two is known.
  } else if (next_key.has_value()) {
    keys_.order().comparator().FindShortestSeparator(&separator_, *next_key);
  } else {
    keys_.order().comparator().FindShortSuccessor(&separator_);
  }
  if (!options_.keep_input_order) {
    absl::Status status = keys_.CheckSeparator(separator_, next_key);
    if (!status.ok()) return Fail(AtPlace(file_->name(), status));
  }
  if (pipeline_ == nullptr) return AddIndexEntry(separator_, ended_handle_);
  pipeline_->input().separator = separator_;
  pipeline_->Submit();
  return DrainSealedBlocks(BlockPipeline::Wait::kIfFull);
}

absl::Status TableBuilder::Impl::DrainSealedBlocks(BlockPipeline::Wait wait) {
  while (const BlockPipeline::DataBlock* block = pipeline_->PopSealed(wait)) {
    if (!block->status.ok()) return Fail(AtPlace(file_->name(), block->status));
    const BlockHandle handle = {file_offset_ + out_.size(), block->stored_size};
    out_.Append(block->bytes.view());
    ended_size_ = file_offset_ + out_.size();
    RETURN_IF_ERROR(AddIndexEntry(block->separator, handle));
    if (filter_block_.has_value()) filter_block_->StartBlock(ended_size_);
    RETURN_IF_ERROR(WriteOut());
  }
  return absl::OkStatus();
}

absl::Status TableBuilder::Impl::AddIndexEntry(absl::string_view separator,
                                               const BlockHandle& handle) {
  if (index_block_.CurrentSize() + BlockBuilder::kMaxEntryOverhead + separator.size() +
          BlockHandle::kMaxEncodedSize >
      kMaxBlockSize) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(file_->name(), ": the index block would have 4 GiB; use larger data blocks")));
  }
  index_block_.Add(separator, handle.Encode(), 0);
  return absl::OkStatus();
}

absl::Status TableBuilder::AddMetaBlock(Slice name, Slice contents) {
  Impl& self = Impl::Of(*this);
  return self.FailIfThrown([&] { return self.AddNamedBlock(name, contents); });
}

absl::Status TableBuilder::Impl::AddNamedBlock(absl::string_view name, absl::string_view contents) {
  RETURN_IF_ERROR(CheckWritable());
  // A table with such a block would be read with RocksDB's type bytes.
  const bool reserved = MetaBlockKind(name) == BlockKind::kFilter || IsRocksDbName(name);
  if (reserved || !meta_blocks_.emplace(name, contents).second) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(file_->name(), ": meta block name ",
                                                        ShowBytes(name),
                                                        reserved ? " is reserved" : " is taken")));
  }
  return absl::OkStatus();
}

absl::Status TableBuilder::Finish() {
  Impl& self = Impl::Of(*this);
  return self.FailIfThrown([&] { return self.FinishTable(); });
}

absl::Status TableBuilder::Impl::FinishTable() {
  RETURN_IF_ERROR(CheckWritable());
  RETURN_IF_ERROR(EndDataBlock());
  if (index_entry_due_) RETURN_IF_ERROR(EndIndexEntry(std::nullopt));
  if (pipeline_ != nullptr) RETURN_IF_ERROR(DrainSealedBlocks(BlockPipeline::Wait::kAlways));
  if (absl::Status status = WriteRest(); !status.ok()) return Fail(std::move(status));
  file_.reset();
  return absl::OkStatus();
}

// Adds the filters to `*meta_blocks` under their names in the metaindex.
absl::Status TableBuilder::Impl::FinishFilters(
    std::map<std::string, absl::string_view>* meta_blocks) {
  if (filter_block_.has_value()) {
    std::string name = absl::StrCat(kFilterKeyPrefix, options_.filter_policy->Name());
    ASSIGN_OR_RETURN((*meta_blocks)[name], filter_block_->Finish());
  }
  if (table_filter_keys_.has_value()) {
    table_filter_keys_->CreateFilter(&table_filter_);
    table_filter_keys_.reset();
    (*meta_blocks)[TableFilterName(*options_.table_filter_policy, options_.table_filter_prefixes)] =
        table_filter_;
  }
  return absl::OkStatus();
}

// Writes meta blocks, metaindex, index and footer.
absl::Status TableBuilder::Impl::WriteRest() {
  std::map<std::string, absl::string_view> meta_blocks(meta_blocks_.begin(), meta_blocks_.end());
  RETURN_IF_ERROR(FinishFilters(&meta_blocks));
  ByteBuffer metaindex;
  BlockBuilder metaindex_block(options_.block_restart_interval);
  metaindex_block.Start(&metaindex);
  absl::string_view last_name;
  for (const auto& [name, contents] : meta_blocks) {
    // Meta blocks are never compressed.
    const BlockHandle handle = AppendBlock(contents, nullptr);
    metaindex_block.Add(name, handle.Encode(), CommonPrefixSize(name, last_name));
    last_name = name;
  }
  metaindex_block.Finish();
  Footer footer;
  footer.metaindex = AppendBlock(metaindex.view(), &compressor_);

  index_block_.Finish();
  footer.index = AppendBlock(index_buffer_.view(), &compressor_);
  out_.Append(footer.Encode());
  ended_size_ = file_offset_ + out_.size();

  RETURN_IF_ERROR(file_->Append(out_.view()));
  file_offset_ += out_.size();
  out_.Clear();
  if (options_.sync) RETURN_IF_ERROR(file_->Sync());
  return file_->Close();
}

BlockHandle TableBuilder::Impl::EndBlock(size_t start, BlockCompressor* compressor) {
  const BlockHandle handle = {file_offset_ + start, SealBlock(compressor, start, &out_)};
  ended_size_ = file_offset_ + out_.size();
  return handle;
}

BlockHandle TableBuilder::Impl::AppendBlock(absl::string_view raw, BlockCompressor* compressor) {
  const size_t start = out_.size();
  out_.Append(raw);
  return EndBlock(start, compressor);
}

// Writes finished blocks to the file once there are enough of them.
absl::Status TableBuilder::Impl::WriteOut() {
  if (out_.size() < kWriteSize) return absl::OkStatus();
  if (absl::Status status = file_->Append(out_.view()); !status.ok()) {
    return Fail(std::move(status));
  }
  file_offset_ += out_.size();
  out_.Clear();
  return absl::OkStatus();
}

}  // namespace sstable
