#include "tools/records/line_reader.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "tools/cli/interrupt.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// Small enough to stay in the processor's cache until its lines have been parsed.
constexpr size_t kBlockSize = 256 * 1024;

// A few compressed bytes may become any number of bytes. In an uncompressed file, the file's size
// limits a line.
constexpr size_t kMaxCompressedLine = size_t{1} << 31;

constexpr int kPollMilliseconds = 100;
constexpr int kStandardInput = 0;

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

absl::StatusOr<size_t> LineReader::ReadFile(char* dst, size_t size) {
  for (;;) {
    // A signal just before read() would not interrupt it, so this waits for input in short steps.
    while (!sys::WaitForInput(descriptor_, kPollMilliseconds)) RETURN_IF_ERROR(CheckInterrupted());
    RETURN_IF_ERROR(CheckInterrupted());
    const ptrdiff_t read = sys::Read(descriptor_, dst, size);
    if (read < 0 && errno == EINTR) continue;
    if (read < 0) {
      return absl::ErrnoToStatus(errno,
                                 absl::StrCat(InputName(inputs_[place_.input]), ": can't read"));
    }
    console_->progress().Advance(static_cast<uint64_t>(read));
    return static_cast<size_t>(read);
  }
}

absl::StatusOr<size_t> LineReader::ReadUncompressed(char* dst, size_t size) {
  const std::string name = InputName(inputs_[place_.input]);
  for (;;) {
    const absl::StatusOr<size_t> written = decompressor_->Run(&compressed_unread_, dst, size);
    if (!written.ok()) return AtPlace(name, written.status());
    if (*written > 0) return *written;
    if (!compressed_unread_.empty()) continue;  // another stream follows
    compressed_.resize(kBlockSize);
    ASSIGN_OR_RETURN(const size_t read, ReadFile(&compressed_[0], compressed_.size()));
    compressed_unread_ = absl::string_view(compressed_.data(), read);
    if (read > 0) continue;
    if (decompressor_->at_end()) return 0;
    return absl::DataLossError(absl::StrCat(name, ": the compressed data ends too early"));
  }
}

absl::Status LineReader::ReadMore() {
  RETURN_IF_ERROR(MakeRoom());
  char* const end = buffer_.get() + unread_.size();
  const size_t room = capacity_ - unread_.size();
  size_t size = 0;
  if (at_start_) {
    size_t read = 0;
    do {
      ASSIGN_OR_RETURN(read, ReadFile(end + size, room - size));
      size += read;
    } while (read > 0 && size < Decompressor::kMagicSize);
    at_start_ = false;
    decompressor_ = Decompressor::ForMagic({end, size});
    if (decompressor_ != nullptr) {
      compressed_.assign(end, size);
      compressed_unread_ = compressed_;
    }
  }
  if (decompressor_ != nullptr) {
    ASSIGN_OR_RETURN(size, ReadUncompressed(end, room));
  } else if (size == 0) {
    ASSIGN_OR_RETURN(size, ReadFile(end, room));
  }
  at_end_ = size == 0;
  unread_ = absl::string_view(buffer_.get(), unread_.size() + size);
  return absl::OkStatus();
}

// Moves the incomplete line to the front of the buffer, which grows if the line fills half of it.
absl::Status LineReader::MakeRoom() {
  if (unread_.size() <= capacity_ / 2) {
    std::memmove(buffer_.get(), unread_.data(), unread_.size());
  } else if (decompressor_ != nullptr && capacity_ >= kMaxCompressedLine) {
    return absl::ResourceExhaustedError(
        absl::StrCat(InputName(inputs_[place_.input]), ":", place_.line + 1,
                     ": uncompressed, the line has more than ", kMaxCompressedLine / 2, " bytes"));
  } else {
    capacity_ *= 2;
    std::unique_ptr<char[]> larger(new char[capacity_]);
    std::memcpy(larger.get(), unread_.data(), unread_.size());
    buffer_ = std::move(larger);
  }
  unread_ = absl::string_view(buffer_.get(), unread_.size());
  return absl::OkStatus();
}

absl::Status LineReader::Open() {
  const std::string& path = inputs_[place_.input];
  // Opening a pipe may wait, until a signal interrupts it.
  while (descriptor_ < 0) {
    descriptor_ = path == "-" ? kStandardInput : sys::Open(path, sys::OpenFor::kRead);
    const int error = errno;
    RETURN_IF_ERROR(CheckInterrupted());
    if (descriptor_ >= 0 || error == EINTR) continue;
    errno = error;
    return ErrnoError(InputName(path), "can't open");
  }
  FileInfo info;  // its size remains 0 if there is none
  sys::StatDescriptor(descriptor_, &info);
  if (sys::IsTerminal(descriptor_)) {
    console_->Say(absl::StrCat("reading records; ", sys::kEndOfInputKeys, " them"));
  }
  console_->progress().Begin(InputName(path), info.size);
  return absl::OkStatus();
}

void LineReader::Close() {
  if (descriptor_ > kStandardInput) sys::Close(descriptor_);
  descriptor_ = -1;
  at_start_ = true;
  at_end_ = false;
  decompressor_ = nullptr;
}

}  // namespace sstable::tools
