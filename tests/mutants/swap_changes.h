// Swaps neighbours and corrects the checksums, like a program that sorts keys wrongly.
#ifndef SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
#define SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_

#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Swaps two neighbouring entries (in a block, or across a block boundary), data blocks or index
// entries. The index keys stay the same, or are those of a writer that considers the new order
// correct. Such a writer also builds a new filter; otherwise there is none. The table must be a
// generated one. Returns false, without a change, if it has no such neighbours.
bool SwapNeighbours(const Original& original, Random* random, Mutant* mutant);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
