// What was rescued of a database, in words and as JSON: the output of `sst salvage DIR`, also used
// by the page of web/.
#ifndef SSTABLE_REPORT_SALVAGE_REPORT_H_
#define SSTABLE_REPORT_SALVAGE_REPORT_H_

#include <string>
#include <vector>

#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/salvage.h"

namespace sstable {

// Returns the word in JSON for what became of a file.
const char* OutcomeWord(RescuedFile::Outcome outcome);

// The result in one sentence, for someone who reads no further. `new_folder` is its name.
std::string SalvageVerdict(const DatabaseSalvageReport& report, const std::string& new_folder);

// Says what --include-dropped may save and bring back; empty if no table that was left out may have
// lost entries.
std::string DescribeDroppedTables(const DatabaseSalvageReport& report);

// Lines on the files that were not copied as they are, and on the entries that are lost;
// report.problems are not among them. `decoder` may be null; else it names the keys.
std::vector<std::string> DescribeLosses(const DatabaseSalvageReport& report,
                                        const EntryDecoder* decoder);

// `decoder` may be null; else the keys have their names, too.
Json DatabaseSalvageJson(const DatabaseSalvageReport& report, const std::string& folder,
                         const std::string& new_folder, const EntryDecoder* decoder);

}  // namespace sstable

#endif  // SSTABLE_REPORT_SALVAGE_REPORT_H_
