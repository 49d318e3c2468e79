// Runs the commands on a mutant, and finds where they say what is not so.
//
// Of every mutant: an exit code of sst, within the limit of memory; `get` calls no key
// absent that `dump` prints. Of one that is not repaired: what a command says with success is what
// it says of the original, and what it says else is a part of that. Of one that is: commands agree
// with each other. Of one whose entries are in another order: `check` reports that.
#ifndef SSTABLE_TESTS_MUTANTS_JUDGE_H_
#define SSTABLE_TESTS_MUTANTS_JUDGE_H_

#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"
#include "tests/mutants/sst_runner.h"
#include "tests/mutants/trial.h"

namespace sstable::mutants {

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_JUDGE_H_
