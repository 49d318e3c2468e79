// Swaps neighbours, with correct checksums, as a program with a wrong order would write them.
#ifndef SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
#define SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_

#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Swaps two neighbouring entries, in a block or across the end of a block, two neighbouring data
// blocks, or two neighbouring entries of the index. The index keys are the old ones, or those of a
// writer that takes the new order for the right one; such a writer also builds a new filter,
// otherwise there is none. The table must be a made one. Returns false, without a change, if it has
// no such neighbours.
bool SwapNeighbours(const Original& original, Random* random, Mutant* mutant);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
