#include "keys/indexed_db_key.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "tests/support/hex.h"
#include "tests/support/random_bytes.h"

namespace sstable::test {
namespace {

int Sign(int order) { return (order > 0) - (order < 0); }

struct NamedKey {
  const char* what;
  const char* hex;
  bool is_key = true;  // false if it is not a complete IndexedDB key
};

// These keys ascend.
const NamedKey kAscending[] = {
    {"a prefix alone, which programs seek to", "00 00 00 00", false},
    {"schema version", "00 00 00 00 00"},
    {"bytes after it", "00 00 00 00 00 01", false},
    {"data format version", "00 00 00 00 02"},
    {"earliest compaction", "00 00 00 00 06"},
    {"a type that is not known: by its number", "00 00 00 00 07", false},
    {"bytes after it", "00 00 00 00 07 00", false},
    {"a type that is not known either", "00 00 00 00 08", false},
    {"a scope's rows, byte by byte", "00 00 00 00 32 00"},
    {"the next", "00 00 00 00 32 01 ff"},
    {"free list without an id", "00 00 00 00 64", false},
    {"free list, database 200", "00 00 00 00 64 c801"},
    {"database name: origin a, name b", "00 00 00 00 c9 01 0061 01 0062"},
    {"origin ab is above a, though its size comes first", "00 00 00 00 c9 02 0061 0062 01 0061"},
    {"origin b", "00 00 00 00 c9 01 0062 01 0061"},
    {"database 1, its name", "00 01 00 00 01"},
    {"a type that is not known, of a database", "00 01 00 00 06", false},
    {"object store 2, its name", "00 01 00 00 32 02 00"},
    {"object store 200, its key path", "00 01 00 00 32 c801 01"},
    {"index 30 of store 2, its name", "00 01 00 00 64 02 1e 00"},
    {"store on the free list", "00 01 00 00 96 02"},
    {"index on the free list", "00 01 00 00 97 02 1e"},
    {"store name", "00 01 00 00 c8 01 0061"},
    {"index name", "00 01 00 00 c9 02 01 0061"},
    {"store 1, lowest key", "00 01 01 01 05"},
    {"-1", "00 01 01 01 03 000000000000f0bf"},
    {"2", "00 01 01 01 03 0000000000000040"},
    {"256: below 2 byte by byte", "00 01 01 01 03 0000000000007040"},
    {"a date: above every number", "00 01 01 01 02 000000000000f0bf"},
    {"the empty string: above every date", "00 01 01 01 01 00"},
    {"b: above it", "00 01 01 01 01 01 0062"},
    {"ba", "00 01 01 01 01 02 0062 0061"},
    {"U+0100: above b by its first byte", "00 01 01 01 01 01 0100"},
    {"bytes: above every string", "00 01 01 01 06 01 00"},
    {"more bytes", "00 01 01 01 06 02 00 00"},
    {"no element", "00 01 01 01 04 00"},
    {"[b, b]", "00 01 01 01 04 02 01 01 0062 01 01 0062"},
    {"[ba]: above [b, b]", "00 01 01 01 04 01 01 02 0062 0061"},
    {"[[], 2]", "00 01 01 01 04 02 04 00 03 0000000000000040"},
    {"[[2]]", "00 01 01 01 04 01 04 01 03 0000000000000040"},
    {"highest key", "00 01 01 01 00"},
    {"not a number", "00 01 01 01 03 000000000000f87f", false},
    {"a string that is cut short", "00 01 01 01 01 02 0062", false},
    {"a type of key that is not known", "00 01 01 01 07", false},
    {"the version of -1", "00 01 01 02 03 000000000000f0bf"},
    {"the blobs of -1", "00 01 01 03 03 000000000000f0bf"},
    {"an index id that has no meaning", "00 01 01 04 03 000000000000f0bf", false},
    {"index 30: 2, without primary key, as long ago", "00 01 01 1e 03 0000000000000040"},
    {"sequence number 1, without primary key", "00 01 01 1e 03 0000000000000040 01"},
    {"primary key a", "00 01 01 1e 03 0000000000000040 00 01 01 0061"},
    {"a, 1", "00 01 01 1e 03 0000000000000040 01 01 01 0061"},
    {"a, 300", "00 01 01 1e 03 0000000000000040 ac02 01 01 0061"},
    {"b, 1: the primary key comes first", "00 01 01 1e 03 0000000000000040 01 01 01 0062"},
    {"[b], 0", "00 01 01 1e 03 0000000000000040 00 04 01 01 01 0062"},
    {"[b], 2", "00 01 01 1e 03 0000000000000040 02 04 01 01 01 0062"},
    {"[b, b], 1", "00 01 01 1e 03 0000000000000040 01 04 02 01 01 0062 01 01 0062"},
    {"bytes after it", "00 01 01 1e 03 0000000000000040 01 04 02 01 01 0062 01 01 0062 00", false},
    {"store 2", "00 01 02 01 03 000000000000f0bf"},
    {"store 256, in two bytes", "04 01 0001 01 03 000000000000f0bf"},
    {"database 2", "00 02 01 01 03 000000000000f0bf"},
    {"nothing", "", false},
    {"sizes of more bytes than there are", "fc 01 02 03", false},
};

TEST(IndexedDbKeyTest, ComparesPartByPart) {
  for (size_t i = 0; i < std::size(kAscending); ++i) {
    for (size_t j = 0; j < std::size(kAscending); ++j) {
      EXPECT_EQ(Sign(CompareIndexedDbKeys(FromHex(kAscending[i].hex), FromHex(kAscending[j].hex))),
                (i > j) - (i < j))
          << kAscending[i].what << " and " << kAscending[j].what;
    }
  }
}

TEST(IndexedDbKeyTest, KnowsItsKeys) {
  for (const NamedKey& key : kAscending) {
    EXPECT_EQ(IsIndexedDbKey(FromHex(key.hex)), key.is_key) << key.what;
  }
}

// To Chromium, the keys of each pair are equal.
TEST(IndexedDbKeyTest, EncodingsOfOneValueAreEqual) {
  EXPECT_EQ(CompareIndexedDbKeys(FromHex("00 01 01 01 03 0000000000000000"),
                                 FromHex("00 01 01 01 03 0000000000000080")),
            0);  // 0 and -0
  EXPECT_EQ(CompareIndexedDbKeys(FromHex("00 01 01 01 03 0000000000000000"),
                                 FromHex("24 0100 0100 01 03 0000000000000000")),
            0);  // ids with more bytes than necessary
}

TEST(IndexedDbKeyTest, TakesNoMoreMemoryForDeepArraysThanForShallowOnes) {
  std::string deep = FromHex("00 01 01 01");
  for (int i = 0; i < 1 << 20; ++i) deep += FromHex("04 01");
  EXPECT_FALSE(IsIndexedDbKey(deep));
  EXPECT_EQ(CompareIndexedDbKeys(deep, deep), 0);
  EXPECT_LT(CompareIndexedDbKeys(deep, deep + "\x05"), 0);
}

TEST(IndexedDbKeyTest, EveryCutIsAKeyOrNone) {
  for (const NamedKey& key : kAscending) {
    const std::string whole = FromHex(key.hex);
    for (size_t size = 0; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      EXPECT_EQ(CompareIndexedDbKeys(cut, cut), 0);
      EXPECT_NE(CompareIndexedDbKeys(cut, whole), 0) << key.what << " cut to " << size;
    }
  }
}

// Returns a key of IndexedDB, perhaps with changes. Changes use few different bytes, so that many
// parts are equal.
std::string RandomKey(Rng& rng) {
  std::string key = FromHex(kAscending[RandomUpTo(rng, std::size(kAscending) - 1)].hex);
  if (RandomUpTo(rng, 3) == 0) key = FromHex("00 01 01 01 04");  // an array with arbitrary contents
  const absl::string_view bytes("\0\x01\x02\x03\x04\x05\x06\x1e\x40\x80\xff", 11);
  key += RandomBytesOf(rng, RandomUpTo(rng, 6), bytes);
  for (size_t i = RandomUpTo(rng, 2); i > 0 && !key.empty(); --i) {
    key[RandomUpTo(rng, key.size() - 1)] = bytes[RandomUpTo(rng, bytes.size() - 1)];
  }
  return key;
}

TEST(IndexedDbKeyTest, IsAStrictWeakOrderOfAnyBytes) {
  constexpr uint64_t kSeed = 1;
  Rng rng(kSeed);
  constexpr size_t kKeys = 120;
  for (int round = 0; round < 8; ++round) {
    std::vector<std::string> keys;
    while (keys.size() < kKeys) keys.push_back(RandomKey(rng));
    std::vector<std::vector<int>> order(kKeys, std::vector<int>(kKeys));
    for (size_t a = 0; a < kKeys; ++a) {
      for (size_t b = 0; b < kKeys; ++b) {
        order[a][b] = Sign(CompareIndexedDbKeys(keys[a], keys[b]));
      }
    }
    for (size_t a = 0; a < kKeys; ++a) {
      ASSERT_EQ(order[a][a], 0);
      for (size_t b = 0; b < kKeys; ++b) {
        ASSERT_EQ(order[a][b], -order[b][a]) << ToHex(keys[a]) << " " << ToHex(keys[b]);
        for (size_t c = 0; c < kKeys; ++c) {
          if (order[a][b] > 0 || order[b][c] > 0) continue;
          const int least = order[a][b] < 0 || order[b][c] < 0 ? -1 : 0;
          ASSERT_EQ(order[a][c], least) << "seed " << kSeed << ": " << ToHex(keys[a]) << " "
                                        << ToHex(keys[b]) << " " << ToHex(keys[c]);
        }
      }
    }
  }
}

TEST(IndexedDbComparatorTest, IsFoundByItsName) {
  EXPECT_EQ(ComparatorByName("idb_cmp1"), IndexedDbComparator());
  EXPECT_EQ(IndexedDbComparator()->Name(), "idb_cmp1");
  for (const Comparator* comparator : KnownComparators()) {
    EXPECT_EQ(ComparatorByName(comparator->Name()), comparator);
  }
  EXPECT_EQ(ComparatorByName("leveldb.Bytewise"), nullptr);
}

TEST(IndexedDbComparatorTest, ShortensNothing) {
  for (size_t i = 0; i + 1 < std::size(kAscending); ++i) {
    const std::string start = FromHex(kAscending[i].hex);
    std::string key = start;
    IndexedDbComparator()->FindShortestSeparator(&key, FromHex(kAscending[i + 1].hex));
    EXPECT_EQ(key, start);
    IndexedDbComparator()->FindShortSuccessor(&key);
    EXPECT_EQ(key, start);
  }
}

}  // namespace
}  // namespace sstable::test
