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
  std::string path = "";        // empty: a sink that counts the bytes and drops them
  int compression_threads = 1;  // ours only; the others use one
  // Ours only; the others have none. LevelDB's default.
  const TableFilterPolicy* table_filter = nullptr;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_BUILD_SPEC_H_
