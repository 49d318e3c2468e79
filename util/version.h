// The version of the library and of `sst`. CMakeLists.txt reads it from here.
#ifndef SSTABLE_UTIL_VERSION_H_
#define SSTABLE_UTIL_VERSION_H_

namespace sstable {

inline constexpr char kVersion[] = "0.1.0";

}  // namespace sstable

#endif  // SSTABLE_UTIL_VERSION_H_
