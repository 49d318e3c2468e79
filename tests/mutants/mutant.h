// Makes mutants: tables with one to five changes, such as disks, programs or attackers make.
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
  std::vector<std::string> kinds;  // the kind of each change
  std::string description;         // describes the changes, with offsets
  bool repaired = false;  // checksums were corrected, so its contents differ from the original's

  // True if it is repaired and has each entry of the original once, in another order.
  bool is_reordered = false;
  std::vector<size_t> moved;  // if reordered: the entries next to the breaks in the order

  // True if it has the entries of the original, apart from damage.
  bool has_original_entries() const { return !repaired || is_reordered; }
};

// Makes a mutant of a table. A table from a file gets random changes, half the time with corrected
// checksums. A generated one may also be truncated, be damaged after its data blocks, have two
// neighbours swapped, or stay as it is.
Mutant MakeMutant(const Original& original, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MUTANT_H_
