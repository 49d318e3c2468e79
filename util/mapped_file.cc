#include "util/mapped_file.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

// Most data blocks fit in this many pages. Larger ones are rare, or slow to process anyway.
constexpr size_t kFewPages = 8;
// Number of hints skipped after pages were found in memory: a hint and the check each cost as much
// as a lookup in memory.
constexpr uint32_t kSkips = 4;

// Number of descriptors that files of this process keep open until they are mapped.
std::atomic<uint64_t> kept_descriptors{0};

// There may be many tables; leave most descriptors to the program.
uint64_t MostKeptDescriptors() {
  static const uint64_t most = sys::MaxDescriptors() / 8;
  return most;
}

}  // namespace

Mapping::~Mapping() {
  if (!bytes_.empty()) sys::Unmap(address(), bytes_.size());
}

void Mapping::Advise(sys::Use use) const { sys::Advise(address(), bytes_.size(), use); }

Mapping Mapping::Duplicate() const {
  const char* const copy = sys::MapAgain(address(), bytes_.size());
  return copy == nullptr ? Mapping() : Mapping({copy, bytes_.size()});
}

absl::StatusOr<std::unique_ptr<MappedFile>> MappedFile::Open(std::string name, uint64_t size,
                                                             ScopedDescriptor descriptor,
                                                             uint64_t owner) {
  std::unique_ptr<MappedFile> file(
      new MappedFile(std::move(name), size, std::move(descriptor), owner));
  // Relaxed, since it is only a count. It includes files that are just being mapped.
  if (kept_descriptors.fetch_add(1, std::memory_order_relaxed) >= MostKeptDescriptors()) {
    absl::Status status;
    std::call_once(file->map_once_, [&] { status = file->Map(); });
    RETURN_IF_ERROR(status);
  }
  return file;
}

MappedFile::~MappedFile() { CloseDescriptor(); }

void MappedFile::CloseDescriptor() const {
  if (descriptor_.get() < 0) return;
  descriptor_.Close();
  kept_descriptors.fetch_sub(1, std::memory_order_relaxed);
}

bool MappedFile::BeginReading() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (descriptor_.get() < 0) return false;
  ++readers_;
  return true;
}

void MappedFile::EndReading() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (--readers_ == 0 && IsMapped()) CloseDescriptor();
}

absl::Status MappedFile::Map() const {
  state_.store(State::kCannotBeMapped, std::memory_order_release);
  // The file may have been open for long, and may have been truncated since: reading the missing
  // bytes would raise SIGBUS.
  FileInfo info;
  if (!StatDescriptor(descriptor_.get(), &info)) return ErrnoError(name(), "can't stat");
  if (info.size < size()) {
    return absl::DataLossError(absl::StrCat(name(), ": has become shorter while it was open"));
  }
  const char* const address = sys::Map(descriptor_.get(), size());
  if (address == nullptr) return ErrnoError(name(), "can't map");
  mapping_ = Mapping(absl::string_view(address, size()));
  mapping_.Advise(sys::Use::kRandom);
  knows_memory_ = sys::KnowsMemoryOf(owner_);
  const std::lock_guard<std::mutex> lock(mutex_);
  state_.store(State::kMapped, std::memory_order_release);
  if (readers_ == 0) CloseDescriptor();
  return absl::OkStatus();
}

std::optional<absl::string_view> MappedFile::Contents() const {
  if (IsMapped()) return mapping_.bytes();
  std::call_once(map_once_, [this] { static_cast<void>(Map()); });
  if (mapping_.bytes().empty()) return std::nullopt;
  return mapping_.bytes();
}

std::optional<absl::string_view> MappedFile::ContentsForScan() const {
  if (!Contents().has_value()) return std::nullopt;
  std::call_once(scan_once_, [this] {
    scan_mapping_ = mapping_.Duplicate();
    // If there is no second mapping, lookups read too far ahead; a scan page by page would be
    // worse.
    (scan_mapping_.bytes().empty() ? mapping_ : scan_mapping_).Advise(sys::Use::kNormal);
  });
  return scan_mapping_.bytes().empty() ? mapping_.bytes() : scan_mapping_.bytes();
}

absl::Status MappedFile::Read(uint64_t offset, size_t size, char* dst) const {
  if (!IsMapped() && BeginReading()) {
    const absl::Status status = ReadAt(descriptor_.get(), this->size(), offset, size, dst);
    EndReading();
    return status;
  }
  const absl::string_view bytes = size < sys::PageSize() ? mapping_.bytes() : *ContentsForScan();
  if (size > 0) std::memcpy(dst, bytes.data() + offset, size);
  return absl::OkStatus();
}

void MappedFile::WillNeed(uint64_t offset, uint64_t size) const {
  const uint64_t start = offset & ~(sys::PageSize() - 1);
  const size_t page_count = (offset + size - start + sys::PageSize() - 1) / sys::PageSize();
  if (page_count <= 1) return;  // A read fetches a single page just as fast.
  if (!IsMapped()) return;      // Each block is then a single read().
  char* const address = const_cast<char*>(mapping_.bytes().data()) + start;
  if (knows_memory_ && page_count <= kFewPages && IsInMemory(address, page_count)) return;
  sys::Advise(address, page_count * sys::PageSize(), sys::Use::kSoon);
}

// Returns true if all the pages are in memory, or if those of one of the last few hints were.
bool MappedFile::IsInMemory(char* address, size_t page_count) const {
  // Relaxed: racing calls may check once more or once less.
  const uint32_t skips = skips_.load(std::memory_order_relaxed);
  if (skips > 0) {
    skips_.store(skips - 1, std::memory_order_relaxed);
    return true;
  }
  const bool all = sys::AreInMemory(address, page_count);
  if (all) skips_.store(kSkips, std::memory_order_relaxed);
  return all;
}

}  // namespace sstable
