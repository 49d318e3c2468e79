// Makes mutants: tables with one to five changes, as disks, programs and attackers make them.
#ifndef SSTABLE_TESTS_MUTANTS_MUTANT_H_
#define SSTABLE_TESTS_MUTANTS_MUTANT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tests/mutants/original.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

struct Mutant {
  std::string bytes;
  std::vector<std::string> kinds;  // of its changes
  std::string description;         // of them all, with places
  bool repaired = false;           // checksums are right again, so its contents are others

  // Repaired, and yet it holds the entries of the original, each of them once, in another order.
  bool is_reordered = false;
  std::vector<size_t> moved;  // then: the entries next to where the order is broken

  // Whether it holds the entries of the original, but for damage.
  bool has_original_entries() const { return !repaired || is_reordered; }
};

// Half of them are repaired. Those of made tables are cut, damaged after the data blocks, have
// neighbours swapped, are changed as others are, or not at all.
Mutant MakeMutant(const Original& original, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MUTANT_H_
