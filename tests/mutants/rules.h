// The rules of the judge for each command. Each function runs any further commands that it needs,
// and adds its findings to the verdict.
#ifndef SSTABLE_TESTS_MUTANTS_RULES_H_
#define SSTABLE_TESTS_MUTANTS_RULES_H_

#include "tests/mutants/trial.h"

namespace sstable::mutants {

// scan_rules.cc: check, dump, filter, stats, layout.
void JudgeScans(Trial* trial);

// get_rules.cc
void JudgeGets(Trial* trial);

// salvage_rules.cc
void JudgeSalvage(Trial* trial);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_RULES_H_
