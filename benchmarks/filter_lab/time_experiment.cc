#include "benchmarks/filter_lab/time_experiment.h"

#include <cstdint>
#include <utility>

#include "absl/strings/string_view.h"
#include "benchmarks/filter_lab/lab_filter.h"
#include "benchmarks/thread_time.h"
#include "benchmarks/workload.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"

namespace sstable::bench {
namespace {

constexpr size_t kKeys = 10'000;
constexpr int kProbes = 6;
constexpr uint64_t kBits = 10 * kKeys;
constexpr int kRounds = 41;

// Keys of equal size, contiguous in memory.
class Keys {
 public:
  explicit Keys(size_t key_size) : key_size_(key_size) {
    Random random(601);
    while (bytes_.size() < kKeys * key_size) bytes_ += RandomKey(&random);
  }
  absl::string_view operator[](size_t i) const {
    return absl::string_view(bytes_).substr(i * key_size_, key_size_);
  }

 private:
  size_t key_size_;
  std::string bytes_;
};

volatile uint64_t sink;  // keeps the timed code from being optimized away

// A kind of probes: `probes_of` returns those of a key, and `hashes_of` the sum of its hashes.
template <typename ProbesOf, typename HashesOf>
class Scheme {
 public:
  Scheme(const Keys& keys, ProbesOf probes_of, HashesOf hashes_of)
      : keys_(keys), probes_of_(probes_of), hashes_of_(hashes_of) {}

  void Round() {
    hash_.push_back(Time([this](size_t i) { return hashes_of_(keys_[i]); }));
    LabFilter filter(kBits, kProbes);
    add_.push_back(Time([this, &filter](size_t i) {
      filter.Add(probes_of_(keys_[i]));
      return uint64_t{0};
    }));
    hit_.push_back(Time(
        [this, &filter](size_t i) { return uint64_t{filter.MayContain(probes_of_(keys_[i]))}; }));
  }

  ProbeTimes Result(std::string series, size_t key_size) const {
    return {std::move(series), key_size, LowerQuartile(hash_), LowerQuartile(add_),
            LowerQuartile(hit_)};
  }

 private:
  template <typename Step>
  static double Time(Step step) {
    uint64_t sum = 0;
    const double start = ThreadNanoseconds();
    for (size_t i = 0; i < kKeys; ++i) sum += step(i);
    const double end = ThreadNanoseconds();
    sink = sum;
    return (end - start) / kKeys;
  }

  const Keys& keys_;
  ProbesOf probes_of_;
  HashesOf hashes_of_;
  std::vector<double> hash_, add_, hit_;
};

}  // namespace

std::vector<ProbeTimes> TimeProbes() {
  std::vector<ProbeTimes> times;
  for (const size_t key_size : {16, 64}) {
    const Keys keys(key_size);
    Scheme independent(
        keys, [](absl::string_view key) { return IndependentProbes{key}; },
        [](absl::string_view key) {
          uint64_t sum = 0;
          for (int i = 0; i < kProbes; ++i) sum += IndependentProbes{key}(i);
          return sum;
        });
    Scheme doubled(
        keys, [](absl::string_view key) { return DoubleProbes{TableFilterHash(key)}; },
        [](absl::string_view key) { return TableFilterHash(key); });
    Scheme rotated(
        keys, [](absl::string_view key) { return RotatedProbes{BloomKeyHash(key)}; },
        [](absl::string_view key) { return uint64_t{BloomKeyHash(key)}; });
    for (int round = 0; round < kRounds; ++round) {
      independent.Round();
      doubled.Round();
      rotated.Round();
    }
    times.push_back(independent.Result("k hashes", key_size));
    times.push_back(doubled.Result("two hashes", key_size));
    times.push_back(rotated.Result("one hash, rotated (LevelDB)", key_size));
  }
  return times;
}

}  // namespace sstable::bench
