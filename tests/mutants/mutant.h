// Makes mutants: tables with one to five changes, as made by disks, programs and attackers.
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
  std::vector<std::string> kinds;  // kinds of its changes
  std::string description;         // describes all of them, with offsets
  bool repaired = false;  // checksums were corrected, so its contents differ from the original's

  // Repaired, but it has the entries of the original, each of them once, in another order.
  bool is_reordered = false;
  std::vector<size_t> moved;  // if so: the entries next to the breaks in the order

  // True if it has the entries of the original, apart from damage.
  bool has_original_entries() const { return !repaired || is_reordered; }
};

// Makes a mutant; every second one gets right checksums again. A generated table is cut short, is
// damaged after its data blocks, has two neighbouring blocks swapped, is changed like a table of
// another program, or stays as it is.
Mutant MakeMutant(const Original& original, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MUTANT_H_
