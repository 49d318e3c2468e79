// The results of an experiment, in the form in which they are printed.
#ifndef SSTABLE_BENCHMARKS_FILTER_LAB_POINT_H_
#define SSTABLE_BENCHMARKS_FILTER_LAB_POINT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"

namespace sstable::bench {

// The number of absent keys tested with filters, and how many of them passed.
struct Passed {
  uint64_t tested = 0;
  uint64_t passed = 0;

  void Add(bool passes) {
    ++tested;
    passed += passes;
  }
};

// A point of a plot, or a row of a table.
struct Point {
  std::string series;
  double x = 0;  // the varied parameter
  Passed measured;
  std::optional<double> theory;        // the expected rate
  std::optional<double> bits_per_key;  // if `x` is something else
};

// Prints as JSON: {"name": [{"series", "x", "tested", "passed", "theory", "bits_per_key"}, ...]},
// without the last two if they are not set.
class Results {
 public:
  void Add(const std::string& name, const std::vector<Point>& points) {
    for (const Point& point : points) {
      nlohmann::ordered_json row = {{"series", point.series},
                                    {"x", point.x},
                                    {"tested", point.measured.tested},
                                    {"passed", point.measured.passed}};
      if (point.theory) row["theory"] = *point.theory;
      if (point.bits_per_key) row["bits_per_key"] = *point.bits_per_key;
      json_[name].push_back(std::move(row));
    }
  }
  nlohmann::ordered_json& json() { return json_; }

 private:
  nlohmann::ordered_json json_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_FILTER_LAB_POINT_H_
