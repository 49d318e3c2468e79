// The trial of a mutant: the commands that are run on it, and the findings.
#ifndef SSTABLE_TESTS_MUTANTS_TRIAL_H_
#define SSTABLE_TESTS_MUTANTS_TRIAL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
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
  std::vector<std::string> doubts;  // doubts that can't be avoided, and are reported with exit code
                                    // 1
  // Whether salvage says that entries it saved may belong to another table, and how many do.
  bool admits_foreign_entries = false;
  uint64_t admitted_entries = 0;
};

// Ownership: borrows its arguments.
class Trial {
 public:
  Trial(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Runs a command, and reports a violation if it crashes, fails silently or exceeds the limit.
  SstResult Sst(const std::vector<std::string>& arguments);

  void Violate(absl::string_view rule, absl::string_view detail) {
    verdict.violations.push_back({std::string(rule), std::string(detail)});
  }

  // Returns true if `check`, which found nothing, says that it compared the order of keys.
  bool is_order_checked() const;

  const Original& original;
  const Mutant& mutant;
  SstRunner& runner;
  Random& random;
  std::string path;               // path of the mutant
  std::vector<bool> intact;       // which Original::data_blocks are unchanged, here or elsewhere
  SstResult check, dump, filter;  // their output for the mutant
  Verdict verdict;
};

// Bytes for a message: at most 300, escaped.
std::string Start(absl::string_view text);

// Shows where two texts begin to differ.
std::string Difference(absl::string_view found, absl::string_view expected);

absl::flat_hash_set<absl::string_view> SetOfLines(absl::string_view text);

// Returns true if two texts have the same lines in any order. Those of `expected` are distinct.
bool HaveSameLines(absl::string_view found, absl::string_view expected);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_TRIAL_H_
