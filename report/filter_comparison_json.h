// A comparison of filters as JSON: the output of `sst filter compare --format json`, also used by
// the web page.
#ifndef SSTABLE_REPORT_FILTER_COMPARISON_JSON_H_
#define SSTABLE_REPORT_FILTER_COMPARISON_JSON_H_

#include "report/json.h"
#include "table/inspect/filter_comparison.h"

namespace sstable {

// "filters" has the size and rates of each of comparison.filters(), in that order.
Json FilterComparisonJson(const FilterComparison& comparison);

// Returns 0 if there are no keys.
double BitsPerKey(const ComparedFilter& filter, const FilterComparison& comparison);

}  // namespace sstable

#endif  // SSTABLE_REPORT_FILTER_COMPARISON_JSON_H_
