#include "tests/mutants/swap_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "table/block/block_iterator.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::mutants {
namespace {

// A table's entries, block by block, and its index.
struct Arrangement {
  std::vector<std::vector<size_t>> blocks;  // indexes in Original::entries
  std::vector<std::string> index_keys;      // one for each block
  std::vector<size_t> index_order;          // the block that each index entry refers to
};

Arrangement Arrange(const Original& original) {
  Arrangement arrangement;
  arrangement.blocks.resize(original.data_blocks.size());
  for (size_t i = 0; i < original.entries.size(); ++i) {
    arrangement.blocks[original.entries[i].block].push_back(i);
  }
  TableReaderOptions options;
  options.key_kind = original.kind;
  const auto reader = TableReader::Open(NewMemoryFile(original.bytes, "original"), options);
  if (!reader.ok() || IndexOf(**reader) == nullptr) std::abort();
  BlockIterator it(&KeyOrderOf(**reader), IndexOf(**reader)->block());
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    arrangement.index_order.push_back(arrangement.index_keys.size());
    arrangement.index_keys.emplace_back(it.key());
  }
  return arrangement;
}

struct Swap {
  const char* kind = "";
  std::string place;          // empty if nothing could be swapped
  std::vector<size_t> moved;  // as in Mutant
};

Swap SwapInBlock(Arrangement* arrangement, Random* random) {
  Swap swap{"swap-entries", "", {}};
  std::vector<size_t> candidates;
  for (size_t b = 0; b < arrangement->blocks.size(); ++b) {
    if (arrangement->blocks[b].size() > 1) candidates.push_back(b);
  }
  if (candidates.empty()) return swap;
  const size_t b = random->Pick(candidates);
  auto& block = arrangement->blocks[b];
  const size_t i = random->Below(block.size() - 1);
  swap.moved = {block[i], block[i + 1]};
  std::swap(block[i], block[i + 1]);
  swap.place = absl::StrCat("entries ", i, " and ", i + 1, " of data block ", b);
  return swap;
}

Swap SwapAcrossBlocks(Arrangement* arrangement, Random* random) {
  Swap swap{"swap-across-end", "", {}};
  if (arrangement->blocks.size() < 2) return swap;
  const size_t b = random->Below(arrangement->blocks.size() - 1);
  size_t& last = arrangement->blocks[b].back();
  size_t& first = arrangement->blocks[b + 1].front();
  swap.moved = {last, first};
  std::swap(last, first);
  swap.place = absl::StrCat("the last entry of data block ", b, " and the next");
  return swap;
}

Swap SwapBlocks(Arrangement* arrangement, Random* random) {
  Swap swap{"swap-neighbours", "", {}};
  if (arrangement->blocks.size() < 2) return swap;
  const size_t b = random->Below(arrangement->blocks.size() - 1);
  swap.moved = {arrangement->blocks[b].back(), arrangement->blocks[b + 1].front()};
  std::swap(arrangement->blocks[b], arrangement->blocks[b + 1]);
  swap.place = absl::StrCat("data blocks ", b, " and ", b + 1);
  return swap;
}

Swap SwapIndexEntries(Arrangement* arrangement, Random* random) {
  Swap swap{"swap-index", "", {}};
  if (arrangement->blocks.size() < 2) return swap;
  const size_t b = random->Below(arrangement->blocks.size() - 1);
  swap.moved = {arrangement->blocks[b].back(), arrangement->blocks[b + 1].front()};
  std::swap(arrangement->index_order[b], arrangement->index_order[b + 1]);
  swap.place = absl::StrCat("entries ", b, " and ", b + 1, " of the index");
  return swap;
}

std::string Assemble(const Original& original, const Arrangement& arrangement) {
  test::TableAssembler assembler;
  std::vector<std::string> handles;
  for (const std::vector<size_t>& block : arrangement.blocks) {
    test::Entries entries;
    for (const size_t i : block) {
      entries.emplace_back(original.entries[i].key, original.entries[i].value);
    }
    const std::string bytes = test::EncodeBlock(entries, {original.spec->block_restart_interval});
    handles.push_back(assembler.AddBlock(bytes).Encode());
  }
  for (const size_t b : arrangement.index_order) {
    assembler.AddIndexEntry(arrangement.index_keys[b], handles[b]);
  }
  return assembler.Finish();
}

// Writes the table with a builder that considers the new order correct.
std::string Write(const Original& original, const Arrangement& arrangement) {
  const test::TableSpec& spec = *original.spec;
  TableBuilderOptions options;
  options.keep_input_order = true;
  options.block_size = spec.block_size;
  options.block_restart_interval = spec.block_restart_interval;
  options.compression = spec.snappy ? Compression::kSnappy : Compression::kNone;
  std::unique_ptr<const FilterPolicy> policy;
  // A filter of whole internal keys would be wrong for other reasons.
  if (spec.bits_per_key.has_value() && spec.key_kind == KeyKind::kPlain) {
    policy = NewBloomFilterPolicy(*spec.bits_per_key);
  }
  options.filter_policy = policy.get();
  std::string bytes;
  const auto builder = TableBuilder::Create(NewStringFile(&bytes), options);
  if (!builder.ok()) std::abort();
  for (const std::vector<size_t>& block : arrangement.blocks) {
    for (const size_t i : block) {
      const OriginalEntry& entry = original.entries[i];
      if (!(*builder)->Add(entry.key, entry.value).ok()) std::abort();
    }
    if (!(*builder)->Flush().ok()) std::abort();
  }
  if (!(*builder)->Finish().ok()) std::abort();
  return bytes;
}

}  // namespace

bool SwapNeighbours(const Original& original, Random* random, Mutant* mutant) {
  constexpr Swap (*kSwaps[])(Arrangement*, Random*) = {SwapInBlock, SwapInBlock, SwapAcrossBlocks,
                                                       SwapBlocks, SwapIndexEntries};
  if (!original.spec.has_value()) return false;
  Arrangement arrangement = Arrange(original);
  const Swap swap = random->Pick(kSwaps)(&arrangement, random);
  if (swap.place.empty()) return false;
  const bool index_follows = random->OneIn(2) && swap.kind != absl::string_view("swap-index");
  mutant->bytes = index_follows ? Write(original, arrangement) : Assemble(original, arrangement);
  mutant->kinds.emplace_back(swap.kind);
  mutant->description = absl::StrCat(swap.kind, ": ", swap.place, ", ",
                                     index_follows ? "index and filter follow" : "old index keys");
  mutant->repaired = mutant->is_reordered = true;
  mutant->moved = swap.moved;
  return true;
}

}  // namespace sstable::mutants
