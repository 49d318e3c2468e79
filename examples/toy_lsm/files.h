// The names of a database's files, which are LevelDB's.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_FILES_H_
#define SSTABLE_EXAMPLES_TOY_LSM_FILES_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace toy_lsm {

inline std::string TablePath(absl::string_view folder, uint64_t number) {
  return absl::StrFormat("%s/%06d.ldb", folder, number);
}
inline std::string LogPath(absl::string_view folder, uint64_t number) {
  return absl::StrFormat("%s/%06d.log", folder, number);
}
inline std::string ManifestPath(absl::string_view folder, uint64_t number) {
  return absl::StrFormat("%s/MANIFEST-%06d", folder, number);
}
inline std::string CurrentPath(absl::string_view folder) {
  return absl::StrCat(folder, "/CURRENT");
}

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_FILES_H_
