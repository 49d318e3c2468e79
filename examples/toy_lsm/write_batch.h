// Changes that are made together: after a crash all of them are there, or none.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_
#define SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "util/coding.h"

namespace toy_lsm {

// Appends bytes behind their size as a varint.
inline void AppendSized(std::string* dst, absl::string_view bytes) {
  sstable::AppendVarint64(dst, bytes.size());
  dst->append(bytes.data(), bytes.size());
}

// Takes them off the front of `*input`; false if they aren't there. `*bytes` is a view of them.
inline bool ConsumeSized(absl::string_view* input, absl::string_view* bytes) {
  uint64_t size = 0;
  if (!sstable::ConsumeVarint64(input, &size) || size > input->size()) return false;
  *bytes = input->substr(0, size);
  input->remove_prefix(size);
  return true;
}

// Format:  (type byte, sized key, sized value)*, the types being those of internal keys.
class WriteBatch {
 public:
  WriteBatch& Put(absl::string_view key, absl::string_view value) {
    return Append(sstable::ValueType::kValue, key, value);
  }
  WriteBatch& Delete(absl::string_view key) {
    return Append(sstable::ValueType::kDeletion, key, "");
  }
  void Clear() { bytes_.clear(); }
  absl::string_view bytes() const { return bytes_; }

  using Visitor = absl::FunctionRef<void(sstable::ValueType type, absl::string_view key,
                                         absl::string_view value)>;

  // Passes each change of a batch's bytes to `visit`. DataLoss if they are no batch.
  static absl::Status ForEach(absl::string_view bytes, Visitor visit) {
    while (!bytes.empty()) {
      const auto type = static_cast<sstable::ValueType>(bytes[0]);
      bytes.remove_prefix(1);
      absl::string_view key, value;
      if (type > sstable::ValueType::kValue || !ConsumeSized(&bytes, &key) ||
          !ConsumeSized(&bytes, &value)) {
        return absl::DataLossError("is no batch of changes");
      }
      visit(type, key, value);
    }
    return absl::OkStatus();
  }

 private:
  WriteBatch& Append(sstable::ValueType type, absl::string_view key, absl::string_view value) {
    bytes_.reserve(bytes_.size() + key.size() + value.size() + 12);
    bytes_.push_back(static_cast<char>(type));
    AppendSized(&bytes_, key);
    AppendSized(&bytes_, value);
    return *this;
  }

  std::string bytes_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_
