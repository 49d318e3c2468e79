// Many mutants, in child processes that take some each, so that a crash is that of one mutant.
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
  std::optional<uint64_t> only;    // this mutant alone
  int jobs = 1;                    // processes at a time
  uint64_t max_size = UINT64_MAX;  // larger tables are left out
  // Of how many mutants in 100 the table is made for them; so it is of all if `tables` is empty.
  uint64_t made_percent = 50;
  std::string save_folder;          // gets mutants with violations
  std::vector<std::string> tables;  // paths
};

// Prints violations as they come, and sums at the end. True if there are none.
bool RunCampaign(const CampaignOptions& options);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_CAMPAIGN_H_
