#include "tests/interop/table_spec.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/internal_key.h"
#include "tests/interop/leveldb_order.h"

namespace sstable::test {
namespace {

std::string RandomUserKey(KeyShape shape, const std::string& prefix, Random* random) {
  switch (shape) {
    case KeyShape::kShort:
      return random->Bytes(random->Below(5));
    case KeyShape::kLongPrefix:
      return prefix.substr(0, prefix.size() - random->Below(random->OneIn(8) ? prefix.size() : 9)) +
             random->Bytes(random->Below(12));
    case KeyShape::kDecimal:
    case KeyShape::kLargeValues:
      return absl::StrFormat("%016d", random->Below(100000));
    case KeyShape::kHighBytes: {
      std::string key(random->Below(4), '\xff');
      for (size_t n = random->Below(6); n > 0; --n) {
        key += "\xff\xff\xfe\x80\x7f\x01\x00"[random->Below(7)];
      }
      return key;
    }
    case KeyShape::kFewLetters: {
      std::string key;
      for (size_t n = random->Below(12); n > 0; --n) key += "ab"[random->Below(2)];
      return key;
    }
  }
  return "";
}

std::string RandomValue(KeyShape shape, Random* random) {
  if (random->OneIn(6)) return "";
  if (shape == KeyShape::kLargeValues && random->OneIn(12)) {
    const size_t size = random->Below(100 * 1024);
    return random->OneIn(2) ? random->Bytes(size) : std::string(size, 'v');
  }
  std::string value = random->Bytes(random->Below(24));
  while (random->Below(3) != 0) value += value.substr(value.size() / 2);  // compressible
  return value.substr(0, 400);
}

// Adds a few versions of one user key, newest first.
void AddVersions(const std::string& user_key, const std::string& value, Random* random,
                 Entries* entries) {
  std::set<uint64_t, std::greater<>> sequences;
  const size_t count = random->OneIn(4) ? 1 + random->Below(5) : 1;
  // Small and large sequences share different numbers of tag bytes with neighbouring keys.
  while (sequences.size() < count) {
    sequences.insert(random->OneIn(10) ? random->Next() >> 8 : 1 + random->Below(100000));
  }
  for (const uint64_t sequence : sequences) {
    const bool deletion = random->OneIn(5);
    const ValueType type = deletion ? ValueType::kDeletion : ValueType::kValue;
    entries->emplace_back(MakeInternalKey(user_key, sequence, type), deletion ? "" : value);
  }
}

}  // namespace

uint64_t Random::Next() {  // splitmix64
  uint64_t z = (state_ += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::string Random::Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(Next());
  return bytes;
}

std::string TableSpec::Describe() const {
  size_t flush_count = 0;
  for (const bool flush : flush_before) flush_count += flush;
  return absl::StrCat(key_kind == KeyKind::kInternal ? "internal" : "plain", " keys, ",
                      reverse ? "reverse" : "bytewise", " order, block size ", block_size,
                      ", restart interval ", block_restart_interval, ", ",
                      snappy ? "snappy" : "stored raw", ", bits per key ",
                      bits_per_key.has_value() ? absl::StrCat(*bits_per_key) : "none", ", ",
                      entries.size(), " entries, ", flush_count, " flushes");
}

TableSpec RandomTable(KeyShape shape, KeyKind key_kind, bool reverse, uint64_t seed) {
  Random random(seed);
  TableSpec spec;
  spec.key_kind = key_kind;
  spec.reverse = reverse;
  // Every power of two up to 64 KiB is equally likely, and so is every range in between.
  spec.block_size = size_t{1} << random.Below(17);
  spec.block_size += random.Below(spec.block_size);
  if (spec.block_size > 64 * 1024) spec.block_size = 64 * 1024;
  spec.block_restart_interval = static_cast<int>(1 + random.Below(random.OneIn(2) ? 20 : 200));
  spec.snappy = random.OneIn(2);
  if (!random.OneIn(5)) spec.bits_per_key = static_cast<int>(random.Below(31));

  const size_t max_count = shape == KeyShape::kLargeValues ? 120 : 1500;
  const size_t count = random.OneIn(20) ? random.Below(3) : random.Below(max_count);
  const std::string prefix = random.Bytes(30 + random.Below(300));
  const leveldb::Comparator* user_order = LevelDbOrder(KeyKind::kPlain, reverse);
  const auto before = [user_order](const std::string& a, const std::string& b) {
    return user_order->Compare(a, b) < 0;
  };
  std::map<std::string, std::string, decltype(before)> sorted(before);
  for (size_t i = 0; i < count; ++i) {
    std::string key = RandomUserKey(shape, prefix, &random);
    sorted[std::move(key)] = RandomValue(shape, &random);
  }
  for (const auto& [key, value] : sorted) {
    if (key_kind == KeyKind::kPlain) {
      spec.entries.emplace_back(key, value);
    } else {
      AddVersions(key, value, &random, &spec.entries);
    }
  }
  const size_t flush_one_in = random.OneIn(3) ? 2 + random.Below(60) : 0;
  for (size_t i = 0; i < spec.entries.size(); ++i) {
    spec.flush_before.push_back(flush_one_in != 0 && random.OneIn(flush_one_in));
  }
  return spec;
}

}  // namespace sstable::test
