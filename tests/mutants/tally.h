// The results of a campaign.
#ifndef SSTABLE_TESTS_MUTANTS_TALLY_H_
#define SSTABLE_TESTS_MUTANTS_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "nlohmann/json.hpp"
#include "tests/mutants/judge.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"

namespace sstable::mutants {

// Returns one mutant's results as a line of JSON. A child process writes it, and the tally reads
// it.
nlohmann::json Record(uint64_t number, const Original& original, const Mutant& mutant,
                      const Verdict& verdict);

class Tally {
 public:
  void Add(const nlohmann::json& record);
  void AddCrash(uint64_t number);

  uint64_t mutants() const { return mutants_; }
  uint64_t mutants_with_violations() const { return mutants_with_violations_; }
  std::string Line() const;  // the results so far
  std::string Report() const;

 private:
  using Extreme = std::pair<double, std::string>;  // the highest value, and the mutant that had it
  struct OfCommand {
    uint64_t runs = 0;
    std::map<int, uint64_t> exit_codes;
    double cpu_seconds = 0;
    Extreme slowest, largest;
  };

  uint64_t mutants_ = 0, repaired_ = 0, unchanged_ = 0, mutants_with_violations_ = 0, runs_ = 0;
  // The number of mutants for which salvage said that entries may belong to another table, of those
  // where none did, and of such entries.
  uint64_t admitted_mutants_ = 0, admitted_in_vain_ = 0, admitted_entries_ = 0;
  std::map<std::string, std::pair<uint64_t, std::string>> rules_;  // times broken, first mutant
  std::map<std::string, OfCommand> commands_;
  std::map<std::string, std::pair<uint64_t, uint64_t>> kinds_;  // not repaired, repaired
  std::string doubts_;
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_TALLY_H_
