// A comparison of filters as JSON: the output of `sst filter compare --format json`, also used by
// the page of web/.
#ifndef SSTABLE_TOOLS_FILTER_COMPARISON_JSON_H_
#define SSTABLE_TOOLS_FILTER_COMPARISON_JSON_H_

#include "tools/filter_comparison.h"
#include "tools/records/json.h"

namespace sstable::tools {

// `filters` has the size and rates of each of comparison.filters(), in that order.
Json FilterComparisonJson(const FilterComparison& comparison);

// 0 if there are no keys.
double BitsPerKey(const ComparedFilter& filter, const FilterComparison& comparison);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILTER_COMPARISON_JSON_H_
