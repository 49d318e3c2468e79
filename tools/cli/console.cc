#include "tools/cli/console.h"

#include <cerrno>
#include <cstdlib>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/system.h"
#include "util/url.h"

namespace sstable::tools {
namespace {

constexpr int kOutput = 1, kMessages = 2;  // the standard streams

class ConsoleFile final : public WritableFile {
 public:
  explicit ConsoleFile(Console* console) : WritableFile("standard output"), console_(console) {}

  absl::Status Append(absl::string_view data) override {
    console_->Write(data);
    return console_->OutputStatus();
  }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override {
    console_->Flush();
    return console_->OutputStatus();
  }

 private:
  Console* console_;
};

// Uses colours if `descriptor` is a terminal with colours and NO_COLOR (no-color.org) is not set.
Style StyleFor(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return Style(sys::IsTerminal(descriptor) && (no_color == nullptr || *no_color == '\0') &&
               terminal != nullptr && absl::string_view(terminal) != "dumb");
}

}  // namespace

Console::Console()
    : output_is_terminal_(sys::IsTerminal(kOutput)),
      output_style_(StyleFor(kOutput)),
      message_style_(StyleFor(kMessages)) {}

Console::Console(Console* whole, ConsoleSink* sink, uint64_t size)
    : sink_(sink),
      output_is_terminal_(whole->output_is_terminal_),
      output_style_(whole->output_style_),
      message_style_(whole->message_style_),
      progress_(&whole->progress_, size) {}

void Console::WriteOut(absl::string_view data) {
  if (sink_ != nullptr) return sink_->WriteData(data);
  std::unique_lock<std::mutex> hidden;
  if (output_is_terminal_) hidden = progress_.Hide();
  while (!data.empty() && !closed()) {
    const ptrdiff_t count =
        Uninterrupted([&] { return sys::Write(kOutput, data.data(), data.size()); });
    if (count >= 0) {
      data.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EPIPE) {
      reader_gone_ = true;
    } else {
      write_status_ = absl::ErrnoToStatus(errno, "can't write to standard output");
    }
  }
}

absl::Status Console::OutputStatus() const {
  if (reader_gone_) {
    return absl::UnavailableError(
        "standard output was closed by its reader before everything was written");
  }
  return write_status_.ok() ? absl::OkStatus() : absl::CancelledError("reported by Close()");
}

void Console::Say(absl::string_view message) {
  SayRaw(absl::StrCat(message_style_.Bold("sst:"), " ", EscapeControls(message), "\n"));
}

void Console::SayRaw(absl::string_view text) {
  Flush();
  if (sink_ != nullptr) return sink_->WriteMessage(text);
  const auto hidden = progress_.Hide();
  while (!text.empty()) {
    const ptrdiff_t count =
        Uninterrupted([&] { return sys::Write(kMessages, text.data(), text.size()); });
    if (count <= 0) return;  // nobody is there to read it
    text.remove_prefix(static_cast<size_t>(count));
  }
}

ExitCode Console::Fail(const absl::Status& status) {
  // Cancelled is reported elsewhere.
  if (status.ok() || absl::IsCancelled(status)) return ExitCode::kOk;
  Say(status.message());
  return ExitCodeOf(status);
}

ExitCode Console::Close(ExitCode code) {
  progress_.End();
  Flush();
  if (write_status_.ok()) return code;
  Say(write_status_.message());
  return ExitCode::kCannot;
}

std::unique_ptr<WritableFile> Console::OutputFile() { return std::make_unique<ConsoleFile>(this); }

std::string InputName(absl::string_view path) {
  return path == "-" ? "standard input" : WithoutUrlSecrets(path);
}

}  // namespace sstable::tools
