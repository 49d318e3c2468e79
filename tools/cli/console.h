// Where a command's data, messages and errors go.
#ifndef SSTABLE_TOOLS_CLI_CONSOLE_H_
#define SSTABLE_TOOLS_CLI_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/style.h"

namespace sstable::tools {

// Takes what consoles of several threads write, to put it in order (tools/cli/ordered_output.h).
class ConsoleSink {
 public:
  virtual ~ConsoleSink() = default;
  virtual void WriteData(absl::string_view data) = 0;
  virtual void WriteMessage(absl::string_view text) = 0;
  // True once data is useless. May be called at any time.
  virtual bool closed() const = 0;
};

// Data goes to standard output, buffered; messages to standard error.
//
// Pattern:  (Write | Say | Fail)* Close.
// Threads:  one at a time.
// Errors:   the first failed write of data is kept; then closed() is true, and Close() reports it.
//           It is not an error if the reader of a pipe has gone away, as `head` does.
class Console {
 public:
  Console();
  // For work on `size` bytes, which is a part of that of `whole`: looks as `whole` does, writes to
  // `sink`, and moves the progress bar of `whole`. Call Flush() instead of Close(). Borrows both.
  Console(Console* whole, ConsoleSink* sink, uint64_t size);
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void Write(absl::string_view data) {
    if (buffer_.empty() && data.size() >= kBufferSize) return WriteOut(data);
    buffer_.append(data.data(), data.size());
    if (buffer_.size() >= kBufferSize) Flush();
  }
  // Append to `*out()`, then call Wrote(): a Write() without the copy.
  std::string* out() { return &buffer_; }
  void Wrote() {
    if (buffer_.size() >= kBufferSize) Flush();
  }

  void Flush();

  // True once no more data can be written, so that producing it is useless.
  bool closed() const {
    return sink_ != nullptr ? sink_->closed() : reader_gone_ || !write_status_.ok();
  }

  // Why it is closed, for output that is useless unless complete: Unavailable if the reader has
  // gone, Cancelled if Close() will report it.
  absl::Status OutputStatus() const;

  // Writes "sst: `message`" to standard error, after the data so far. Escapes control characters,
  // for example in the name of a file.
  void Say(absl::string_view message);
  // Writes lines to standard error unchanged.
  void SayRaw(absl::string_view text);
  // Reports why something failed, and returns the exit code for it.
  ExitCode Fail(const absl::Status& status);

  // Writes the rest. Returns `code`, or kCannot if data could not be written.
  ExitCode Close(ExitCode code);

  // Standard output as a file, to write a table to.
  std::unique_ptr<WritableFile> OutputFile();

  bool output_is_terminal() const { return output_is_terminal_; }
  const Style& output_style() const { return output_style_; }
  const Style& message_style() const { return message_style_; }
  Progress& progress() { return progress_; }

 private:
  void WriteOut(absl::string_view data);  // to where it goes, without a buffer

  static constexpr size_t kBufferSize = 64 * 1024;

  ConsoleSink* const sink_ = nullptr;  // instead of the standard streams
  std::string buffer_;
  bool reader_gone_ = false;
  absl::Status write_status_;
  bool output_is_terminal_;
  Style output_style_;
  Style message_style_;
  Progress progress_;
};

// How messages, reports and JSON name what a user named: "standard input" for "-", and a URL
// without what may be secret in it.
std::string InputName(absl::string_view path);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_CONSOLE_H_
