#include "table/salvage/heaviest_chain.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sstable {
namespace {

// The weight of a chain: its own bytes, then all its bytes.
using Weight = std::pair<uint64_t, uint64_t>;

// The heaviest chain so far for each last run, by the rank of that run's last key: a Fenwick tree
// of maxima.
class ChainEnds {
 public:
  explicit ChainEnds(const std::vector<Weight>* weights)
      : weights_(*weights), ends_(weights->size() + 1) {}

  // Returns the last run of the heaviest chain whose last key has a rank below `rank`.
  std::optional<size_t> BestBelow(size_t rank) const {
    std::optional<size_t> best;
    for (; rank > 0; rank &= rank - 1) best = Heavier(best, ends_[rank]);
    return best;
  }

  void Add(size_t rank, size_t run) {
    for (size_t at = rank + 1; at < ends_.size(); at += at & (0 - at)) {
      ends_[at] = Heavier(ends_[at], run);
    }
  }

 private:
  // Returns the heavier of two, or the first if they weigh the same.
  std::optional<size_t> Heavier(std::optional<size_t> a, std::optional<size_t> b) const {
    if (!a.has_value() || !b.has_value()) return a.has_value() ? a : b;
    if (weights_[*a] != weights_[*b]) return weights_[*a] > weights_[*b] ? a : b;
    return std::min(a, b);
  }

  const std::vector<Weight>& weights_;
  std::vector<std::optional<size_t>> ends_;
};

}  // namespace

std::vector<size_t> FindHeaviestChain(absl::Span<const BlockRun> runs, const KeyOrder& order) {
  std::vector<absl::string_view> last_keys;
  for (const BlockRun& run : runs) last_keys.push_back(run.last_key);
  const auto is_less = [&order](absl::string_view a, absl::string_view b) {
    return order.Compare(a, b) < 0;
  };
  std::sort(last_keys.begin(), last_keys.end(), is_less);
  // Returns how many runs have a last key below `key`.
  const auto rank_of = [&](absl::string_view key) {
    return static_cast<size_t>(std::lower_bound(last_keys.begin(), last_keys.end(), key, is_less) -
                               last_keys.begin());
  };
  std::vector<Weight> weights(runs.size());
  std::vector<std::optional<size_t>> before(runs.size());
  ChainEnds ends(&weights);
  for (size_t i = 0; i < runs.size(); ++i) {
    before[i] = ends.BestBelow(rank_of(runs[i].first_key));
    const Weight base = before[i].has_value() ? weights[*before[i]] : Weight();
    weights[i] = {base.first + runs[i].own_size, base.second + runs[i].size};
    ends.Add(rank_of(runs[i].last_key), i);
  }
  std::vector<size_t> chain;
  for (auto run = ends.BestBelow(runs.size()); run.has_value(); run = before[*run]) {
    chain.push_back(*run);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace sstable
