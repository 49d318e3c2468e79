// A file that is first read by system calls, and mapped once mapping is worth its cost.
#ifndef SSTABLE_UTIL_MAPPED_FILE_H_
#define SSTABLE_UTIL_MAPPED_FILE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "util/descriptor.h"
#include "util/system.h"

namespace sstable {

// A mapping of a file; the destructor unmaps it.
class Mapping {
 public:
  Mapping() = default;
  explicit Mapping(absl::string_view bytes) : bytes_(bytes) {}
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Mapping();

  absl::string_view bytes() const { return bytes_; }
  void Advise(sys::Use use) const;
  // Maps the same pages once more; empty on failure. The file may be closed by then.
  Mapping Duplicate() const;

 private:
  char* address() const { return const_cast<char*>(bytes_.data()); }

  absl::string_view bytes_;
};

// Mapping a file, touching its pages and unmapping it costs as much as a dozen reads of a block. So
// the file stays open, for Read(), until the first call of Contents(), which maps and closes it.
//
// Lookups read single pages of the mapping. For each, the system would read a hundred kilobytes or
// megabytes around it, so it is advised not to. Scans do want that, and get a mapping of their own,
// since advice applies to a whole mapping.
class MappedFile final : public RandomAccessFile {
 public:
  // `size` is not 0; `owner` is the file's owner. If the process has many such files open, this one
  // is mapped at once; if that fails, returns the error in errno.
  static absl::StatusOr<std::unique_ptr<MappedFile>> Open(std::string name, uint64_t size,
                                                          ScopedDescriptor descriptor,
                                                          uint64_t owner);
  ~MappedFile() override;

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override;
  bool IsUnmapped() const override {
    return state_.load(std::memory_order_acquire) == State::kUnmapped;
  }
  // Both return nullopt if the file can't be mapped or has become shorter; Read() may still work.
  std::optional<absl::string_view> Contents() const override;
  std::optional<absl::string_view> ContentsForScan() const override;
  void WillNeed(uint64_t offset, uint64_t size) const override;

 private:
  enum class State : uint8_t { kUnmapped, kMapped, kCannotBeMapped };

  MappedFile(std::string name, uint64_t size, ScopedDescriptor descriptor, uint64_t owner)
      : RandomAccessFile(std::move(name), size),
        owner_(owner),
        descriptor_(std::move(descriptor)) {}

  absl::Status Map() const;
  bool IsMapped() const { return state_.load(std::memory_order_acquire) == State::kMapped; }
  // Returns true if the descriptor is open for reading; it then stays open until EndReading().
  bool BeginReading() const;
  void EndReading() const;
  void CloseDescriptor() const;
  bool IsInMemory(char* address, size_t page_count) const;

  const uint64_t owner_;
  mutable std::atomic<State> state_{State::kUnmapped};
  mutable std::once_flag map_once_, scan_once_;
  // Guards the next two members. The descriptor stays open while threads read from it. The last
  // reader closes it, so that the thread that maps the file does not wait for a slow device.
  mutable std::mutex mutex_;
  mutable size_t readers_ = 0;
  mutable ScopedDescriptor descriptor_;
  mutable Mapping mapping_;  // made at first use, as is scan_mapping_
  mutable Mapping scan_mapping_;
  mutable bool knows_memory_ = false;  // the system reports which pages are in memory
  mutable std::atomic<uint32_t> skips_{0};
};

}  // namespace sstable

#endif  // SSTABLE_UTIL_MAPPED_FILE_H_
