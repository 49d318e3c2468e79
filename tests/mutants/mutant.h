// Makes mutants: tables with one to five changes, as disks, programs and attackers make them.
#ifndef SSTABLE_TESTS_MUTANTS_MUTANT_H_
#define SSTABLE_TESTS_MUTANTS_MUTANT_H_

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
};

// Half of them are repaired.
Mutant MakeMutant(const Original& original, Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_MUTANT_H_
