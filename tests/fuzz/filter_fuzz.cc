// Compares the answers of a filter block reader with the policy's. Input: a block offset of 8
// bytes, a key size of one byte, the key, then the filter block.
#include <string>
#include <vector>

#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"
#include "util/coding.h"

namespace sstable::fuzz {
namespace {

std::string Seed(uint64_t block_offset, absl::string_view key, absl::string_view block) {
  std::string seed;
  AppendFixed64(&seed, block_offset);
  seed.push_back(static_cast<char>(key.size()));
  seed.append(key.data(), key.size());
  seed.append(block.data(), block.size());
  return seed;
}

void Ask(const FilterPolicy* policy, absl::string_view contents, uint64_t block_offset,
         absl::string_view key) {
  const auto reader = FilterBlockReader::Parse(policy, contents);
  if (!reader.ok()) return;
  static_cast<void>(reader->KeyMayMatch(block_offset, key));
  for (uint64_t i = 0; i <= reader->window_count(); ++i) {
    const FilterWindow window = reader->Window(i);
    const bool answer = reader->Matches(window, key);
    if (window.state == FilterWindow::State::kPresent) {
      Require(answer == policy->KeyMayMatch(key, window.filter), "both ways to ask say the same");
    }
  }
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  const auto policy = NewBloomFilterPolicy(10);
  for (const int base_lg : {0, 4, 11}) {
    FilterBlockBuilder builder(policy.get(), base_lg);
    for (uint64_t offset = 0; offset < 100; offset += 20) {
      builder.StartBlock(offset);
      builder.AddKey("key 1");
      builder.AddKey("another key");
    }
    const std::string block(ValueOrFail(builder.Finish()));
    seeds.push_back(Seed(20, "key 1", block));
    seeds.push_back(Seed(1000, "key 1 and a tag", block));
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  static const auto policy = NewBloomFilterPolicy(10);
  static const InternalFilterPolicy internal_policy(policy.get());
  absl::string_view bytes = fuzz::View(data, size);
  if (bytes.size() < 8) return 0;
  const uint64_t block_offset = DecodeFixed64(bytes.data());
  bytes.remove_prefix(8);
  fuzz::FuzzBytes rest(bytes);
  const absl::string_view key = rest.String(255);
  fuzz::Ask(policy.get(), rest.rest(), block_offset, key);
  fuzz::Ask(&internal_policy, rest.rest(), block_offset, key);
  const FilterPolicy* old = FindFilterPolicy("leveldb.BuiltinBloomFilter", {});
  if (old != nullptr) fuzz::Ask(old, rest.rest(), block_offset, key);
  return 0;
}
