// Runs the commands on a mutant, and finds false statements.
//
// A mutant that is not repaired has entries of the original: what a command prints is a part of
// them, and all of them if the exit code is 0. Of one that is repaired, commands agree with each
// other. No report names an intact block as damaged or lost, or calls a key absent that is there.
#ifndef SSTABLE_TESTS_MUTANTS_JUDGE_H_
#define SSTABLE_TESTS_MUTANTS_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"
#include "tests/mutants/sst_runner.h"

namespace sstable::mutants {

inline constexpr uint64_t kMaxMemory = 256 << 20;

struct CommandRun {
  std::string command;
  int exit_code = 0;
  double cpu_seconds = 0;
  uint64_t memory_bytes = 0;
};

struct Violation {
  std::string rule;    // the same words for each mutant that breaks it
  std::string detail;  // about this mutant
};

struct Verdict {
  std::vector<CommandRun> runs;
  std::vector<Violation> violations;
  std::vector<std::string> doubts;  // what can't be avoided, and was reported with exit code 1
  // Whether salvage says that entries it saved may belong to another table, and how many do.
  bool admits_foreign_entries = false;
  uint64_t admitted_entries = 0;
};

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_JUDGE_H_
