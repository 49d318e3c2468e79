#include "tests/support/model_map.h"

#include <algorithm>

#include "sstable/internal_key.h"

namespace sstable::test {
namespace {

// Returns keys that are one lower or higher in the last byte, one without that byte, and one with a
// byte added.
std::vector<std::string> PlainKeysAround(absl::string_view key) {
  std::vector<std::string> keys = {std::string(key), std::string(key) + '\0',
                                   std::string(key) + '\xff'};
  if (key.empty()) return keys;
  keys.emplace_back(key.substr(0, key.size() - 1));
  for (int step : {-1, 1}) {
    std::string changed(key);
    changed.back() = static_cast<char>(changed.back() + step);
    keys.push_back(std::move(changed));
  }
  return keys;
}

}  // namespace

std::string RandomKey(Random* random) {
  constexpr absl::string_view kBytes(
      "\0\x01"
      "AabB\x7f\x80\xff",
      9);
  size_t size = Below(11, random);
  if (Below(50, random) == 0) size += 250;
  std::string key(size, 'a');  // so that long keys share a prefix
  for (size_t i = size < 20 ? 0 : size - 10; i < size; ++i) {
    key[i] = kBytes[Below(kBytes.size(), random)];
  }
  return key;
}

ModelMap RandomModel(const KeyOrder& order, size_t count, Random* random) {
  ModelMap model(KeyLess{&order});
  std::string user_key;
  for (size_t i = 0; i < count; ++i) {
    const bool next_version = order.kind() == KeyKind::kInternal && Below(3, random) == 0;
    if (!next_version) user_key = RandomKey(random);
    std::string key = user_key;
    if (order.kind() == KeyKind::kInternal) {
      const ValueType type = Below(4, random) == 0 ? ValueType::kDeletion : ValueType::kValue;
      AppendInternalKey(&key, "", Below(20, random), type);
    }
    model.insert_or_assign(std::move(key), std::string(Below(30, random), 'v') + std::to_string(i));
  }
  return model;
}

std::vector<std::pair<std::string, std::string>> ToEntries(const ModelMap& model) {
  return {model.begin(), model.end()};
}

std::vector<std::string> KeysAround(const KeyOrder& order, absl::string_view key) {
  if (order.kind() == KeyKind::kPlain) return PlainKeysAround(key);
  const uint64_t tag = ExtractTag(key);
  std::vector<std::string> keys;
  for (const std::string& user_key : PlainKeysAround(ExtractUserKey(key))) {
    for (uint64_t other : {tag, tag - 1, tag + 1, SeekTag(kMaxSequence), SeekTag(0) - 1}) {
      AppendFixed64(&keys.emplace_back(user_key), other);
    }
  }
  return keys;
}

}  // namespace sstable::test
