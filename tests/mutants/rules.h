// What the judge holds each command to. Each function runs the commands that it needs beyond
// those that the trial has run, and adds what it finds to the verdict.
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
