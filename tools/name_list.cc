#include "tools/name_list.h"

#include <cerrno>
#include <climits>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "tools/cli/console.h"
#include "util/status_util.h"

namespace sstable::tools {

NameList::NameList(const std::string& path, char end)
    : path_(path), end_(end), stream_(path == "-" ? &std::cin : &file_) {
  errno = 0;
  if (path != "-") file_.open(path, std::ios::binary);
}

absl::Status NameList::ErrorAt(const char* what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path_), ": name ", number_, " of the list ", what));
}

absl::StatusOr<bool> NameList::NextName(std::string* name) {
  if (path_ != "-" && !file_.is_open()) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path_, ": can't open"));
  }
  // Not std::getline(std::string): a file that is no list may have no line ends at all.
  char buffer[PATH_MAX + 1];
  errno = 0;
  stream_->getline(buffer, sizeof(buffer), end_);
  if (stream_->bad() || errno != 0) {
    return absl::ErrnoToStatus(errno == 0 ? EIO : errno,
                               absl::StrCat(InputName(path_), ": can't read"));
  }
  if (stream_->eof() && stream_->gcount() == 0) return false;
  ++number_;
  if (stream_->fail()) return ErrorAt("is longer than a path can be");
  // The count includes `end_`, if it was there.
  const auto size = static_cast<size_t>(stream_->gcount()) - (stream_->eof() ? 0 : 1);
  name->assign(buffer, size);
  if (name->empty()) return ErrorAt("is empty");
  if (*name == "-") return ErrorAt("is \"-\"; a file that is called so is ./-");
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
