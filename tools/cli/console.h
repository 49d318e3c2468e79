// The output of a command: data, messages and errors.
#ifndef SSTABLE_TOOLS_CLI_CONSOLE_H_
#define SSTABLE_TOOLS_CLI_CONSOLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "report/text/style.h"
#include "report/text/text_output.h"
#include "sstable/file.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/progress.h"

namespace sstable::tools {

// Receives the output of consoles in several threads, and puts it in order
// (tools/cli/ordered_output.h).
class ConsoleSink {
 public:
  virtual ~ConsoleSink() = default;
  virtual void WriteData(absl::string_view data) = 0;
  virtual void WriteMessage(absl::string_view text) = 0;
  // Returns true if further data would be discarded. May be called at any time.
  virtual bool closed() const = 0;
};

// Data goes to standard output, buffered; messages to standard error.
//
// Pattern:  (Write | Say | Fail)* Close.
// Threads:  one at a time.
// Errors:   the first failed write of data is kept; then closed() is true, and Close() reports it.
//           A reader that closes its pipe, as `head` does, is not an error.
class Console final : public TextOutput {
 public:
  Console();
  // A console for `size` bytes of the work of `whole`. It has the same style, writes to `sink`, and
  // moves the progress bar of `whole`. Call Flush() instead of Close(). Borrows both.
  Console(Console* whole, ConsoleSink* sink, uint64_t size);

  bool closed() const override {
    return sink_ != nullptr ? sink_->closed() : reader_gone_ || !write_status_.ok();
  }

  // Returns why the console is closed, for output that is useless unless complete: Unavailable if
  // the reader is gone, Cancelled if Close() will report the error.
  absl::Status OutputStatus() const;

  // Writes "sst: `message`" to standard error, after all data so far. Escapes control characters,
  // which a file name may contain.
  void Say(absl::string_view message);
  // Writes lines to standard error unchanged.
  void SayRaw(absl::string_view text);
  // Reports an error, and returns its exit code.
  ExitCode Fail(const absl::Status& status);

  // Writes the buffered data. Returns `code`, or kCannot if data could not be written.
  ExitCode Close(ExitCode code);

  // Returns standard output as a file, for writing a table.
  std::unique_ptr<WritableFile> OutputFile();

  bool output_is_terminal() const { return output_is_terminal_; }
  const Style& output_style() const { return output_style_; }
  const Style& message_style() const { return message_style_; }
  Progress& progress() { return progress_; }

 private:
  void WriteOut(absl::string_view data) override;

  ConsoleSink* const sink_ = nullptr;  // replaces the standard streams
  bool reader_gone_ = false;
  absl::Status write_status_;
  bool output_is_terminal_;
  Style output_style_;
  Style message_style_;
  Progress progress_;
};

// Returns the name of an input in messages, reports and JSON: "standard input" for "-", and a URL
// without the parts that may be secret.
std::string InputName(absl::string_view path);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_CLI_CONSOLE_H_
