#include "tools/records/line_reader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/cli/interrupt.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// Small enough to stay in the processor's cache until its lines have been parsed.
constexpr size_t kBlockSize = 256 * 1024;

constexpr int kPollMilliseconds = 100;

}  // namespace

LineReader::LineReader(std::vector<std::string> inputs, Console* console)
    : inputs_(std::move(inputs)),
      console_(console),
      buffer_(new char[kBlockSize]),
      capacity_(kBlockSize),
      unread_(buffer_.get(), 0) {}

std::string LineReader::Name(const LinePlace& place) const {
  return absl::StrCat(InputName(inputs_[place.input]), ":", place.line);
}

absl::StatusOr<bool> LineReader::Next(absl::string_view* line) {
  while (place_.input < inputs_.size()) {
    if (TakeLine(line)) {
      if (place_.line == 1 && absl::ConsumePrefix(line, "\xef\xbb\xbf")) {
        console_->Say(
            absl::StrCat(Name(place_), ": begins with a byte order mark, which is skipped"));
      }
      return true;
    }
    if (at_end_) {
      Close();
      place_ = {place_.input + 1, 0};
      continue;
    }
    if (descriptor_ < 0) {
      RETURN_IF_ERROR(CheckInterrupted());  // while waiting for another input
      RETURN_IF_ERROR(Open());
    }
    RETURN_IF_ERROR(ReadMore());
  }
  return false;
}

bool LineReader::TakeLine(absl::string_view* line) {
  const size_t end = unread_.find('\n', searched_);
  if (end != unread_.npos) {
    *line = unread_.substr(0, end);
    unread_.remove_prefix(end + 1);
  } else if (at_end_ && !unread_.empty()) {
    *line = unread_;
    unread_.remove_prefix(unread_.size());
  } else {
    searched_ = unread_.size();
    return false;
  }
  searched_ = 0;
  ++place_.line;
  return true;
}

absl::Status LineReader::ReadMore() {
  MakeRoom();
  char* const end = buffer_.get() + unread_.size();
  for (;;) {
    // A signal that comes just before read() would not wake it, so that waits no longer than this.
    pollfd input = {descriptor_, POLLIN, 0};
    while (::poll(&input, 1, kPollMilliseconds) == 0) RETURN_IF_ERROR(CheckInterrupted());
    RETURN_IF_ERROR(CheckInterrupted());
    const ssize_t size = ::read(descriptor_, end, capacity_ - unread_.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat(InputName(inputs_[place_.input]), ": can't read"));
    }
    at_end_ = size == 0;
    console_->progress().Advance(static_cast<uint64_t>(size));
    unread_ = absl::string_view(buffer_.get(), unread_.size() + static_cast<size_t>(size));
    return absl::OkStatus();
  }
}

// Moves the incomplete line to the front of the buffer, which grows if the line fills half of it.
void LineReader::MakeRoom() {
  if (unread_.size() <= capacity_ / 2) {
    std::memmove(buffer_.get(), unread_.data(), unread_.size());
  } else {
    capacity_ *= 2;
    std::unique_ptr<char[]> larger(new char[capacity_]);
    std::memcpy(larger.get(), unread_.data(), unread_.size());
    buffer_ = std::move(larger);
  }
  unread_ = absl::string_view(buffer_.get(), unread_.size());
}

absl::Status LineReader::Open() {
  const std::string& path = inputs_[place_.input];
  // Opening a pipe may wait, until a signal interrupts it.
  while (descriptor_ < 0) {
    descriptor_ = path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const int error = errno;
    RETURN_IF_ERROR(CheckInterrupted());
    if (descriptor_ >= 0 || error == EINTR) continue;
    return absl::ErrnoToStatus(error, absl::StrCat(InputName(path), ": can't open"));
  }
  struct stat info;
  const bool has_size = ::fstat(descriptor_, &info) == 0 && S_ISREG(info.st_mode);
  if (::isatty(descriptor_) == 1) console_->Say("reading records; Ctrl-D ends them");
  console_->progress().Begin(InputName(path), has_size ? static_cast<uint64_t>(info.st_size) : 0);
  return absl::OkStatus();
}

void LineReader::Close() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
  descriptor_ = -1;
  at_end_ = false;
}

}  // namespace sstable::tools
