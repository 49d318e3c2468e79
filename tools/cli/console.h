// Where a command's data, messages and errors go.
#ifndef SSTABLE_TOOLS_CLI_CONSOLE_H_
#define SSTABLE_TOOLS_CLI_CONSOLE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"
#include "tools/cli/style.h"

namespace sstable::tools {

// Data goes to standard output, buffered; messages to standard error.
//
// Pattern:  (Write | Say | Fail)* Close.
// Threads:  one at a time.
// Errors:   the first failed write of data is kept; closed() is true from there on and Close()
//           tells it. If only the reader of a pipe has gone away, as `head` does, that is no error:
//           it had what it wanted.
class Console {
 public:
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  void Write(absl::string_view data) {
    buffer_.append(data.data(), data.size());
    if (buffer_.size() >= kBufferSize) Flush();
  }
  // Appends through `*out()` and then says so: a Write() without the copy.
  std::string* out() { return &buffer_; }
  void Wrote() {
    if (buffer_.size() >= kBufferSize) Flush();
  }

  void Flush();

  // True once no data can be written any more, so that making it is in vain.
  bool closed() const { return reader_gone_ || !write_status_.ok(); }

  // Why it is closed, for output that is worth nothing unless it is whole: Unavailable if the
  // reader has gone, Cancelled if Close() will tell.
  absl::Status OutputStatus() const;

  // Writes "sst: `message`" to standard error, behind the data so far. Control characters in it, of
  // a file's name for instance, are escaped.
  void Say(absl::string_view message);
  // Writes lines to standard error as they are.
  void SayRaw(absl::string_view text);
  // Says why something failed, and returns what that means for the exit code.
  ExitCode Fail(const absl::Status& status);

  // Writes what is left. Returns `code`, or kCannot if data could not be written.
  ExitCode Close(ExitCode code);

  // Standard output as the file that a table is written to.
  std::unique_ptr<WritableFile> OutputFile();

  bool output_is_terminal() const { return output_is_terminal_; }
  const Style& output_style() const { return output_style_; }
  const Style& message_style() const { return message_style_; }
  Progress& progress() { return progress_; }

 private:
  static constexpr size_t kBufferSize = 64 * 1024;

  std::string buffer_;
  bool reader_gone_ = false;
  absl::Status write_status_;
  bool output_is_terminal_;
  Style output_style_;
  Style message_style_;
  Progress progress_;
};

// How messages name an input file: "standard input" for "-".
std::string InputName(absl::string_view path);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_CONSOLE_H_
