// Text that is written piece by piece.
#ifndef SSTABLE_REPORT_TEXT_TEXT_OUTPUT_H_
#define SSTABLE_REPORT_TEXT_TEXT_OUTPUT_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Buffers what is written. Threads: one at a time.
class TextOutput {
 public:
  TextOutput() = default;
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;
  virtual ~TextOutput() = default;

  void Write(absl::string_view data) {
    if (buffer_.empty() && data.size() >= kBufferSize) return WriteOut(data);
    buffer_.append(data.data(), data.size());
    Wrote();
  }
  // Append to `*out()`, then call Wrote(): a Write() without a copy.
  std::string* out() { return &buffer_; }
  void Wrote() {
    if (buffer_.size() >= kBufferSize) Flush();
  }
  void Flush() {
    if (!buffer_.empty()) WriteOut(buffer_);
    buffer_.clear();
  }

  // True if nothing more can be written, so there is no point in producing it.
  virtual bool closed() const = 0;

 private:
  virtual void WriteOut(absl::string_view data) = 0;

  static constexpr size_t kBufferSize = 64 * 1024;

  std::string buffer_;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_TEXT_OUTPUT_H_
