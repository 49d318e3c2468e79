// Files that do not exist on disk, or whose reads fail.
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
#include "sstable/file.h"

namespace sstable::test {

// A file of any size that consists of zeros except for some ranges. It is not in memory, so each
// block is read by Read(), which can be made to fail.
class FakeFile final : public RandomAccessFile {
 public:
  FakeFile(uint64_t size, std::map<uint64_t, std::string> ranges, std::string name = "fake")
      : RandomAccessFile(std::move(name), size), ranges_(std::move(ranges)) {}

  explicit FakeFile(std::string contents) : FakeFile(contents.size(), {{0, contents}}) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    assert(offset <= this->size() && size <= this->size() - offset);
    const uint64_t bad_size = bad_size_, bad_offset = bad_offset_;
    const bool is_bad = offset < bad_offset + bad_size && bad_offset < offset + size;
    if (is_bad) ++bad_read_count_;
    if (read_count_++ == failing_read_ || is_bad) {
      return error_;
    }
    std::memset(dst, 0, size);
    for (const auto& [start, bytes] : ranges_) {
      const uint64_t from = std::max(offset, start);
      const uint64_t to = std::min(offset + size, start + bytes.size());
      if (from < to) std::memcpy(dst + (from - offset), bytes.data() + (from - start), to - from);
    }
    return absl::OkStatus();
  }

  // Makes the file claim that it could still be mapped. It is never mapped.
  void SetUnmapped(bool is_unmapped) { is_unmapped_ = is_unmapped; }
  bool IsUnmapped() const override { return is_unmapped_; }

  uint64_t read_count() const { return read_count_; }
  // Makes the read after the next `count` ones fail.
  void FailReadAfter(uint64_t count) { failing_read_ = read_count_ + count; }

  // Makes every read of these bytes fail, like a bad sector. A size of 0 ends the failures.
  void SetBadRange(uint64_t offset, uint64_t size) {
    bad_offset_ = offset;
    bad_size_ = size;
  }
  // Sets the error of failing reads. Must not be called while another thread reads.
  void SetError(absl::Status error) { error_ = std::move(error); }
  uint64_t bad_read_count() const { return bad_read_count_; }  // failed reads of such ranges

 private:
  bool is_unmapped_ = false;
  std::map<uint64_t, std::string> ranges_;  // keyed by file offset
  absl::Status error_ = absl::UnavailableError("fake: read failed");
  mutable std::atomic<uint64_t> read_count_{0};
  std::atomic<uint64_t> failing_read_{std::numeric_limits<uint64_t>::max()};
  std::atomic<uint64_t> bad_offset_{0}, bad_size_{0};
  mutable std::atomic<uint64_t> bad_read_count_{0};
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_FAKE_FILES_H_
