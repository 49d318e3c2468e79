// Tests many mutants in child processes, one batch each, so that a crash can be attributed to a
// mutant.
#ifndef SSTABLE_TESTS_MUTANTS_CAMPAIGN_H_
#define SSTABLE_TESTS_MUTANTS_CAMPAIGN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sstable::mutants {

struct CampaignOptions {
  uint64_t count = 1000;
  uint64_t seed = 1;
  std::optional<uint64_t> only;    // tests only this mutant
  int jobs = 1;                    // processes at a time
  uint64_t max_size = UINT64_MAX;  // larger tables are skipped
  // Percentage of mutants whose table is generated; 100 if `tables` is empty.
  uint64_t made_percent = 50;
  std::string save_folder;          // receives mutants with violations
  std::vector<std::string> tables;  // paths of table files
};

// Prints violations as they are found, and totals at the end. Returns true if there are none.
bool RunCampaign(const CampaignOptions& options);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_CAMPAIGN_H_
