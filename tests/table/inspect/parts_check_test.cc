// The report on a table does not depend on the number of threads.
#include "table/inspect/parts_check.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable {
namespace {

constexpr int kKeys = 2000;  // in about 200 blocks

std::string Text(const CheckReport& report) {
  std::string text = absl::StrCat(
      report.data_blocks, " blocks, ", report.damaged_data_blocks, " damaged, ", report.entries,
      " entries, ", report.keys_checked_with_filter, " with filter, order ",
      report.order_checked ? "checked " : "", report.order_assumed ? "assumed " : "", "because ",
      report.order_reason, ", filter ", report.filter_status.ToString(), ", ", report.problem_count,
      " problems\n");
  for (const CheckProblem& problem : report.problems) {
    absl::StrAppend(&text, problem.place, " ", problem.offset, " ", problem.size, " ",
                    problem.message, "\n");
  }
  return text;
}

// The kinds of tables.
struct Sort {
  const char* name;
  KeyKind kind = KeyKind::kPlain;
  const Comparator* comparator = BytewiseComparator();
  std::string (*key)(int i) = [](int i) { return absl::StrFormat("key%06d", i); };
  const FilterPolicy* filter = nullptr;
  const TableFilterPolicy* table_filter = nullptr;
  bool can_be_in_parts = true;  // also if its order is not known
};

const FilterPolicy* Bloom() {
  static const FilterPolicy* const policy = NewBloomFilterPolicy(10).release();
  return policy;
}
const TableFilterPolicy* Fuse() {
  static const TableFilterPolicy* const policy = NewBinaryFusePolicy(FuseBits::k8).release();
  return policy;
}

// Many versions of each user key, more than a block has, or few.
std::string Versions(int i, int count) {
  return MakeInternalKey(absl::StrFormat("user%06d", i / count),
                         static_cast<uint64_t>(count - i % count) * 7,
                         i % 5 == 0 ? ValueType::kDeletion : ValueType::kValue);
}
// An IndexedDB key; that order is not bytewise.
std::string IndexedDbKey(int i) {
  std::string key("\0\1\1\1\3", 5);  // in an object store's data; the key is a number
  const double number = i;
  key.append(reinterpret_cast<const char*>(&number), sizeof number);
  return key;
}

const std::vector<Sort>& Sorts() {
  static const auto* const sorts = new std::vector<Sort>{
      {"plain"},
      {"plain with filter", KeyKind::kPlain, BytewiseComparator(),
       [](int i) { return absl::StrFormat("key%06d", i); }, Bloom()},
      {"plain with a table filter", KeyKind::kPlain, BytewiseComparator(),
       [](int i) { return absl::StrFormat("key%06d", i); }, nullptr, Fuse()},
      {"two versions", KeyKind::kInternal, BytewiseComparator(),
       [](int i) { return Versions(i, 2); }, Bloom(), Fuse()},
      {"many versions", KeyKind::kInternal, BytewiseComparator(),
       [](int i) { return Versions(i, 70); }, Bloom(), Fuse()},
      {"one user key", KeyKind::kInternal, BytewiseComparator(),
       [](int i) { return Versions(i, kKeys); }, Bloom(), nullptr, false},
      {"reverse", KeyKind::kPlain, ReverseBytewiseComparator(),
       [](int i) { return absl::StrFormat("key%06d", kKeys - i); }, nullptr, nullptr, false},
      {"IndexedDB", KeyKind::kPlain, IndexedDbComparator(), IndexedDbKey, nullptr, nullptr, false},
  };
  return *sorts;
}

class PartsCheckTest : public testing::TestWithParam<size_t> {
 protected:
  PartsCheckTest() : sort_(Sorts()[GetParam()]) {}

  std::string Build() const {
    TableBuilderOptions options;
    options.comparator = sort_.comparator;
    options.key_kind = sort_.kind;
    options.block_size = 200;
    options.compression = Compression::kNone;
    options.filter_policy = sort_.filter;
    options.table_filter_policy = sort_.table_filter;
    test::Entries entries;
    for (int i = 0; i < kKeys; ++i) entries.emplace_back(sort_.key(i), absl::StrCat("value", i));
    const auto bytes = test::BuildTable(options, entries);
    EXPECT_OK(bytes);
    return *bytes;
  }

  // Opens it with its order, which is known, or with bytewise order, which is not.
  std::unique_ptr<TableReader> Open(const std::string& bytes, bool order_known) const {
    TableReaderOptions options;
    options.key_kind = sort_.kind;
    options.comparator = order_known ? sort_.comparator : BytewiseComparator();
    auto reader = TableReader::Open(NewMemoryFile(bytes), options);
    return reader.ok() ? *std::move(reader) : nullptr;
  }

  static CheckReport Check(const TableReader& reader, bool order_known, int threads) {
    CheckOptions options;
    options.keys = order_known ? KeyTrust::kOrdered : KeyTrust::kUnordered;
    options.max_problems = 10;
    options.threads = threads;
    return CheckTable(reader, options);
  }

  // Returns true if there are no problems.
  bool ExpectSame(const std::string& bytes, absl::string_view what) const {
    bool ok = true;
    for (const bool order_known : {true, false}) {
      const auto reader = Open(bytes, order_known);
      if (reader == nullptr) return false;
      const CheckReport expected = Check(*reader, order_known, 1);
      ok = ok && expected.ok();
      for (const int threads : {2, 3, 70}) {
        EXPECT_EQ(Text(Check(*reader, order_known, threads)), Text(expected))
            << what << ", " << threads << " threads, order known: " << order_known;
      }
    }
    return ok;
  }

  const Sort& sort_;
};

TEST_P(PartsCheckTest, SoundTable) {
  const std::string bytes = Build();
  EXPECT_TRUE(ExpectSame(bytes, "sound"));
  for (const bool order_known : {true, false}) {
    const auto reader = Open(bytes, order_known);
    ASSERT_NE(reader, nullptr);
    CheckOptions options;
    options.keys = order_known ? KeyTrust::kOrdered : KeyTrust::kUnordered;
    options.threads = 3;
    EXPECT_EQ(CheckInParts(*reader, LoadNow(*reader), options).has_value(),
              order_known || sort_.can_be_in_parts);
  }
}

TEST_P(PartsCheckTest, DamagedTable) {
  const std::string sound = Build();
  std::mt19937 random(20261124);
  int damaged = 0;
  for (int i = 0; i < 30; ++i) {
    std::string bytes = sound;
    const size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    if (!ExpectSame(bytes, absl::StrCat("byte ", at))) ++damaged;
  }
  EXPECT_GT(damaged, 25);
}

// A block of the same size, with its correct checksum, is in another's place: an earlier one, which
// only the previous block can reveal; or two blocks are in each other's place.
TEST_P(PartsCheckTest, BlocksInOthersPlaces) {
  const std::string sound = Build();
  const auto reader = Open(sound, true);
  ASSERT_NE(reader, nullptr);
  const TableIndex& index = *LoadNow(*reader).index;
  std::mt19937 random(20261124);
  int swapped = 0;
  for (int i = 0; i < 400 && swapped < 15; ++i) {
    const BlockHandle a = index.record(random() % index.size()).handle();
    const BlockHandle b = index.record(random() % index.size()).handle();
    if (a.size != b.size || a.offset >= b.offset) continue;
    std::string bytes = sound;
    const size_t size = a.size + kBlockTrailerSize;
    bytes.replace(b.offset, size, sound, a.offset, size);
    EXPECT_FALSE(ExpectSame(bytes, absl::StrCat("block at ", a.offset, " also at ", b.offset)));
    bytes.replace(a.offset, size, sound, b.offset, size);
    EXPECT_FALSE(ExpectSame(bytes, absl::StrCat("blocks at ", a.offset, " and ", b.offset)));
    ++swapped;
  }
  EXPECT_EQ(swapped, 15);
}

INSTANTIATE_TEST_SUITE_P(Tables, PartsCheckTest, testing::Range(size_t{0}, Sorts().size()),
                         [](const auto& info) {
                           std::string name = Sorts()[info.param].name;
                           for (char& c : name) c = c == ' ' ? '_' : c;
                           return name;
                         });

// Found last, and not a problem of any block.
TEST_P(PartsCheckTest, BytesOfNoBlock) {
  std::string bytes = Build();
  bytes.insert(bytes.size() - kFooterSize, "of no block");
  EXPECT_FALSE(ExpectSame(bytes, "bytes before the footer"));
  const auto reader = Open(bytes, true);
  ASSERT_NE(reader, nullptr);
  const CheckReport report = Check(*reader, true, 2);
  ASSERT_EQ(report.problems.size(), 1);
  EXPECT_THAT(report.problems[0].message, testing::HasSubstr("belong to no block"));
}

// It can't be seen there whether a key is the newest version of its user key.
TEST(PartsCheckOfFewBlocksTest, GivesUpWhereABlockHasNoEntries) {
  for (const bool middle_is_empty : {false, true}) {
    test::TableAssembler table;
    table.AddDataBlock("a", {{"a", "1"}});
    table.AddDataBlock("b", middle_is_empty ? test::Entries() : test::Entries{{"b", "2"}});
    table.AddDataBlock("c", {{"c", "3"}});
    const std::string bytes = table.Finish();
    const auto reader = TableReader::Open(NewMemoryFile(bytes));
    ASSERT_OK(reader);
    CheckOptions options;
    EXPECT_TRUE(CheckTable(**reader, options).ok());
    options.threads = 2;  // the second begins with the last block
    EXPECT_EQ(CheckInParts(**reader, LoadNow(**reader), options).has_value(), !middle_is_empty);
    EXPECT_TRUE(CheckTable(**reader, options).ok());
  }
}

// Tables with so few blocks that some parts have none.
TEST(PartsCheckOfFewBlocksTest, IsThatOfOneThread) {
  for (int keys = 0; keys <= 12; ++keys) {
    TableBuilderOptions options;
    options.block_size = 1;
    test::Entries entries;
    for (int i = 0; i < keys; ++i) entries.emplace_back(absl::StrFormat("key%06d", i), "value");
    const auto bytes = test::BuildTable(options, entries);
    ASSERT_OK(bytes);
    const auto reader = TableReader::Open(NewMemoryFile(*bytes));
    ASSERT_OK(reader);
    for (const bool order_known : {true, false}) {
      CheckOptions check;
      check.keys = order_known ? KeyTrust::kOrdered : KeyTrust::kUnordered;
      const std::string expected = Text(CheckTable(**reader, check));
      for (check.threads = 2; check.threads <= 15; ++check.threads) {
        EXPECT_EQ(Text(CheckTable(**reader, check)), expected) << keys << " keys";
      }
    }
  }
}

}  // namespace
}  // namespace sstable
