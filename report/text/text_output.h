// A destination for text that is written in pieces.
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
  // To write without a copy, append to `*out()`, then call Wrote().
  std::string* out() { return &buffer_; }
  void Wrote() {
    if (buffer_.size() >= kBufferSize) Flush();
  }
  void Flush() {
    if (!buffer_.empty()) WriteOut(buffer_);
    buffer_.clear();
  }

  // Returns true if writing has failed for good, so that producing more text is pointless.
  virtual bool closed() const = 0;

 private:
  virtual void WriteOut(absl::string_view data) = 0;

  static constexpr size_t kBufferSize = 64 * 1024;

  std::string buffer_;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_TEXT_OUTPUT_H_
