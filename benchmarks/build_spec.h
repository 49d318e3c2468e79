// The settings with which a table is built.
#ifndef SSTABLE_BENCHMARKS_BUILD_SPEC_H_
#define SSTABLE_BENCHMARKS_BUILD_SPEC_H_

#include <string>

namespace sstable {
class TableFilterPolicy;
}

namespace sstable::bench {

enum class Codec { kRaw, kSnappy, kZstd };

inline constexpr int kBitsPerKey = 10;
inline constexpr int kZstdLevel = 1;

struct BuildSpec {
  Codec codec = Codec::kRaw;
  bool filter = true;
  std::string path = "";        // if empty, bytes are counted and dropped
  int compression_threads = 1;  // only for ours; the others use one
  // Only for ours; the others have no such filter. Null by default, as in LevelDB.
  const TableFilterPolicy* table_filter = nullptr;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_BUILD_SPEC_H_
