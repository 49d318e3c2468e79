// Measures the memory that a command takes.
#ifndef SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_
#define SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_

#include <cstdint>
#include <string>

namespace sstable::mutants {

// With AddressSanitizer: the most bytes that were allocated at once, by malloc and by new, beyond
// those at the start; neither its quarantine nor its shadow counts. Else: how far the resident
// set grew, as the kernel saw it. One at a time.
class MemoryMeter {
 public:
  MemoryMeter();

  uint64_t Peak() const;  // bytes, since the meter was made

  static std::string Meaning();

 private:
  uint64_t start_;
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MEMORY_METER_H_
