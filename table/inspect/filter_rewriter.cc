#include "table/inspect/filter_rewriter.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "filter/table_filter_keys.h"
#include "sstable/check.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/block_builder.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "table/builder_options.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/filter_tester.h"
#include "table/metaindex.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kWriteSize = size_t{1} << 20;  // bytes gathered for one write
constexpr int kMetaindexRestartInterval = 16;   // LevelDB's default

// Builds the new filters of a table, and tests the old ones that stay. Borrows its arguments.
class FilterMaker {
 public:
  FilterMaker(const TableReader& reader, KeyTrust keys, const NewFilters& filters)
      : order_(KeyOrderOf(reader)),
        dialect_(reader.dialect()),
        verifier_(&reader, keys),
        old_filters_(reader, OldFilters(filters)),
        work_(WorkOf(reader)) {
    if (const FilterPolicy* policy = filters.filter_policy.value_or(nullptr); policy != nullptr) {
      if (order_.kind() == KeyKind::kInternal) policy = &internal_policy_.emplace(policy);
      filter_block_.emplace(policy, filters.filter_base_lg);
      name_ = absl::StrCat(kFilterKeyPrefix, policy->Name());
    }
    const TableFilterPolicy* const of_table = filters.table_filter_policy.value_or(nullptr);
    if (of_table == nullptr) return;
    table_keys_.emplace(of_table, filters.table_filter_prefixes);
    table_name_ = TableFilterName(*of_table, filters.table_filter_prefixes);
  }

  bool wants_keys() const {
    return filter_block_.has_value() || table_keys_.has_value() || old_filters_.has_filter();
  }
  uint64_t key_count() const { return key_count_; }

  // Why the index may not name all data blocks; OK if it does.
  const absl::Status& index_status() const { return verifier_.index_status(); }

  // Adds the keys of data block `i`; blocks come in the order of their offsets. Errors do not name
  // the block.
  absl::Status AddBlock(size_t i, uint64_t offset, const Block& block) {
    RETURN_IF_ERROR(verifier_.CheckBlock(i, block));
    if (filter_block_.has_value()) filter_block_->StartBlock(offset);
    BlockIterator entries(&order_, block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      RETURN_IF_ERROR(AddKey(entries.key()));
      RETURN_IF_ERROR(TestOldFilters(offset, entries.key()));
    }
    return entries.status();
  }

  // Adds the filters to `*contents` by their names in the metaindex. `data_size`: the end of the
  // last data block.
  absl::Status Finish(uint64_t data_size, std::map<std::string, std::string>* contents) {
    if (filter_block_.has_value()) {
      filter_block_->StartBlock(data_size);
      ASSIGN_OR_RETURN(const absl::string_view filter, filter_block_->Finish());
      contents->emplace(name_, filter);
      filter_block_.reset();
    }
    if (table_keys_.has_value()) {
      table_keys_->CreateFilter(&(*contents)[table_name_]);
      table_keys_.reset();
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddKey(absl::string_view key) {
    if (!work_.TakeKey(key.size())) return work_.Error();
    if (order_.kind() == KeyKind::kInternal && !HasTag(key, dialect_)) {
      return absl::DataLossError(absl::StrCat(
          "key ", ShowKey(order_, key),
          " is not an internal key: expected 8 bytes of sequence and type at its end"));
    }
    if (filter_block_.has_value()) filter_block_->AddKey(key);
    if (table_keys_.has_value()) table_keys_->Add(order_.UserKey(key));
    ++key_count_;
    return absl::OkStatus();
  }

  static FilterTester::Wanted OldFilters(const NewFilters& filters) {
    return {!filters.filter_policy.has_value(), !filters.table_filter_policy.has_value()};
  }
  absl::Status TestOldFilters(uint64_t block_offset, absl::string_view key) const {
    const FalseNegatives negatives = old_filters_.Test(block_offset, key);
    if (!negatives.any()) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(
        "the ", negatives.of_block_filter ? "filter block" : "filter for the whole table",
        ", which is to be copied, does not contain ",
        negatives.of_prefixes && !negatives.of_table_filter ? "the prefix of " : "", "key ",
        ShowKey(order_, key), "; it must be replaced or left out"));
  }

  const KeyOrder& order_;
  const CompressionNumbering dialect_;
  TableVerifier verifier_;
  const FilterTester old_filters_;
  WorkMeter work_;
  uint64_t key_count_ = 0;

  std::string name_;  // name of the filter block
  std::optional<InternalFilterPolicy> internal_policy_;
  std::optional<FilterBlockBuilder> filter_block_;  // nullopt: there will be none

  std::string table_name_;  // name of the filter for the whole table
  std::optional<TableFilterKeys> table_keys_;
};

class FilterRewriter {
 public:
  FilterRewriter(const TableReader& reader, KeyTrust keys, const NewFilters& filters,
                 WritableFile* out)
      : reader_(reader), filters_(filters), maker_(reader, keys, filters), file_(*out) {}

  absl::StatusOr<RewrittenTable> Rewrite() {
    const FilterPolicy* const policy = filters_.filter_policy.value_or(nullptr);
    RETURN_IF_ERROR(CheckNotWrapped(KeyOrderOf(reader_).kind(), /*comparator=*/nullptr,
                                    absl::MakeConstSpan(&policy, policy == nullptr ? 0 : 1)));
    if (filters_.table_filter_policy.value_or(nullptr) != nullptr) {
      RETURN_IF_ERROR(CheckHasTableFilterHash());
    }
    RETURN_IF_ERROR(reader_.LoadIndex());
    RETURN_IF_ERROR(maker_.index_status());
    RETURN_IF_ERROR(reader_.metaindex_status());
    RETURN_IF_ERROR(CheckOldFilters());
    RETURN_IF_ERROR(CopyDataBlocks());
    result_.data_size = size();
    result_.key_count = maker_.key_count();
    RETURN_IF_ERROR(WriteMetaBlocks());
    return result_;
  }

 private:
  // Bytes of the new file so far.
  uint64_t size() const { return written_size_ + out_.size(); }

  absl::Status CopyDataBlocks();
  absl::Status CopyBytes(uint64_t end);
  absl::Status AddKeys(size_t i, const StoredBlock& stored);
  absl::Status CheckOldFilters() const;
  absl::StatusOr<bool> Stays(const MetaBlock& block) const;
  absl::Status WriteMetaBlocks();
  absl::StatusOr<StoredBlock> ReadVerified(BlockKind kind, const BlockHandle& handle);
  absl::StatusOr<BlockHandle> Copy(BlockKind kind, const BlockHandle& handle);
  BlockHandle Append(const StoredBlock& block);
  absl::Status WriteOut();

  const TableReader& reader_;
  const NewFilters& filters_;
  FilterMaker maker_;
  WritableFile& file_;

  ByteBuffer out_;  // bytes not yet written
  uint64_t written_size_ = 0;
  ByteBuffer stored_, uncompressed_;  // scratch buffers
  RewrittenTable result_;
};

absl::StatusOr<StoredBlock> FilterRewriter::ReadVerified(BlockKind kind,
                                                         const BlockHandle& handle) {
  absl::StatusOr<StoredBlock> block = ReadStoredBlock(reader_.file(), handle, &stored_);
  absl::Status status = block.ok() ? CheckCrc(*block, block->ComputeCrc()) : block.status();
  if (!status.ok()) return AtBlock(reader_.file(), kind, handle, status);
  return block;
}

BlockHandle FilterRewriter::Append(const StoredBlock& block) {
  const BlockHandle handle = {size(), block.bytes.size()};
  out_.Append(block.bytes);
  char* const trailer = out_.Reserve(kBlockTrailerSize);
  trailer[0] = static_cast<char>(block.type);
  EncodeFixed32(trailer + 1, MaskCrc(block.stored_crc));
  out_.SetSize(out_.size() + kBlockTrailerSize);
  return handle;
}

absl::StatusOr<BlockHandle> FilterRewriter::Copy(BlockKind kind, const BlockHandle& handle) {
  ASSIGN_OR_RETURN(const StoredBlock block, ReadVerified(kind, handle));
  const BlockHandle copy = Append(block);
  RETURN_IF_ERROR(WriteOut());
  return copy;
}

absl::Status FilterRewriter::WriteOut() {
  if (out_.size() < kWriteSize) return absl::OkStatus();
  RETURN_IF_ERROR(file_.Append(out_.view()));
  written_size_ += out_.size();
  out_.Clear();
  return absl::OkStatus();
}

// Copies the bytes from size() to `end` unchanged. RocksDB may leave some between blocks.
absl::Status FilterRewriter::CopyBytes(uint64_t end) {
  while (size() < end) {
    const size_t piece = static_cast<size_t>(std::min<uint64_t>(end - size(), kWriteSize));
    char* const dst = out_.Reserve(piece);
    RETURN_IF_ERROR(AtPlace(reader_.file().name(), reader_.file().Read(size(), piece, dst)));
    out_.SetSize(out_.size() + piece);
    RETURN_IF_ERROR(WriteOut());
  }
  return absl::OkStatus();
}

absl::Status FilterRewriter::CopyDataBlocks() {
  const TableIndex& index = *IndexOf(reader_);
  for (size_t i = 0; i < index.size(); ++i) {
    const BlockHandle handle = index.record(i).handle();
    const auto at_block = [&](const absl::Status& status) {
      return AtBlock(reader_.file(), BlockKind::kData, handle, status);
    };
    if (handle.offset < size()) {
      return at_block(absl::DataLossError(
          absl::StrCat("the index names it after one that ends at offset ", size())));
    }
    ASSIGN_OR_RETURN(const StoredBlock block, ReadVerified(BlockKind::kData, handle));
    RETURN_IF_ERROR(CopyBytes(handle.offset));
    if (maker_.wants_keys()) RETURN_IF_ERROR(at_block(AddKeys(i, block)));
    Append(block);
    RETURN_IF_ERROR(WriteOut());
  }
  return absl::OkStatus();
}

absl::Status FilterRewriter::AddKeys(size_t i, const StoredBlock& stored) {
  absl::string_view contents = stored.bytes;
  if (stored.type != 0) {
    RETURN_IF_ERROR(
        UncompressBlock(stored, BlockKind::kData,
                        {/*verify_checksum=*/false, reader_.options().max_uncompressed_block_size,
                         reader_.dialect()},
                        &uncompressed_));
    contents = uncompressed_.view();
  }
  ASSIGN_OR_RETURN(const Block block, Block::Parse(contents));
  return maker_.AddBlock(i, size(), block);
}

// Checks that the filters that stay can be used. Filters with an unknown policy can't be tested.
absl::Status FilterRewriter::CheckOldFilters() const {
  if (!reader_.options().use_filter) return absl::OkStatus();
  const LoadedTable& loaded = LoadNow(reader_);
  const auto check = [this](const BlockStatus& filter) {
    if (filter.ok() || absl::IsNotFound(filter.status) || absl::IsUnimplemented(filter.status)) {
      return absl::OkStatus();
    }
    const absl::Status status = filter.At(reader_.file());
    return absl::Status(
        absl::IsFailedPrecondition(status) ? absl::StatusCode::kDataLoss : status.code(),
        absl::StrCat(status.message(), "; it must be replaced or left out"));
  };
  if (!filters_.filter_policy.has_value()) RETURN_IF_ERROR(check(loaded.filter_status));
  if (!filters_.table_filter_policy.has_value()) {
    RETURN_IF_ERROR(check(loaded.table_filter.status));
  }
  return absl::OkStatus();
}

// Returns true if a meta block of the old table is kept in the new one.
absl::StatusOr<bool> FilterRewriter::Stays(const MetaBlock& block) const {
  if (absl::StartsWith(block.name, kTableFilterKeyPrefix)) {
    return !filters_.table_filter_policy.has_value();
  }
  if (!IsFilterName(block.name)) return true;
  if (filters_.filter_policy.has_value()) return false;
  if (!absl::StartsWith(block.name, kPartitionedFilterKeyPrefix)) return true;
  return AtBlock(reader_.file(), BlockKind::kFilter, block.handle,
                 absl::UnimplementedError(absl::StrCat(
                     "filter ", ShowBytes(block.name),
                     " can't be copied: it has offsets of other blocks, which change")));
}

absl::Status FilterRewriter::WriteMetaBlocks() {
  std::map<std::string, std::string> new_contents;
  RETURN_IF_ERROR(AtPlace(reader_.file().name(), maker_.Finish(result_.data_size, &new_contents)));
  std::map<std::string, std::optional<BlockHandle>> blocks;  // by name; nullopt: a new block
  for (const auto& [name, contents] : new_contents) blocks.emplace(name, std::nullopt);
  for (const MetaBlock& block : reader_.meta_blocks()) {
    ASSIGN_OR_RETURN(const bool stays, Stays(block));
    if (stays) blocks.emplace(block.name, block.handle);
  }
  ByteBuffer metaindex;
  BlockBuilder metaindex_block(kMetaindexRestartInterval);
  metaindex_block.Start(&metaindex);
  absl::string_view last_name;
  for (const auto& [name, old_handle] : blocks) {
    BlockHandle handle;
    if (old_handle.has_value()) {
      ASSIGN_OR_RETURN(handle, Copy(MetaBlockKind(name), *old_handle));
    } else {
      const size_t start = out_.size();
      handle.offset = size();
      out_.Append(new_contents[name]);
      handle.size = SealBlock(/*compressor=*/nullptr, start, &out_);
      RETURN_IF_ERROR(WriteOut());
    }
    metaindex_block.Add(name, handle.Encode(), CommonPrefixSize(name, last_name));
    last_name = name;
    result_.meta_blocks.push_back({name, handle});
  }
  metaindex_block.Finish();
  Footer footer;
  const size_t start = out_.size();
  footer.metaindex.offset = size();
  out_.Append(metaindex.view());
  footer.metaindex.size = SealBlock(/*compressor=*/nullptr, start, &out_);
  ASSIGN_OR_RETURN(footer.index, Copy(BlockKind::kIndex, reader_.footer().index));
  out_.Append(footer.Encode());
  result_.file_size = size();
  return file_.Append(out_.view());
}

}  // namespace

absl::StatusOr<RewrittenTable> RewriteFilters(const TableReader& reader, KeyTrust keys,
                                              const NewFilters& filters,
                                              std::unique_ptr<WritableFile> file) {
  ASSIGN_OR_RETURN(RewrittenTable result,
                   FilterRewriter(reader, keys, filters, file.get()).Rewrite());
  RETURN_IF_ERROR(file->Sync());
  RETURN_IF_ERROR(file->Close());
  return result;
}

}  // namespace sstable
