// Atomic creation of files that another library writes by name.
#ifndef SSTABLE_UTIL_ATOMIC_FILE_H_
#define SSTABLE_UTIL_ATOMIC_FILE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sstable/file.h"
#include "sstable/slice.h"

namespace sstable {

// CreateFileAtomically(path) of sstable/file.h, which also sets `*temporary_path` to the name by
// which the file can be written until Close() renames it.
absl::StatusOr<std::unique_ptr<WritableFile>> CreateFileAtomically(Slice path,
                                                                   std::string* temporary_path);

}  // namespace sstable

#endif  // SSTABLE_UTIL_ATOMIC_FILE_H_
