// A batch is fixed64 sequence, fixed32 count, then each change: type byte, varint32 key size, key,
// and for a value varint32 value size, value.
#include "sstable/experimental/write_batch.h"

#include <cassert>
#include <limits>

#include "absl/strings/str_cat.h"
#include "db/field_reader.h"
#include "sstable/slice.h"
#include "util/coding.h"
#include "util/status_util.h"

namespace sstable {
namespace {

constexpr size_t kCountOffset = 8;

void AppendSized(std::string* dst, absl::string_view bytes) {
  AppendVarint64(dst, bytes.size());
  dst->append(bytes.data(), bytes.size());
}

absl::Status DecodeChange(FieldReader* fields, BatchChange* change) {
  uint8_t type = 0;
  RETURN_IF_ERROR(fields->ReadByte("change type", &type));
  if (type > static_cast<uint8_t>(ValueType::kValue)) {
    return fields->Error(absl::StrCat("change type is ", type, ", expected 0 or 1"));
  }
  change->type = static_cast<ValueType>(type);
  change->value = {};
  RETURN_IF_ERROR(fields->ReadSized("key", &change->key));
  if (change->type == ValueType::kDeletion) return absl::OkStatus();
  return fields->ReadSized("value", &change->value);
}

}  // namespace

WriteBatch& WriteBatch::Put(Slice key, Slice value) {
  Append(ValueType::kValue, key, value);
  return *this;
}

WriteBatch& WriteBatch::Delete(Slice key) {
  Append(ValueType::kDeletion, key, {});
  return *this;
}

void WriteBatch::Append(ValueType type, absl::string_view key, absl::string_view value) {
  constexpr uint32_t kMax = std::numeric_limits<uint32_t>::max();
  if (key.size() > kMax || value.size() > kMax) {
    status_ = absl::InvalidArgumentError("a key or value of 4 GiB or more");
  } else if (count() == kMax) {
    status_ = absl::InvalidArgumentError("more than 2^32 - 1 changes in a batch");
  }
  if (!status_.ok()) return;
  bytes_.push_back(static_cast<char>(type));
  AppendSized(&bytes_, key);
  if (type == ValueType::kValue) AppendSized(&bytes_, value);
  EncodeFixed32(&bytes_[kCountOffset], count() + 1);
}

uint64_t WriteBatch::sequence() const { return DecodeFixed64(bytes_.data()); }

void WriteBatch::set_sequence(uint64_t sequence) {
  assert(sequence <= kMaxSequence);
  EncodeFixed64(&bytes_[0], sequence);
}

uint32_t WriteBatch::count() const { return DecodeFixed32(bytes_.data() + kCountOffset); }

absl::StatusOr<WriteBatchHeader> DecodeWriteBatchHeader(Slice bytes) {
  if (bytes.size() < kWriteBatchHeaderSize) {
    return absl::DataLossError(absl::StrCat("write batch has ", bytes.size(),
                                            " bytes, expected at least ", kWriteBatchHeaderSize));
  }
  const WriteBatchHeader header = {DecodeFixed64(bytes.data()),
                                   DecodeFixed32(bytes.data() + kCountOffset)};
  if (header.sequence > kMaxSequence || header.count > kMaxSequence - header.sequence + 1) {
    return absl::DataLossError(absl::StrCat("write batch has sequence ", header.sequence, " and ",
                                            header.count, " changes, expected sequences up to ",
                                            kMaxSequence));
  }
  return header;
}

absl::Status VisitWriteBatch(Slice bytes,
                             absl::FunctionRef<absl::Status(const BatchChange&)> visit) {
  ASSIGN_OR_RETURN(const WriteBatchHeader header, DecodeWriteBatchHeader(bytes));
  FieldReader fields("write batch", bytes);
  fields.Skip(kWriteBatchHeaderSize);
  BatchChange change;
  uint32_t count = 0;
  for (; count < header.count && !fields.empty(); ++count) {
    RETURN_IF_ERROR(DecodeChange(&fields, &change));
    change.sequence = header.sequence + count;
    RETURN_IF_ERROR(visit(change));
  }
  if (count == header.count && fields.empty()) return absl::OkStatus();
  return fields.Error(fields.empty()
                          ? absl::StrCat("ends after ", count, " of ", header.count, " changes")
                          : absl::StrCat("has bytes after its ", header.count, " changes"));
}

}  // namespace sstable
