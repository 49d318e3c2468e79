// Measures the memory that a command uses.
#ifndef SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_
#define SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_

#include <cstdint>
#include <string>

namespace sstable::mutants {

// With AddressSanitizer, this is the most bytes allocated by malloc and new at one time, beyond
// those allocated at the start, without its quarantine and shadow. Otherwise it is the growth of
// the resident set, as reported by the kernel. Only one may exist at a time.
class MemoryMeter {
 public:
  MemoryMeter();

  uint64_t Peak() const;  // in bytes, since the meter was made

  static std::string Meaning();

 private:
  uint64_t start_;
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_
