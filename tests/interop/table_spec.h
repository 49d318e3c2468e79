// A table to be written by either library, and random tables.
#ifndef SSTABLE_TESTS_INTEROP_TABLE_SPEC_H_
#define SSTABLE_TESTS_INTEROP_TABLE_SPEC_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table/block/key_order.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {

struct TableSpec {
  KeyKind key_kind = KeyKind::kPlain;
  bool reverse = false;  // reverse bytewise order; for user keys if the keys are internal
  size_t block_size = 4096;
  int block_restart_interval = 16;
  bool snappy = true;
  std::optional<int> bits_per_key;  // nullopt for no filter
  Entries entries;                  // in order
  std::vector<bool> flush_before;   // for each entry: call Flush() before adding it

  // Describes the options and the number of entries, for failure messages.
  std::string Describe() const;
};

enum class KeyShape {
  kShort,        // a few random bytes or none
  kLongPrefix,   // hundreds of bytes, most of them shared
  kDecimal,      // as written by db_bench
  kHighBytes,    // bytes around 0x80, and runs of 0xff, which separators can't exceed
  kFewLetters,   // keys that are prefixes of each other
  kLargeValues,  // up to 100 KiB, some incompressible
};

// The same arguments give the same table on all platforms.
TableSpec RandomTable(KeyShape shape, KeyKind key_kind, bool reverse, uint64_t seed);

// Random numbers that are the same on all platforms, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next();
  size_t Below(size_t limit) { return static_cast<size_t>(Next() % limit); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  std::string Bytes(size_t size);

 private:
  uint64_t state_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_INTEROP_TABLE_SPEC_H_
