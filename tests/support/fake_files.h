// Files that are not there, or fail.
#ifndef SSTABLE_TESTS_SUPPORT_FAKE_FILES_H_
#define SSTABLE_TESTS_SUPPORT_FAKE_FILES_H_

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "util/file.h"

namespace sstable::test {

// A file of any size that holds some ranges of bytes, and zeros elsewhere. It is not in memory, so
// each block is read by Read(); that can be made to fail.
class FakeFile final : public RandomAccessFile {
 public:
  FakeFile(uint64_t size, std::map<uint64_t, std::string> ranges, std::string name = "fake")
      : RandomAccessFile(std::move(name), size), ranges_(std::move(ranges)) {}

  explicit FakeFile(std::string contents) : FakeFile(contents.size(), {{0, contents}}) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    assert(offset <= this->size() && size <= this->size() - offset);
    if (read_count_++ == failing_read_) return absl::UnavailableError("fake: read failed");
    std::memset(dst, 0, size);
    for (const auto& [start, bytes] : ranges_) {
      const uint64_t from = std::max(offset, start);
      const uint64_t to = std::min(offset + size, start + bytes.size());
      if (from < to) std::memcpy(dst + (from - offset), bytes.data() + (from - start), to - from);
    }
    return absl::OkStatus();
  }

  uint64_t read_count() const { return read_count_; }
  // Makes the read fail before which there are `count` others from now on.
  void FailReadAfter(uint64_t count) { failing_read_ = read_count_ + count; }

 private:
  std::map<uint64_t, std::string> ranges_;  // by offset in the file
  mutable std::atomic<uint64_t> read_count_{0};
  std::atomic<uint64_t> failing_read_{std::numeric_limits<uint64_t>::max()};
};

// What a FaultyWritableFile was asked to do. It outlives the file, which builders own.
struct WritableFileLog {
  int calls = 0;  // of Append, Sync and Close
  int calls_after_fault = 0;
  std::string failed;  // "Append", "Sync" or "Close"; empty if none failed
};

// Passes everything on to another file until one call fails. As on a real device that is full or
// gone, that one is then not done.
class FaultyWritableFile final : public WritableFile {
 public:
  // The call that has `calls_before_fault` others before it fails; none if that is below zero.
  FaultyWritableFile(std::unique_ptr<WritableFile> base, int calls_before_fault,
                     WritableFileLog* log)
      : WritableFile(base->name()),
        base_(std::move(base)),
        calls_before_fault_(calls_before_fault),
        log_(log) {}

  absl::Status Append(absl::string_view data) override {
    return Fails("Append") ? Fault() : base_->Append(data);
  }
  absl::Status Sync() override { return Fails("Sync") ? Fault() : base_->Sync(); }
  absl::Status Close() override { return Fails("Close") ? Fault() : base_->Close(); }

 private:
  bool Fails(const char* what) {
    if (!log_->failed.empty()) ++log_->calls_after_fault;
    if (log_->calls++ != calls_before_fault_) return false;
    log_->failed = what;
    return true;
  }
  absl::Status Fault() const {
    return absl::ResourceExhaustedError(name() + ": " + log_->failed + " failed");
  }

  std::unique_ptr<WritableFile> base_;
  int calls_before_fault_;
  WritableFileLog* log_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FAKE_FILES_H_
