// The results of a campaign.
#ifndef SSTABLE_TESTS_MUTANTS_TALLY_H_
#define SSTABLE_TESTS_MUTANTS_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "tests/mutants/judge.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"

namespace sstable::mutants {

// A mutant as a line of JSON, which a child process writes and the tally reads.
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
  struct Extreme {
    double value = 0;
    std::string where;
    void Take(double other, const std::string& other_where) {
      if (other > value) *this = {other, other_where};
    }
  };
  struct OfCommand {
    uint64_t exit_codes[3] = {};
    double cpu_seconds = 0;
    uint64_t slow_runs = 0;  // runs of more than half a second
    Extreme slowest;
    Extreme largest;
  };

  struct OfRule {
    uint64_t mutants = 0;
    std::string first;
  };

  void AddViolation(const std::string& rule, const std::string& table, const std::string& where);

  uint64_t mutants_ = 0, repaired_ = 0, unchanged_ = 0, mutants_with_violations_ = 0, runs_ = 0;
  // Mutants for which salvage said that entries may belong to another table: those where some did,
  // those where none did; and the number of such entries.
  uint64_t admitted_mutants_ = 0, admitted_in_vain_ = 0, admitted_entries_ = 0;
  std::map<std::pair<std::string, std::string>, OfRule> rules_;  // by rule and table
  std::vector<std::string> doubts_;
  std::map<std::string, OfCommand> commands_;
  std::map<std::string, std::pair<uint64_t, uint64_t>> kinds_;  // not repaired, repaired
  std::map<std::string, std::pair<uint64_t, double>> tables_;   // mutants, seconds
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_TALLY_H_
