// A mutant on trial: runs commands on it, and notes the rules that they break.
#ifndef SSTABLE_TESTS_MUTANTS_TRIAL_H_
#define SSTABLE_TESTS_MUTANTS_TRIAL_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "sstable/format.h"
#include "tests/mutants/judge.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"
#include "tests/mutants/sst_runner.h"

namespace sstable::mutants {

using Arguments = std::vector<std::string>;
using LineSet = absl::flat_hash_set<absl::string_view>;

LineSet SetOfLines(absl::string_view text);

// Returns a discarded value if `text` is not JSON.
nlohmann::json ParseJson(absl::string_view text);

// Returns the key in a line of `sst dump --format jsonl`.
std::optional<std::string> KeyInLine(absl::string_view line);

// Lifetime: borrows its arguments. Writes the mutant to a file, which it removes in the end.
class Trial {
 public:
  Trial(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  // Records a violation unless `holds`, which it returns. `detail` is specific to this mutant.
  bool Expect(bool holds, absl::string_view rule, absl::string_view detail);

  // Runs a command and checks the rules that hold for every command.
  SstResult Sst(const Arguments& arguments);

  // Returns true if the original's block is unchanged at its offset.
  bool IsInPlace(const BlockHandle& handle) const;

  // Returns true if `check` found nothing and says that it compared the order of keys.
  bool IsOrderChecked() const;

  // Returns true if both texts have the same lines; in any order if the mutant was reordered.
  bool IsSame(absl::string_view found, absl::string_view expected) const;

  const Original& original;
  const Mutant& mutant;
  SstRunner& runner;
  Random& random;
  const std::string path;        // the mutant's file
  const bool has_known_entries;  // the mutant's readable entries are all the original's
  SstResult check, dump;         // results for the mutant
  Verdict verdict;
};

// Judges `sst salvage`. `check` and `dump` must have been run.
void JudgeSalvage(Trial* trial);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_TRIAL_H_
