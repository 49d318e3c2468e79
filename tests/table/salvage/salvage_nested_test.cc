// Salvages damaged tables whose values are tables. No entry of an inner table is silently taken for
// the outer table's, every entry of an intact block is saved or doubtful, and an incomplete result
// is never called complete.
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "snappy.h"
#include "sstable/experimental/layout.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using Random = std::mt19937_64;

struct OuterTable {
  std::string bytes;
  Footer footer;
  Entries entries;
  std::vector<BlockHandle> blocks;
  std::vector<size_t> ends;  // for each block, the number of entries up to its end
  int inner_count = 0;
};

// The maximum number of runs, of 900, with such entries. Determined with five seeds.
struct Bound {
  int alien;  // saved, but not from this table
  int apart;  // saved apart from an intact block
};

// One bound for each kind of damage.
struct Bounds {
  Bound cut, flipped, no_end;
};

struct Makeup {
  const char* name;
  Bounds bounds;
  Compression compression = Compression::kNone;
  bool stale = false;   // the inner table is an older copy of the outer one
  bool prefix = false;  // other bytes precede the table in a value
  bool filter = true;
};

std::string Noise(Random* random, size_t max_size) {
  std::string value((*random)() % (max_size + 1), '\0');
  for (char& c : value) c = (*random)() % 3 == 0 ? static_cast<char>((*random)()) : 'v';
  return value;
}

std::string Build(const Entries& entries, Compression compression, size_t block_size, bool filter) {
  static const auto* const policy = NewBloomFilterPolicy(10).release();
  TableBuilderOptions options;
  options.compression = compression;
  options.block_size = block_size;
  if (filter) options.filter_policy = policy;
  const auto bytes = BuildTable(options, entries);
  EXPECT_OK(bytes.status());
  return *bytes;
}

OuterTable MakeOuter(const Makeup& makeup, Random* random) {
  OuterTable table;
  const int count = 1 + static_cast<int>((*random)() % 200);
  const size_t block_size = 128 << (*random)() % 6;
  for (int i = 0; i < count; ++i) {
    table.entries.emplace_back(absl::StrFormat("key%05d", i), Noise(random, 40));
  }
  table.inner_count = 1 + static_cast<int>((*random)() % 3);
  for (int n = 0; n < table.inner_count; ++n) {
    Entries inner;
    if (makeup.stale) {
      inner = table.entries;
      for (auto& [key, value] : inner) {
        if ((*random)() % 2 == 0) value = std::string(value.size(), 'o');
        if (value.size() > 200) value = "old";
      }
    } else {
      const int inner_count = 1 + static_cast<int>((*random)() % 100);
      for (int i = 0; i < inner_count; ++i) {
        inner.emplace_back(absl::StrFormat("%s%05d", n == 0 ? "inner" : "key0", i * 7 + n),
                           Noise(random, 40));
      }
    }
    const Compression compression = (*random)() % 2 ? Compression::kNone : Compression::kSnappy;
    const size_t inner_size = makeup.stale ? block_size : 128 << (*random)() % 4;
    std::string value = makeup.prefix ? "backup of 2024: " : "";
    value += Build(inner, compression, inner_size, makeup.filter);
    table.entries[(*random)() % table.entries.size()].second = std::move(value);
  }
  table.bytes = Build(table.entries, makeup.compression, block_size, makeup.filter);
  auto reader = TableReader::Open(NewMemoryFile(table.bytes));
  EXPECT_OK(reader.status());
  table.footer = (*reader)->footer();
  size_t end = 0;
  for (const BlockInfo& block : DescribeLayout(**reader).blocks) {
    if (block.kind != BlockKind::kData) continue;
    table.blocks.push_back(block.handle);
    table.ends.push_back(end += block.entry_count);
  }
  return table;
}

struct Damaged {
  std::string bytes;
  std::set<size_t> blocks;  // data blocks that were changed
  bool has_index = true, has_footer = true;
};

void MarkChanged(const OuterTable& table, uint64_t start, uint64_t end, Damaged* damaged) {
  for (size_t i = 0; i < table.blocks.size(); ++i) {
    const BlockHandle& block = table.blocks[i];
    if (block.offset < end && block.offset + block.size + kBlockTrailerSize > start) {
      damaged->blocks.insert(i);
    }
  }
  const BlockHandle& index = table.footer.index;
  if (end > index.offset && start < index.offset + index.size + kBlockTrailerSize) {
    damaged->has_index = false;
  }
  if (end > table.bytes.size() - kFooterSize) damaged->has_footer = false;
}

Damaged Cut(const OuterTable& table, uint64_t size) {
  Damaged damaged;
  damaged.bytes = table.bytes.substr(0, size);
  MarkChanged(table, size, table.bytes.size(), &damaged);
  return damaged;
}

void Flip(const OuterTable& table, uint64_t at, int bit, Damaged* damaged) {
  if (at >= damaged->bytes.size()) return;
  damaged->bytes[at] = static_cast<char>(damaged->bytes[at] ^ 1 << bit);
  MarkChanged(table, at, at + 1, damaged);
}

struct Tally {
  int runs = 0;
  int wrong_complete = 0;     // "nothing is lost", but the entries are not the table's
  int alien_runs = 0;         // saved an entry that the table never had
  int silent_alien_runs = 0;  // those without a message
  int surely_alien_runs = 0;  // those with index and footer intact
  int apart_runs = 0;         // saved an entry of an intact block apart
  int surely_apart_runs = 0;  // those with the index intact
  int missing_runs = 0;       // an entry of an intact block is neither saved nor doubtful
};

void Judge(const OuterTable& table, const Damaged& damaged, Tally* tally) {
  const auto file = NewMemoryFile(damaged.bytes);
  ASSERT_OK_AND_ASSIGN(const auto salvager, Salvager::Open(*file, {}));
  Entries saved;
  ASSERT_OK(salvager->VisitEntries([&saved](absl::string_view key, absl::string_view value) {
    saved.emplace_back(key, value);
    return absl::OkStatus();
  }));
  ++tally->runs;
  if (salvager->complete() && saved != table.entries) ++tally->wrong_complete;

  std::set<std::pair<std::string, std::string>> left(saved.begin(), saved.end());
  for (const auto& entry : table.entries) left.erase(entry);
  if (!left.empty()) {
    ++tally->alien_runs;
    if (salvager->scan().owner_known) ++tally->silent_alien_runs;
    if (damaged.has_index && damaged.has_footer) ++tally->surely_alien_runs;
  }
  const std::set<std::pair<std::string, std::string>> saved_set(saved.begin(), saved.end());
  left = saved_set;
  ASSERT_OK(salvager->VisitDoubtful(
      [&left](const ScannedBlock&, absl::string_view key, absl::string_view value) {
        left.emplace(key, value);
        return absl::OkStatus();
      }));
  bool is_apart = false, is_missing = false;
  for (size_t i = 0, entry = 0; i < table.blocks.size(); ++i) {
    for (; entry < table.ends[i]; ++entry) {
      if (damaged.blocks.count(i)) continue;
      is_apart |= !saved_set.count(table.entries[entry]);
      is_missing |= !left.count(table.entries[entry]);
    }
  }
  if (is_apart) ++tally->apart_runs;
  if (is_apart && damaged.has_index) ++tally->surely_apart_runs;
  if (is_missing) ++tally->missing_runs;
}

void Expect(const Tally& tally, const Bound& bound, const char* what) {
  EXPECT_GT(tally.runs, 0) << what;
  EXPECT_EQ(tally.wrong_complete, 0) << what;
  EXPECT_EQ(tally.silent_alien_runs, 0) << what;
  EXPECT_EQ(tally.surely_alien_runs, 0) << what;
  EXPECT_LE(tally.alien_runs, bound.alien) << what;
  EXPECT_LE(tally.apart_runs, bound.apart) << what;
  EXPECT_EQ(tally.surely_apart_runs, 0) << what;
  EXPECT_EQ(tally.missing_runs, 0) << what;
}

class SalvageNestedTest : public testing::TestWithParam<Makeup> {
 protected:
  uint64_t Seed() const {
    const char* const seed = std::getenv("SALVAGE_SEED");
    return seed == nullptr ? 11 : std::strtoull(seed, nullptr, 10);
  }
};

TEST_P(SalvageNestedTest, CutTables) {
  Random random(Seed());
  SCOPED_TRACE(absl::StrCat("seed ", Seed()));
  Tally tally;
  for (int n = 0; n < 45; ++n) {
    const OuterTable table = MakeOuter(GetParam(), &random);
    for (int cuts = 0; cuts < 20; ++cuts) {
      Judge(table, Cut(table, random() % table.bytes.size()), &tally);
    }
  }
  Expect(tally, GetParam().bounds.cut, "cut");
}

TEST_P(SalvageNestedTest, FlippedBits) {
  Random random(Seed() + 1);
  SCOPED_TRACE(absl::StrCat("seed ", Seed() + 1));
  Tally tally;
  for (int n = 0; n < 45; ++n) {
    const OuterTable table = MakeOuter(GetParam(), &random);
    for (int i = 0; i < 20; ++i) {
      Damaged damaged = Cut(table, table.bytes.size());
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
        // The tail is a small part of the file, but all of it matters.
        const uint64_t from = random() % 3 == 0 ? table.footer.metaindex.offset : 0;
        Flip(table, from + random() % (table.bytes.size() - from), random() % 8, &damaged);
      }
      Judge(table, damaged, &tally);
    }
  }
  Expect(tally, GetParam().bounds.flipped, "flipped");
}

TEST_P(SalvageNestedTest, FlippedBitsAndNoEnd) {
  Random random(Seed() + 2);
  SCOPED_TRACE(absl::StrCat("seed ", Seed() + 2));
  Tally tally;
  for (int n = 0; n < 45; ++n) {
    const OuterTable table = MakeOuter(GetParam(), &random);
    for (int i = 0; i < 20; ++i) {
      const uint64_t footer = table.bytes.size() - kFooterSize;
      const uint64_t index = table.footer.index.offset;
      Damaged damaged = Cut(table, random() % 2 ? footer : index + random() % (footer - index));
      for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips) {
        Flip(table, random() % table.bytes.size(), random() % 8, &damaged);
      }
      Judge(table, damaged, &tally);
    }
  }
  Expect(tally, GetParam().bounds.no_end, "flipped, without an end");
}

// The same random numbers damage other bytes if another release of Snappy has compressed them.
constexpr Bounds kSnappyBounds = SNAPPY_VERSION < 0x10200 ? Bounds{{21, 1}, {3, 10}, {15, 3}}
                                                          : Bounds{{21, 1}, {5, 10}, {18, 4}};

INSTANTIATE_TEST_SUITE_P(
    Makeups, SalvageNestedTest,
    testing::ValuesIn<Makeup>(
        {{"Raw", {{266, 1}, {42, 10}, {238, 22}}},
         {"Snappy", kSnappyBounds, Compression::kSnappy},
         {"Stale", {{210, 1}, {36, 10}, {245, 88}}, Compression::kNone, true},
         {"StaleInSnappy", {{47, 1}, {8, 10}, {31, 13}}, Compression::kSnappy, true},
         {"AfterOtherBytes", {{244, 1}, {40, 10}, {224, 20}}, Compression::kNone, false, true},
         {"NoFilter", {{243, 1}, {53, 10}, {284, 156}}, Compression::kNone, false, false, false}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
