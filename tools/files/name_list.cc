#include "tools/files/name_list.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/console.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {

NameList::NameList(const std::string& path, char end) : path_(path), end_(end) {}

absl::Status NameList::ErrorAt(const char* what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path_), ": name ", number_, " of the list ", what));
}

absl::Status NameList::ReadMore() {
  constexpr size_t kReadSize = 64 * 1024;
  if (descriptor_.get() < 0) {
    descriptor_ = ScopedDescriptor(path_ == "-" ? sys::Duplicate(0)
                                                : OpenDescriptor(path_, sys::OpenFor::kRead));
    if (descriptor_.get() < 0) return ErrnoError(InputName(path_), "can't open");
  }
  buffer_.erase(0, std::exchange(start_, 0));
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadSize);
  const ptrdiff_t count =
      Uninterrupted([&] { return sys::Read(descriptor_.get(), &buffer_[old_size], kReadSize); });
  buffer_.resize(old_size + static_cast<size_t>(std::max<ptrdiff_t>(count, 0)));
  if (count < 0) return ErrnoError(InputName(path_), "can't read");
  at_end_ = count == 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> NameList::NextName(std::string* name) {
  size_t end;
  while ((end = buffer_.find(end_, start_)) == buffer_.npos && !at_end_ &&
         buffer_.size() - start_ < sys::kMaxPathSize) {
    RETURN_IF_ERROR(ReadMore());
  }
  if (start_ == buffer_.size()) return false;
  ++number_;
  const size_t size = std::min(end, buffer_.size()) - start_;
  if (size >= sys::kMaxPathSize) return ErrorAt("is longer than a path can be");
  name->assign(buffer_, start_, size);
  start_ += size + (end == buffer_.npos ? 0 : 1);
  if (name->empty()) return ErrorAt("is empty");
  if (*name == "-") return ErrorAt("is \"-\"; a file with that name is ./-");
  if (name->find('\0') != name->npos) {
    return ErrorAt("contains a NUL byte; --files0-from reads names that end in one");
  }
  return true;
}

absl::Status NameList::Next(size_t max_count, std::vector<std::string>* names) {
  names->clear();
  std::string name;
  while (names->size() < max_count) {
    ASSIGN_OR_RETURN(const bool found, NextName(&name));
    if (!found) break;
    names->push_back(name);
  }
  return absl::OkStatus();
}

}  // namespace sstable::tools
