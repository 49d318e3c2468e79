// A file that is not there, or fails.
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

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FAKE_FILES_H_
