// Reports on a table as JSON: the output of `sst check`, `layout`, `filter`, `stats` and `salvage`
// with --format json, also used by the web page.
#ifndef SSTABLE_REPORT_TABLE_JSON_H_
#define SSTABLE_REPORT_TABLE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/layout.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/table_reader.h"

namespace sstable {

// `name` is the name of the file.
Json CheckJson(const CheckReport& report, const std::string& name);
// The report on a file that can't be opened as a table; `status` is the reason.
Json UncheckedJson(const absl::Status& status, const std::string& name);
Json LayoutJson(const TableReader& reader, const Layout& layout);
Json FilterJson(const FilterReport& report, const std::string& name);
Json StatsJson(const TableStats& stats, const std::string& name, bool internal_keys);
// `out` is the path of the new table, if it was written. If `decoder` is not null, keys are also
// named.
Json SalvageJson(const Salvager& salvager, const std::string& name, const std::string& out,
                 bool written, const EntryDecoder* decoder);

// Returns the reason why an entry was left out, as text for people and as in JSON.
std::pair<const char*, const char*> DescribeReason(SalvageConflict::Kind kind);

// Returns the range of sizes that SizeHistogram::by_bit_width[bit_width] counts.
std::pair<uint64_t, uint64_t> SizeRange(size_t bit_width);

}  // namespace sstable

#endif  // SSTABLE_REPORT_TABLE_JSON_H_
