// Parses a whole-table filter with each policy. The first 8 bytes are a hash, the rest is the
// filter. If it can be parsed, it must be usable without reads outside it.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sstable/experimental/table_filter.h"
#include "sstable/filter_policy.h"
#include "tests/fuzz/fuzz.h"
#include "util/coding.h"

namespace sstable::fuzz {
namespace {

using Policies = std::vector<std::unique_ptr<const TableFilterPolicy>>;

const Policies& AllPolicies() {
  static const auto* policies = [] {
    auto* made = new Policies;
    made->push_back(NewBlockedBloomPolicy(10));
    made->push_back(NewBinaryFusePolicy(FuseBits::k8));
    made->push_back(NewBinaryFusePolicy(FuseBits::k16));
    return made;
  }();
  return *policies;
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const auto& policy : AllPolicies()) {
    for (const uint64_t count : {0, 1, 20}) {
      std::vector<uint64_t> hashes;
      for (uint64_t i = 0; i < count; ++i) hashes.push_back(TableFilterHash(std::to_string(i)));
      std::string seed;
      AppendFixed64(&seed, count == 0 ? 0 : hashes[0]);
      policy->CreateFilter(absl::MakeSpan(hashes), &seed);
      seeds.push_back(seed);
    }
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view bytes = fuzz::View(data, size);
  if (bytes.size() < 8) return 0;
  const uint64_t hash = DecodeFixed64(bytes.data());
  for (const auto& policy : fuzz::AllPolicies()) {
    const auto filter = policy->Parse(bytes.substr(8));
    if (!filter.ok()) continue;
    for (const uint64_t asked : {hash, ~hash, uint64_t{0}, ~uint64_t{0}}) {
      (*filter)->Prefetch(asked);
      static_cast<void>((*filter)->MayMatch(asked));
    }
  }
  return 0;
}
