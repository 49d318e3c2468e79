// Changes that are made together: what a record of a log holds. Format: docs/database.md.
#ifndef SSTABLE_EXPERIMENTAL_WRITE_BATCH_H_
#define SSTABLE_EXPERIMENTAL_WRITE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

inline constexpr size_t kWriteBatchHeaderSize = 12;  // sequence and count; part of the file format

// Puts and deletions, in order. The bytes are LevelDB's.
class SSTABLE_EXPORT WriteBatch {
 public:
  WriteBatch() : bytes_(kWriteBatchHeaderSize, '\0') {}

  WriteBatch& Put(Slice key, Slice value);
  WriteBatch& Delete(Slice key);
  void Clear() { *this = WriteBatch(); }

  // InvalidArgument if a key or value has 4 GiB or more, or there are 2^32 changes or more: such a
  // batch has no encoding, and what did not fit was left out. Check it before using bytes().
  const absl::Status& status() const { return status_; }

  // The sequence of the first change; each later change has the next sequence. At most
  // kMaxSequence.
  uint64_t sequence() const;
  void set_sequence(uint64_t sequence);

  uint32_t count() const;
  absl::string_view bytes() const { return bytes_; }  // valid until the batch changes

 private:
  void Append(ValueType type, absl::string_view key, absl::string_view value);

  std::string bytes_;
  absl::Status status_;
};

// The start of a batch.
struct WriteBatchHeader {
  uint64_t sequence = 0;  // sequence of the first change
  uint32_t count = 0;     // number of changes

  // The sequence of the last change; `sequence` if there is none.
  uint64_t last_sequence() const { return count == 0 ? sequence : sequence + count - 1; }
};

// One change of a batch; the views are into the batch's bytes.
struct BatchChange {
  uint64_t sequence = 0;
  ValueType type = ValueType::kValue;
  absl::string_view key;
  absl::string_view value;  // empty for a deletion
};

// DataLoss if there are fewer than kWriteBatchHeaderSize bytes, or a sequence that the header gives
// is above kMaxSequence.
SSTABLE_EXPORT absl::StatusOr<WriteBatchHeader> DecodeWriteBatchHeader(Slice bytes);

// Passes the changes of a batch to `visit`, in order. Errors: DataLoss, with the offset in the
// batch, once the changes before the damage have been passed; the first error of `visit`.
SSTABLE_EXPORT absl::Status VisitWriteBatch(
    Slice bytes, absl::FunctionRef<absl::Status(const BatchChange&)> visit);

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_WRITE_BATCH_H_
