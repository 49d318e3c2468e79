#include "filter/lookup_filter.h"

#include <algorithm>
#include <cmath>

namespace sstable {
namespace {

constexpr double kUnknownRate = 0.5;   // assumed for a policy that is not LevelDB's
constexpr size_t kBytesForFill = 256;  // sampled bytes of a filter; its bits are evenly spread

}  // namespace

double LookupFilter::PassRate(const BlockFilter& filter) const {
  if (!bloom_.has_value()) return kUnknownRate;
  if (filter.filter_probe_count == 0) return 1;
  const BloomView view(BytesOf(filter));
  const absl::string_view bits = view.bits().substr(0, kBytesForFill);
  const double fill =
      static_cast<double>(CountBits(bits)) / (8.0 * static_cast<double>(bits.size()));
  const int hashes = bloom_->hash == BloomHash::kEitherTail ? 2 : 1;
  return std::min(1.0, hashes * std::pow(fill, view.probe_count()));
}

}  // namespace sstable
