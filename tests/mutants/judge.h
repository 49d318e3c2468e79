// Runs the commands on a mutant, and finds false statements.
//
// For every mutant: the exit code is one of sst's, memory stays within the limit, and `get` calls
// no key absent that `dump` prints. For one that is not repaired: the output of a successful
// command equals that for the original; any other output is a part of it. For one that is repaired:
// commands agree with each other. For one whose entries are in another order: `check` reports that.
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
