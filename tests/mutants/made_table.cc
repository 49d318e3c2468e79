#include "tests/mutants/made_table.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "tests/interop/leveldb_table.h"
#include "tests/mutants/nested_values.h"
#include "tests/support/table_bytes.h"

namespace sstable::mutants {
namespace {

enum class KeyShape { kNumber, kDecimal, kPath, kWord, kBytes, kLongPrefix };

std::string MakeUserKey(KeyShape shape, Random* random) {
  switch (shape) {
    case KeyShape::kNumber:
      return absl::StrFormat("user%05d", random->Below(1000));
    case KeyShape::kDecimal:
      return absl::StrFormat("%012d", random->Below(100000));
    case KeyShape::kPath: {
      const size_t folder = random->Below(8);
      return absl::StrCat("folder", folder, "/file", random->Below(200), ".txt");
    }
    case KeyShape::kWord: {
      std::string word(1 + random->Below(10), 'a');
      for (char& c : word) c = static_cast<char>('a' + random->Below(26));
      return word;
    }
    case KeyShape::kBytes: {  // too short for a tag
      std::string bytes(1 + random->Below(7), '\0');
      for (char& c : bytes) c = static_cast<char>(random->Below(256));
      return bytes;
    }
    case KeyShape::kLongPrefix:
      break;
  }
  return absl::StrCat("https://example.org/a/long/path/that/all/of/them/share/",
                      random->Below(10000));
}

size_t ChooseEntryCount(Random* random) {
  const size_t limits[] = {3, 8, 30, 200};
  return 1 + random->Below(random->Pick(limits));
}

// Adds each key in one or a few versions, newest first.
void AddVersions(const std::string& user_key, uint64_t base, std::set<uint64_t>* used,
                 Random* random, test::Entries* entries) {
  std::set<uint64_t, std::greater<>> sequences;
  for (size_t left = random->OneIn(4) ? 1 + random->Below(4) : 1; left > 0; --left) {
    uint64_t sequence = base + random->Below(2000);
    while (!used->insert(sequence).second) ++sequence;
    sequences.insert(sequence);
  }
  for (const uint64_t sequence : sequences) {
    const bool deletion = random->OneIn(8);
    const ValueType type = deletion ? ValueType::kDeletion : ValueType::kValue;
    entries->emplace_back(MakeInternalKey(user_key, sequence, type),
                          deletion ? "" : MakeValue(random));
  }
}

}  // namespace

std::string MakeValue(Random* random) {
  switch (random->Below(8)) {
    case 0:
      return "";
    case 1:
    case 2: {
      std::string bytes(1 + random->Below(400), '\0');
      for (char& c : bytes) c = static_cast<char>(random->Below(256));
      return bytes;
    }
    case 3: {
      const size_t size = random->Below(1000);
      return std::string(size, static_cast<char>('a' + random->Below(26)));
    }
    default: {
      std::string text = absl::StrCat("value ", random->Below(1000000));
      while (!random->OneIn(4)) absl::StrAppend(&text, " and ", random->Below(1000));
      return text;
    }
  }
}

test::Entries MakeEntries(KeyKind kind, size_t count, Random* random) {
  const auto shape = static_cast<KeyShape>(random->Below(6));
  std::set<std::string> user_keys;
  // Some shapes have fewer distinct keys than requested.
  for (size_t tries = 4 * count; tries > 0 && user_keys.size() < count; --tries) {
    user_keys.insert(MakeUserKey(shape, random));
  }
  const uint64_t base = random->OneIn(3) ? random->Number() >> 20 : random->Below(1000);
  std::set<uint64_t> used;
  test::Entries entries;
  for (const std::string& user_key : user_keys) {
    if (kind == KeyKind::kInternal) {
      AddVersions(user_key, 1 + base, &used, random, &entries);
    } else {
      entries.emplace_back(user_key, MakeValue(random));
    }
  }
  if (entries.size() > count) entries.resize(count);
  return entries;
}

test::TableSpec MakeOptions(KeyKind kind, Random* random) {
  constexpr size_t kBlockSizes[] = {1, 64, 200, 256, 1024, 4096, 4096};
  constexpr int kRestartIntervals[] = {1, 2, 3, 16, 16, 16, 128};
  test::TableSpec spec;
  spec.key_kind = kind;
  spec.block_size = random->Pick(kBlockSizes);
  spec.block_restart_interval = random->Pick(kRestartIntervals);
  spec.snappy = random->OneIn(2);
  if (random->OneIn(2)) spec.bits_per_key = random->OneIn(2) ? 10 : 1 + random->Below(20);
  return spec;
}

std::string WriteTable(const test::TableSpec& spec, bool by_leveldb) {
  if (by_leveldb) return test::BuildWithLevelDb(spec);
  TableBuilderOptions options;
  options.key_kind = spec.key_kind;
  options.block_size = spec.block_size;
  options.block_restart_interval = spec.block_restart_interval;
  options.compression = spec.snappy ? Compression::kSnappy : Compression::kNone;
  std::unique_ptr<const FilterPolicy> policy;
  if (spec.bits_per_key.has_value()) policy = NewBloomFilterPolicy(*spec.bits_per_key);
  options.filter_policy = policy.get();
  auto bytes = test::BuildTable(options, spec.entries);
  if (!bytes.ok()) std::abort();  // the entries are in order
  return *std::move(bytes);
}

MadeTable MakeTable(Random* random) {
  MadeTable table;
  const KeyKind kind = random->OneIn(3) ? KeyKind::kInternal : KeyKind::kPlain;
  table.spec = MakeOptions(kind, random);
  table.by_leveldb = random->OneIn(4);
  table.spec.entries = MakeEntries(kind, ChooseEntryCount(random), random);
  table.is_nested = random->OneIn(2);
  table.values = table.is_nested ? NestTables(&table.spec, random) : "values of no form";
  table.bytes = WriteTable(table.spec, table.by_leveldb);
  return table;
}

std::string MadeTable::Describe() const {
  return absl::StrCat(spec.Describe(), ", by ", by_leveldb ? "LevelDB" : "this library", ", ",
                      bytes.size(), " bytes; ", values);
}

}  // namespace sstable::mutants
