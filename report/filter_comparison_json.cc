#include "report/filter_comparison_json.h"

#include <utility>

#include "report/filter_rate.h"

namespace sstable {

double BitsPerKey(const ComparedFilter& filter, const FilterComparison& comparison) {
  if (comparison.key_count() == 0) return 0;
  return 8 * static_cast<double>(filter.bytes) / static_cast<double>(comparison.key_count());
}

Json FilterComparisonJson(const FilterComparison& comparison) {
  const double tables_per_lookup = comparison.TablesPerLookup();
  Json filters = Json::array();
  for (const ComparedFilter& filter : comparison.filters()) {
    Json json = {{filter.base_lg.has_value() ? "filter" : "table_filter", filter.option}};
    if (filter.base_lg.has_value()) json["base_lg"] = *filter.base_lg;
    json["bytes"] = filter.bytes;
    json["bits_per_key"] = BitsPerKey(filter, comparison);
    json["expected_rate"] = filter.ExpectedRate();
    json["false_positives"] = RateJson(filter.random);
    json["false_positives_of_neighbours"] = RateJson(filter.neighbours);
    json["blocks_read_per_absent_lookup"] = tables_per_lookup * filter.random.Rate();
    filters.push_back(std::move(json));
  }
  return {{"keys", comparison.key_count()},
          {"is_sample", comparison.is_sample()},
          {"tables_per_absent_lookup", tables_per_lookup},
          {"filters", std::move(filters)}};
}

}  // namespace sstable
