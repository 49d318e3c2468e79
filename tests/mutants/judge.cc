#include "tests/mutants/judge.h"

#include <string>
#include <utility>
#include <vector>

#include "tests/mutants/rules.h"

namespace sstable::mutants {

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random) {
  Trial trial(original, mutant, runner, random);
  std::vector<std::string> check = {"check", trial.path};
  if (random->OneIn(4)) check.insert(check.begin() + 1, {"--format", "json"});
  trial.check = trial.Sst(check);
  trial.dump = trial.Sst({"dump", "--format", "jsonl", trial.path});
  trial.filter = trial.Sst({"filter", trial.path});
  JudgeScans(&trial);
  JudgeGets(&trial);
  JudgeSalvage(&trial);
  return std::move(trial.verdict);
}

}  // namespace sstable::mutants
