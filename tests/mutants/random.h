// Random numbers that are the same on all platforms, so that a mutant can be reproduced from its
// number.
#ifndef SSTABLE_TESTS_MUTANTS_RANDOM_H_
#define SSTABLE_TESTS_MUTANTS_RANDOM_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>

namespace sstable::mutants {

// The random numbers of one mutant. Does not use the distributions of <random>, whose results
// differ between standard libraries.
class Random {
 public:
  Random(uint64_t seed, uint64_t mutant) : numbers_(seed * 0x9e3779b97f4a7c15 + mutant) {}

  uint64_t Number() { return numbers_(); }
  size_t Below(uint64_t limit) { return static_cast<size_t>(numbers_() % limit); }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  template <typename Container>
  auto& Pick(Container&& from) {
    return from[Below(std::size(from))];
  }

 private:
  std::mt19937_64 numbers_;
};

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_RANDOM_H_
