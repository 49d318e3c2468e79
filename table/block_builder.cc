#include "table/block_builder.h"

#include "absl/base/optimization.h"
#include "util/coding.h"

namespace sstable {

void BlockBuilder::Add(absl::string_view key, absl::string_view value, size_t shared) {
  if (entries_since_restart_ == restart_interval_) {
    restarts_.push_back(static_cast<uint32_t>(out_->size() - start_));
    entries_since_restart_ = 0;
  }
  if (entries_since_restart_ == 0) shared = 0;
  ++entries_since_restart_;

  key.remove_prefix(shared);
  char* p = out_->Reserve(3 * kMaxVarint32Size + key.size() + value.size());
  if (ABSL_PREDICT_TRUE((shared | key.size() | value.size()) < 128)) {
    // Three varints of one byte each, in one store.
    EncodeFixed32(p, static_cast<uint32_t>(shared | key.size() << 8 | value.size() << 16));
    p += 3;
  } else {
    p = EncodeVarint64(p, shared);
    p = EncodeVarint64(p, key.size());
    p = EncodeVarint64(p, value.size());
  }
  if (!key.empty()) std::memcpy(p, key.data(), key.size());
  p += key.size();
  if (!value.empty()) std::memcpy(p, value.data(), value.size());
  p += value.size();
  out_->SetSize(static_cast<size_t>(p - out_->data()));
}

size_t BlockBuilder::Finish() {
  const size_t array_size = sizeof(uint32_t) * restarts_.size();
  char* p = out_->Reserve(array_size + sizeof(uint32_t));
  std::memcpy(p, restarts_.data(), array_size);
  EncodeFixed32(p + array_size, static_cast<uint32_t>(restarts_.size()));
  out_->SetSize(out_->size() + array_size + sizeof(uint32_t));
  return start_;
}

}  // namespace sstable
