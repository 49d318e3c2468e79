// Changes that are made together: after a crash all of them are there, or none.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_
#define SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/coding.h"
#include "util/internal_key.h"

namespace toy_lsm {

// Format:  (type byte, varint key size, varint value size, key, value)*, the types being those of
//          internal keys. It is what a record of the write-ahead log holds behind a sequence.
class WriteBatch {
 public:
  void Put(absl::string_view key, absl::string_view value) {
    Append(sstable::ValueType::kValue, key, value);
  }
  void Delete(absl::string_view key) { Append(sstable::ValueType::kDeletion, key, ""); }
  void Clear() {
    bytes_.clear();
    count_ = 0;
  }

  uint64_t count() const { return count_; }
  absl::string_view bytes() const { return bytes_; }

  using Visitor = absl::FunctionRef<void(sstable::ValueType type, absl::string_view key,
                                         absl::string_view value)>;

  // Passes each change of a batch's bytes to `visit`. DataLoss if they are no batch.
  static absl::Status ForEach(absl::string_view bytes, Visitor visit) {
    while (!bytes.empty()) {
      const auto type = static_cast<sstable::ValueType>(bytes[0]);
      bytes.remove_prefix(1);
      uint64_t key_size = 0, value_size = 0;
      if (type > sstable::ValueType::kValue || !sstable::ConsumeVarint64(&bytes, &key_size) ||
          !sstable::ConsumeVarint64(&bytes, &value_size) || key_size > bytes.size() ||
          value_size > bytes.size() - key_size) {
        return absl::DataLossError("is no batch of changes");
      }
      visit(type, bytes.substr(0, key_size), bytes.substr(key_size, value_size));
      bytes.remove_prefix(key_size + value_size);
    }
    return absl::OkStatus();
  }

 private:
  void Append(sstable::ValueType type, absl::string_view key, absl::string_view value) {
    bytes_.push_back(static_cast<char>(type));
    sstable::AppendVarint64(&bytes_, key.size());
    sstable::AppendVarint64(&bytes_, value.size());
    bytes_.append(key.data(), key.size());
    bytes_.append(value.data(), value.size());
    ++count_;
  }

  std::string bytes_;
  uint64_t count_ = 0;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_WRITE_BATCH_H_
