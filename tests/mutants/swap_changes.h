// Neighbours swapped, with checksums that are right: what a program with a wrong order writes.
#ifndef SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
#define SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_

#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

// Swaps two neighbouring entries in a block or across a block's end, two neighbouring data blocks,
// or two neighbouring entries of the index. The index keys are the old ones, or what a writer
// would write who takes the new order for the right one; such a writer writes the filter anew,
// else there is none. Of a made table. False, and no change, if it has no such neighbours.
bool SwapNeighbours(const Original& original, Random* random, Mutant* mutant);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_SWAP_CHANGES_H_
