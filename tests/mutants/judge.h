// Runs the commands on a mutant, and finds where they say what is not so.
//
// Of every mutant: an exit code of sst, within the limit of memory. Of one that is not
// repaired: what a command says with success is what it says of the original, and what it says
// else is a part of that. Of one that is: commands agree with each other.
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

struct Verdict {
  std::vector<CommandRun> runs;
  std::vector<std::string> violations;
  std::vector<std::string> doubts;  // that can't be helped, and are told by an exit code of 1
};

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_JUDGE_H_
