// Parses a block, iterates both ways and searches.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/block_bytes.h"
#include "tests/support/comparators.h"

namespace sstable::fuzz {
namespace {

constexpr size_t kMaxEntries = 200;  // more searches would take time and show nothing new

using Entries = std::vector<std::pair<std::string, std::string>>;

bool Ascends(const Entries& entries, const KeyOrder& order) {
  for (size_t i = 1; i < entries.size(); ++i) {
    if (order.Compare(entries[i - 1].first, entries[i].first) >= 0) return false;
  }
  return true;
}

// Returns true if restart points ascend from 0, each at an entry that shares nothing.
bool HasGoodRestarts(const Block& block, const std::vector<size_t>& whole_keys_at) {
  if (block.RestartOffset(0) != 0) return false;
  size_t i = 0;
  for (uint32_t restart = 0; restart < block.restart_count(); ++restart) {
    while (i < whole_keys_at.size() && whole_keys_at[i] < block.RestartOffset(restart)) ++i;
    if (i == whole_keys_at.size() || whole_keys_at[i++] != block.RestartOffset(restart)) {
      return false;
    }
  }
  return true;
}

void TryOrder(const Block& block, const KeyOrder& order) {
  Entries entries;
  std::vector<size_t> whole_keys_at;
  BlockIterator it(&order, block);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    entries.emplace_back(it.key(), it.value());
    BlockEntry entry;
    Require(DecodeEntry(block.begin() + it.entry_offset(), block, &entry), "an entry is one");
    if (entry.shared == 0) whole_keys_at.push_back(it.entry_offset());
  }
  const bool is_good =
      it.status().ok() && block.restart_count() > 0 && HasGoodRestarts(block, whole_keys_at);

  size_t left = entries.size();
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    if (!is_good) continue;
    Require(left-- > 0 && it.key() == entries[left].first && it.value() == entries[left].second,
            "backward is forward turned round");
  }
  if (is_good) Require(left == 0 && it.status().ok(), "backward is as long as forward");

  const bool is_sorted = is_good && Ascends(entries, order);
  for (size_t i = 0; i < entries.size() && i < kMaxEntries; ++i) {
    it.Seek(entries[i].first);
    if (is_sorted) {
      Require(it.Valid() && it.key() == entries[i].first && it.value() == entries[i].second,
              "each key is found");
      it.Prev();
      Require(it.Valid() == (i > 0) && (i == 0 || it.key() == entries[i - 1].first),
              "behind Seek(), Prev() goes to the entry before");
    }
    it.Seek(absl::StrCat(entries[i].first, "x"));
    if (it.Valid()) it.Next();
  }
  it.Seek("");
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = {test::EncodeRestarts({}), test::EncodeRestarts({0})};
  for (const int interval : {1, 2, 16}) {
    Entries plain, internal;
    for (int i = 10; i < 30; ++i) {
      plain.emplace_back(absl::StrCat("key", i * 7), std::string(i % 5, 'v'));
      internal.emplace_back(MakeInternalKey(absl::StrCat("key", i / 3), 100 - i, ValueType::kValue),
                            absl::StrCat("value ", i));
    }
    plain.emplace_back(std::string(300, 'z'), std::string(200, 'w'));
    seeds.push_back(test::EncodeBlock(plain, {interval}));
    seeds.push_back(test::EncodeBlock(internal, {interval}));
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  static const test::CaseFoldingComparator folding;
  const test::PaddedBytes bytes(fuzz::View(data, size));
  const absl::StatusOr<Block> block = Block::Parse(bytes.view());
  if (!block.ok()) return 0;
  fuzz::TryOrder(*block, KeyOrder(BytewiseComparator(), KeyKind::kPlain));
  fuzz::TryOrder(*block, KeyOrder(BytewiseComparator(), KeyKind::kInternal));
  fuzz::TryOrder(*block, KeyOrder(&folding, KeyKind::kPlain));
  return 0;
}
