#include "benchmarks/filter_lab/theory.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace sstable::bench {
namespace {

// The probability of each number of set bits after random throws.
class Occupancy {
 public:
  explicit Occupancy(uint64_t bits) : probability_(bits + 1, 0.0) { probability_[0] = 1; }

  void Throw() {
    const double bits = static_cast<double>(probability_.size() - 1);
    if (most_ + 1 < probability_.size()) ++most_;
    for (size_t set = most_; set > 0; --set) {  // the new bit was already set, or not
      const double clear_before = bits - static_cast<double>(set) + 1;
      probability_[set] = probability_[set] * (static_cast<double>(set) / bits) +
                          probability_[set - 1] * (clear_before / bits);
    }
    probability_[0] = 0;
  }

  // Returns the probability that the next `probes` throws all hit set bits.
  double AllSet(int probes) const {
    const double bits = static_cast<double>(probability_.size() - 1);
    double sum = 0;
    for (size_t set = 0; set <= most_; ++set) {
      sum += probability_[set] * std::pow(static_cast<double>(set) / bits, probes);
    }
    return sum;
  }

 private:
  std::vector<double> probability_;
  size_t most_ = 0;  // the maximum number of set bits so far
};

}  // namespace

double BloomRate(const FilterSize& size) {
  const double probes = size.probes;
  const double throws_per_bit =
      probes * static_cast<double>(size.keys) / static_cast<double>(size.bits);
  return std::pow(-std::expm1(-throws_per_bit), probes);
}

double ExactBloomRate(const FilterSize& size) {
  Occupancy occupancy(size.bits);
  for (uint64_t i = 0; i < size.keys * static_cast<uint64_t>(size.probes); ++i) occupancy.Throw();
  return occupancy.AllSet(size.probes);
}

double BlockedBloomRate(uint64_t keys, uint64_t lines, int probes) {
  constexpr uint64_t kLineBits = 512;
  if (lines == 1) return ExactBloomRate({keys, kLineBits, probes});
  const double n = static_cast<double>(keys);
  const double chance = 1 / static_cast<double>(lines);
  const double most = n * chance + 12 * std::sqrt(n * chance) + 20;  // the rest is negligible
  Occupancy line(kLineBits);
  double rate = 0;
  for (double in_line = 0; in_line <= std::min(n, most); ++in_line) {
    const double log_ways =
        std::lgamma(n + 1) - std::lgamma(in_line + 1) - std::lgamma(n - in_line + 1);
    const double weight =
        std::exp(log_ways + in_line * std::log(chance) + (n - in_line) * std::log1p(-chance));
    rate += weight * line.AllSet(probes);
    for (int i = 0; i < probes; ++i) line.Throw();
  }
  return rate;
}

double LeastBitsPerKey(double rate) { return -std::log2(rate); }

}  // namespace sstable::bench
