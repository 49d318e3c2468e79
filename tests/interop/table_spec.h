// A table to be written, described for both libraries; and random tables.
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
  bool reverse = false;  // the reverse of bytewise order, for user keys if the keys are internal
  size_t block_size = 4096;
  int block_restart_interval = 16;
  bool snappy = true;
  std::optional<int> bits_per_key;  // nullopt: no filter
  Entries entries;                  // in order
  std::vector<bool> flush_before;   // one for each entry: Flush() is called before it is added

  // Describes the options and the number of entries, for failure messages.
  std::string Describe() const;
};

enum class KeyShape {
  kShort,        // a few random bytes, the empty key among them
  kLongPrefix,   // hundreds of bytes of which most are shared
  kDecimal,      // what db_bench writes
  kHighBytes,    // runs of 0xff, which no separator can go beyond, and other bytes around 0x80
  kFewLetters,   // keys that are prefixes of each other
  kLargeValues,  // values of up to 100 KiB, some of them incompressible
};

// The same shape, kind, order and seed give the same table everywhere.
TableSpec RandomTable(KeyShape shape, KeyKind key_kind, bool reverse, uint64_t seed);

// Random numbers that are the same everywhere, unlike the distributions of <random>.
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
