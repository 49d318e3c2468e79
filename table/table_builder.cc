#include "table/table_builder.h"

#include <limits>
#include <map>

#include "absl/base/optimization.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block_io.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kWriteSize = 256 * 1024;  // bytes gathered for one write
constexpr uint64_t kMaxBlockSize = std::numeric_limits<uint32_t>::max();  // offsets have 32 bits

absl::Status CheckOptions(const TableBuilderOptions& options) {
  const auto out_of_range = [](absl::string_view option, int64_t value, absl::string_view range) {
    return absl::InvalidArgumentError(
        absl::StrCat("table option ", option, " is ", value, ", expected ", range));
  };
  if (options.comparator == nullptr) {
    return absl::InvalidArgumentError("table option comparator is null");
  }
  if (options.block_size < 1 || options.block_size > std::numeric_limits<uint32_t>::max() / 2) {
    return out_of_range("block_size", static_cast<int64_t>(options.block_size), "1 to 2147483647");
  }
  if (options.block_restart_interval < 1) {
    return out_of_range("block_restart_interval", options.block_restart_interval, "at least 1");
  }
  if (options.compression > Compression::kZstd) {
    return out_of_range("compression", static_cast<int>(options.compression), "0 to 2");
  }
  if (options.zstd_level < -5 || options.zstd_level > 22) {
    return out_of_range("zstd_level", options.zstd_level, "-5 to 22");
  }
  if (options.filter_base_lg < 0 || options.filter_base_lg > kMaxFilterBaseLg) {
    return out_of_range("filter_base_lg", options.filter_base_lg,
                        absl::StrCat("0 to ", kMaxFilterBaseLg));
  }
  return absl::OkStatus();
}

// For a message: the first bytes of a key, with those escaped that don't print.
std::string ShowKey(absl::string_view key) {
  constexpr size_t kShown = 64;
  return absl::StrCat("\"", absl::CHexEscape(key.substr(0, kShown)),
                      key.size() > kShown ? "\"..." : "\"");
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableBuilder>> TableBuilder::Create(
    const TableBuilderOptions& options, absl::string_view path) {
  RETURN_IF_ERROR(AtPlace(path, CheckOptions(options)));
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateFileAtomically(path));
  return Create(options, std::move(file));
}

absl::StatusOr<std::unique_ptr<TableBuilder>> TableBuilder::Create(
    const TableBuilderOptions& options, std::unique_ptr<WritableFile> file) {
  RETURN_IF_ERROR(AtPlace(file->name(), CheckOptions(options)));
  return std::unique_ptr<TableBuilder>(new TableBuilder(options, std::move(file)));
}

TableBuilder::TableBuilder(const TableBuilderOptions& options, std::unique_ptr<WritableFile> file)
    : options_(options),
      order_(options.comparator, options.key_kind),
      file_(std::move(file)),
      data_block_(options.block_restart_interval, &out_),
      index_block_(/*restart_interval=*/1, &index_buffer_),
      compressor_(options.compression, options.zstd_level) {
  index_block_.Start();
  data_block_.Start();
  if (options_.filter_policy == nullptr) return;
  const FilterPolicy* policy = options_.filter_policy;
  if (options_.key_kind == KeyKind::kInternal) {
    policy = &internal_filter_policy_.emplace(policy);
  }
  filter_block_.emplace(policy, options_.filter_base_lg);
  filter_block_->StartBlock(0);
}

TableBuilder::~TableBuilder() = default;

absl::Status TableBuilder::Fail(absl::Status status) {
  status_ = std::move(status);
  file_.reset();
  return status_;
}

absl::Status TableBuilder::CheckWritable() const {
  if (!status_.ok()) return status_;
  if (file_ == nullptr) {
    return absl::FailedPreconditionError("table builder: Finish() or Abandon() has been called");
  }
  return absl::OkStatus();
}

// Whether `key`, which shares this many bytes with the last one, is above it.
inline bool TableBuilder::IsAboveLastKey(absl::string_view key, size_t shared) const {
  if (ABSL_PREDICT_FALSE(order_.shape() != KeyOrder::Shape::kBytewise)) {
    return order_.Compare(key, last_key_.view()) > 0;
  }
  return shared < key.size() &&
         (shared == last_key_.size() || static_cast<unsigned char>(key[shared]) >
                                            static_cast<unsigned char>(last_key_.view()[shared]));
}

// Whether `key` may be the next one.
inline bool TableBuilder::IsKeyDue(absl::string_view key, size_t shared) const {
  if (order_.kind() == KeyKind::kInternal && !ParseInternalKey(key).has_value()) return false;
  return entry_count_ == 0 || IsAboveLastKey(key, shared);
}

// Why it may not.
absl::Status TableBuilder::KeyError(absl::string_view key) const {
  if (order_.kind() == KeyKind::kInternal && !ParseInternalKey(key).has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(file_->name(), ": key ", ShowKey(key),
                     " is no internal key: expected 8 bytes of sequence and type behind it"));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(file_->name(), ": key ", ShowKey(key), " is not above the one before it, ",
                   ShowKey(last_key_.view()), ", by ", order_.comparator().Name()));
}

absl::Status TableBuilder::Add(absl::string_view key, absl::string_view value) {
  if (ABSL_PREDICT_FALSE(file_ == nullptr)) return CheckWritable();
  const uint64_t room = kMaxBlockSize - data_block_.CurrentSize() - BlockBuilder::kMaxEntryOverhead;
  if (ABSL_PREDICT_FALSE(key.size() > room || value.size() > room - key.size())) {
    return Fail(absl::InvalidArgumentError(absl::StrFormat(
        "%s: entry with a key of %d and a value of %d bytes does not fit a block, which can have "
        "4 GiB",
        file_->name(), key.size(), value.size())));
  }
  const size_t shared = CommonPrefixSize(key, last_key_.view());
  if (ABSL_PREDICT_FALSE(!IsKeyDue(key, shared))) return Fail(KeyError(key));
  if (pending_handle_.has_value()) RETURN_IF_ERROR(AddIndexEntry(key));
  if (filter_block_.has_value()) filter_block_->AddKey(key);
  last_key_.Assign(key);
  data_block_.Add(last_key_.view(), value, shared);
  ++entry_count_;
  if (ABSL_PREDICT_TRUE(data_block_.CurrentSize() < options_.block_size)) return absl::OkStatus();
  EndDataBlock();
  return WriteOut();
}

absl::Status TableBuilder::Flush() {
  RETURN_IF_ERROR(CheckWritable());
  EndDataBlock();
  return WriteOut();
}

void TableBuilder::EndDataBlock() {
  if (data_block_.empty()) return;
  pending_handle_ = EndBlock(data_block_.Finish(), &compressor_);
  if (filter_block_.has_value()) filter_block_->StartBlock(ended_size_);
  data_block_.Start();
}

// The entry of the data block before `next_key`, or of the last one.
absl::Status TableBuilder::AddIndexEntry(std::optional<absl::string_view> next_key) {
  separator_.assign(last_key_.view().data(), last_key_.size());
  if (next_key.has_value()) {
    order_.comparator().FindShortestSeparator(&separator_, *next_key);
  } else {
    order_.comparator().FindShortSuccessor(&separator_);
  }
  if (index_block_.CurrentSize() + BlockBuilder::kMaxEntryOverhead + separator_.size() +
          BlockHandle::kMaxEncodedSize >
      kMaxBlockSize) {
    return Fail(absl::InvalidArgumentError(absl::StrCat(
        file_->name(), ": the index block would have 4 GiB; take larger data blocks")));
  }
  index_key_.Assign(separator_);
  index_block_.Add(index_key_.view(), pending_handle_->Encode(), 0);
  pending_handle_.reset();
  return absl::OkStatus();
}

absl::Status TableBuilder::AddMetaBlock(absl::string_view name, absl::string_view contents) {
  RETURN_IF_ERROR(CheckWritable());
  // A reader takes the type bytes of a table with such a block for RocksDB's.
  const bool is_rocksdbs = absl::StartsWith(name, "rocksdb.");
  const bool reserved = absl::StartsWith(name, kFilterKeyPrefix) || is_rocksdbs;
  if (reserved || !meta_blocks_.emplace(name, contents).second) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat(file_->name(), ": meta block name ", ShowKey(name), " is taken")));
  }
  return absl::OkStatus();
}

absl::Status TableBuilder::Finish() {
  RETURN_IF_ERROR(CheckWritable());
  EndDataBlock();
  if (absl::Status status = WriteRest(); !status.ok()) return Fail(std::move(status));
  file_.reset();
  return absl::OkStatus();
}

// Meta blocks, metaindex, index and footer.
absl::Status TableBuilder::WriteRest() {
  std::map<std::string, absl::string_view> meta_blocks(meta_blocks_.begin(), meta_blocks_.end());
  if (filter_block_.has_value()) {
    ASSIGN_OR_RETURN(meta_blocks[absl::StrCat(kFilterKeyPrefix, options_.filter_policy->Name())],
                     filter_block_->Finish());
  }
  ByteBuffer metaindex;
  BlockBuilder metaindex_block(options_.block_restart_interval, &metaindex);
  metaindex_block.Start();
  KeyBuffer key;
  for (const auto& [name, contents] : meta_blocks) {
    // Meta blocks are never compressed.
    const BlockHandle handle = AppendBlock(contents, nullptr);
    const size_t shared = CommonPrefixSize(name, key.view());
    key.Assign(name);
    metaindex_block.Add(key.view(), handle.Encode(), shared);
  }
  metaindex_block.Finish();
  Footer footer;
  footer.metaindex = AppendBlock(metaindex.view(), &compressor_);

  if (pending_handle_.has_value()) RETURN_IF_ERROR(AddIndexEntry(std::nullopt));
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

BlockHandle TableBuilder::EndBlock(size_t start, BlockCompressor* compressor) {
  const BlockHandle handle = {file_offset_ + start, SealBlock(compressor, start, &out_)};
  ended_size_ = file_offset_ + out_.size();
  return handle;
}

BlockHandle TableBuilder::AppendBlock(absl::string_view raw, BlockCompressor* compressor) {
  const size_t start = out_.size();
  out_.Append(raw);
  return EndBlock(start, compressor);
}

// Hands finished blocks to the file once there are enough of them.
absl::Status TableBuilder::WriteOut() {
  if (out_.size() < kWriteSize) return absl::OkStatus();
  if (absl::Status status = file_->Append(out_.view()); !status.ok()) {
    return Fail(std::move(status));
  }
  file_offset_ += out_.size();
  out_.Clear();
  data_block_.Start();
  return absl::OkStatus();
}

void TableBuilder::Abandon() { file_.reset(); }

}  // namespace sstable
