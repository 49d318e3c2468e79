// Measured false-positive rates, as text and as JSON.
#ifndef SSTABLE_REPORT_FILTER_RATE_H_
#define SSTABLE_REPORT_FILTER_RATE_H_

#include <string>

#include "absl/strings/str_format.h"
#include "report/json.h"
#include "sstable/experimental/filter_report.h"

namespace sstable {

inline std::string Percent(double part) { return absl::StrFormat("%.3f %%", 100 * part); }

inline Json RateJson(const FilterRate& rate) {
  const FilterRate::Interval interval = rate.Interval95();
  return {{"absent_keys_tested", rate.tested},
          {"passed", rate.passed},
          {"measured_rate", rate.Rate()},
          {"low", interval.low},
          {"high", interval.high}};
}

}  // namespace sstable

#endif  // SSTABLE_REPORT_FILTER_RATE_H_
