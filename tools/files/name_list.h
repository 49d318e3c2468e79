// Lists of file names, for more files than fit on a command line.
#ifndef SSTABLE_TOOLS_FILES_NAME_LIST_H_
#define SSTABLE_TOOLS_FILES_NAME_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "util/descriptor.h"

namespace sstable::tools {

// Reads a list of names, each followed by `end`: '\n', or '\0' for names that contain line ends.
// After the last name, `end` may be missing.
//
// Pattern:  Next* until it returns no names or an error.
// Errors:   read errors; InvalidArgument, with the number of the name, for a name that is empty,
//           longer than a path can be, "-", or contains a NUL byte.
class NameList {
 public:
  // `path` is "-" for standard input.
  NameList(const std::string& path, char end);

  // Sets `*names` to up to `max_count` names; to none after the last; on error, to the names before
  // it.
  absl::Status Next(size_t max_count, std::vector<std::string>* names);

 private:
  absl::StatusOr<bool> NextName(std::string* name);
  absl::Status ReadMore();
  absl::Status ErrorAt(const char* what) const;

  const std::string path_;
  const char end_;
  ScopedDescriptor descriptor_{-1};  // negative before the first read
  std::string buffer_;
  size_t start_ = 0;  // where the next name starts in the buffer
  bool at_end_ = false;
  uint64_t number_ = 0;  // number of the last name, from 1
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_NAME_LIST_H_
