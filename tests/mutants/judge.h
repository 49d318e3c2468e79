// Runs the commands of `sst` on a mutant and finds false statements in their output.
//
// If its checksums were not corrected, every intact entry is the original's: a command may print
// only those entries, and must print all of them if its exit code is 0. If they were corrected
// ("repaired"), the commands must agree with each other. No report may call an intact block damaged
// or lost, or a key absent that is present.
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
  std::string rule;    // identical for all mutants that break the same rule
  std::string detail;  // specific to this mutant
};

struct Verdict {
  std::vector<CommandRun> runs;
  std::vector<Violation> violations;
  std::vector<std::string> doubts;  // unavoidable faults, reported with exit code 1
  // True if salvage says that saved entries may belong to another table, and how many of them do.
  bool admits_foreign_entries = false;
  uint64_t admitted_entries = 0;
};

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_JUDGE_H_
