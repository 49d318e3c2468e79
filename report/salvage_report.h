// What was rescued from a database, in words and as JSON: the output of `sst salvage DIR`, also
// used by the web page.
#ifndef SSTABLE_REPORT_SALVAGE_REPORT_H_
#define SSTABLE_REPORT_SALVAGE_REPORT_H_

#include <string>
#include <vector>

#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/salvage.h"

namespace sstable {

// Returns the word that JSON reports use for an outcome.
const char* OutcomeWord(RescuedFile::Outcome outcome);

// Returns the result in one sentence, for someone who reads no further.
std::string SalvageVerdict(const DatabaseSalvageReport& report, const std::string& new_folder);

// Describes what --include-dropped could save, and what it could bring back; empty if no table that
// was left out can have lost entries.
std::string DescribeDroppedTables(const DatabaseSalvageReport& report);

// Returns a line for each file that was not copied unchanged and for each loss, but not
// report.problems. If `decoder` is not null, keys are named.
std::vector<std::string> DescribeLosses(const DatabaseSalvageReport& report,
                                        const EntryDecoder* decoder);

// If `decoder` is not null, keys are also named.
Json DatabaseSalvageJson(const DatabaseSalvageReport& report, const std::string& folder,
                         const std::string& new_folder, const EntryDecoder* decoder);

}  // namespace sstable

#endif  // SSTABLE_REPORT_SALVAGE_REPORT_H_
