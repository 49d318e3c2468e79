// Files that another library writes by their names, and that still appear as a whole or not at all.
#ifndef SSTABLE_UTIL_ATOMIC_FILE_H_
#define SSTABLE_UTIL_ATOMIC_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/file.h"
#include "sstable/slice.h"

namespace sstable {

// Same as CreateFileAtomically(path) in sstable/file.h. Sets `*temporary_path` to the name under
// which the file may be written until Close() renames it.
absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(Slice path,
                                                                   std::string* temporary_path);

}  // namespace sstable

#endif  // SSTABLE_UTIL_ATOMIC_FILE_H_
