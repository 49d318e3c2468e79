#include <algorithm>
#include <cstdint>

#include "absl/container/fixed_array.h"
#include "filter/bloom.h"
#include "filter/bloom_kernels.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

struct NameAndHash {
  absl::string_view name;
  BloomHash hash;
};

NameAndHash OnDisk(BloomName name) {
  switch (name) {
    case BloomName::kLevelDbOld:
      return {"leveldb.BuiltinBloomFilter", BloomHash::kEitherTail};
    case BloomName::kRocksDb:
      return {"rocksdb.BuiltinBloomFilter", BloomHash::kSignedTail};
    case BloomName::kLevelDb:
      break;
  }
  return {"leveldb.BuiltinBloomFilter2", BloomHash::kUnsignedTail};
}

class BloomFilterPolicy final : public FilterPolicy {
 public:
  BloomFilterPolicy(absl::string_view name, const BloomTraits& traits)
      : name_(name), traits_(traits) {}

  absl::string_view Name() const override { return name_; }

  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    absl::FixedArray<uint32_t, 256> hashes(keys.size());
    if (traits_.hash == BloomHash::kSignedTail) {
      for (size_t i = 0; i < keys.size(); ++i) hashes[i] = BloomCreationHash(traits_, keys[i]);
    } else {
      BestBloomKernels().hash_keys(keys.data(), keys.size(), hashes.data());
    }
    AppendBloomFilter(hashes, traits_, dst);
  }

  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    return BloomMayContainKey(traits_, key, filter);
  }

  const BloomTraits& traits() const { return traits_; }

 private:
  absl::string_view name_;
  BloomTraits traits_;
};

}  // namespace

std::optional<BloomTraits> BloomTraitsOf(const FilterPolicy& policy) {
  if (const auto* bloom = dynamic_cast<const BloomFilterPolicy*>(&policy)) return bloom->traits();
  const auto* internal = dynamic_cast<const InternalFilterPolicy*>(&policy);
  if (internal == nullptr) return std::nullopt;
  std::optional<BloomTraits> traits = BloomTraitsOf(*internal->user_policy());
  if (traits.has_value()) traits->ignored_suffix_size += kTagSize;
  return traits;
}

std::unique_ptr<const FilterPolicy> NewBloomFilterPolicy(int bits_per_key, BloomName name) {
  const NameAndHash on_disk = OnDisk(name);
  BloomTraits traits;
  traits.bits_per_key = std::clamp(bits_per_key, 0, kMaxBloomBitsPerKey);
  traits.hash = on_disk.hash;
  return std::make_unique<BloomFilterPolicy>(on_disk.name, traits);
}

std::unique_ptr<const FilterPolicy> NewBloomFilterPolicyForRate(double rate, BloomName name) {
  const NameAndHash on_disk = OnDisk(name);
  BloomTraits traits;
  traits.rate = std::clamp(rate, kMinBloomRate, kMaxBloomRate);
  traits.hash = on_disk.hash;
  return std::make_unique<BloomFilterPolicy>(on_disk.name, traits);
}

}  // namespace sstable
