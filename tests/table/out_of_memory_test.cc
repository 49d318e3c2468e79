// Fails each memory request in turn, alone or with all later ones, while a caller that catches
// exceptions builds and reads a table. The result is correct or there is none: a builder makes no
// table, and an iterator is invalid and has an error.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/merging_iterator.h"
#include "tests/support/allocations.h"
#include "tests/support/exact_filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::IsEmpty;

// Runs `round` with each request failing in turn, until a round makes no more requests.
template <typename Round>
void ForEachRequest(Round round) {
  for (const bool stays : {false, true}) {
    for (uint64_t n = 0;; ++n) {
      ASSERT_LT(n, 100000);
      SCOPED_TRACE(absl::StrCat("request ", n, stays ? " and all that follow" : ""));
      bool happened = false;
      round(n, stays, &happened);
      if (testing::Test::HasFailure()) return;
      if (!happened) break;
    }
  }
}

// Returns true if `step` throws std::bad_alloc.
template <typename Step>
bool Throws(Step step) {
  try {
    step();
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

// Returns entries that fill several blocks, share prefixes, and exceed the initial buffers.
Entries SomeEntries() {
  Entries entries;
  for (int i = 0; i < 60; ++i) {
    const bool is_long = i % 17 == 9;
    entries.emplace_back(absl::StrFormat("key%03d%s", i, std::string(is_long ? 400 + i : 0, 'k')),
                         std::string(i % 13 == 5 ? 700 : 20, static_cast<char>('a' + i % 3)));
  }
  return entries;
}

struct BuildCase {
  const char* name;
  Compression compression;
  int threads = 1;
  const FilterPolicy* filter_policy = nullptr;
};

const FilterPolicy* Bloom() {
  static const auto* const policy = NewBloomFilterPolicy(10).release();
  return policy;
}

const FilterPolicy* WholeKeys() {
  static const auto* const policy = new ExactFilterPolicy;
  return policy;
}

class OutOfMemoryBuildTest : public testing::TestWithParam<BuildCase> {};

TEST_P(OutOfMemoryBuildTest, MakesTheRightTableOrNone) {
  const Entries entries = SomeEntries();
  TableBuilderOptions options;
  options.block_size = 256;
  options.compression = GetParam().compression;
  options.compression_threads = GetParam().threads;
  options.filter_policy = GetParam().filter_policy;
  options.sync = false;
  const std::string expected = BuildTable(options, entries).value();
  const TempFolder folder;
  const std::string path = folder.File("t.ldb");
  uint64_t failed_rounds = 0;
  ForEachRequest([&](uint64_t n, bool stays, bool* happened) {
    std::unique_ptr<TableBuilder> builder;
    bool threw = false, goes_on_after_throw = false, finished = false;
    FailingAllocation failure(n, stays);
    threw = Throws([&] {
      auto created = TableBuilder::Create(path, options);
      if (created.ok()) builder = *std::move(created);
    });
    if (builder != nullptr) {
      for (const auto& entry : entries) {
        bool ok = false;
        const bool throws = Throws([&] { ok = builder->Add(entry.first, entry.second).ok(); });
        goes_on_after_throw = goes_on_after_throw || (threw && ok);
        threw = threw || throws;
      }
      threw = Throws([&] { finished = builder->Finish().ok(); }) || threw;
    }
    failure.End();
    *happened = failure.happened();
    EXPECT_FALSE(goes_on_after_throw);
    EXPECT_FALSE(finished && threw);
    if (finished) {
      EXPECT_TRUE(folder.Read("t.ldb") == expected);
      std::filesystem::remove(path);
    } else {
      ++failed_rounds;
      EXPECT_THAT(folder.Names(), IsEmpty());
      if (builder != nullptr) {
        EXPECT_FALSE(builder->Finish().ok());
        EXPECT_FALSE(builder->status().ok());
      }
    }
  });
  EXPECT_GT(failed_rounds, 20);
}

INSTANTIATE_TEST_SUITE_P(
    Tables, OutOfMemoryBuildTest,
    testing::ValuesIn<BuildCase>({{"Raw", Compression::kNone},
                                  {"RawWithBloomFilter", Compression::kNone, 1, Bloom()},
                                  {"Snappy", Compression::kSnappy, 1, WholeKeys()},
                                  {"Zstd", Compression::kZstd, 1, Bloom()},
                                  {"SnappyByThreads", Compression::kSnappy, 3, Bloom()},
                                  {"ZstdByThreads", Compression::kZstd, 3, WholeKeys()}}),
    [](const auto& info) { return info.param.name; });

TEST(OutOfMemoryTest, NoMetaBlockIsLostEither) {
  const TempFolder folder;
  ForEachRequest([&](uint64_t n, bool stays, bool* happened) {
    auto builder = TableBuilder::Create(folder.File("t.ldb")).value();
    FailingAllocation failure(n, stays);
    bool finished = false;
    bool threw = Throws([&] { (void)builder->AddMetaBlock("mine", "contents"); });
    threw = Throws([&] { finished = builder->Flush().ok() && builder->Finish().ok(); }) || threw;
    failure.End();
    *happened = failure.happened();
    EXPECT_NE(finished, threw);
    if (!finished) return;
    const auto reader = TableReader::Open(folder.File("t.ldb")).value();
    EXPECT_EQ(*reader->ReadMetaBlock("mine"), "contents");
  });
}

// A named kind of iterator, and its expected entries.
struct IterateCase {
  const char* name;
  Compression compression;
  bool cache = false;
  bool merged = false;
};

class OutOfMemoryIterateTest : public testing::TestWithParam<IterateCase> {
 protected:
  OutOfMemoryIterateTest() {
    TableBuilderOptions options;
    options.block_size = 256;
    options.compression = GetParam().compression;
    options.filter_policy = Bloom();
    Entries halves[2];
    for (size_t i = 0; i < entries_.size(); ++i) {
      halves[GetParam().merged ? i % 2 : 0].push_back(entries_[i]);
    }
    for (int i = 0; i < 2; ++i) tables_[i] = BuildTable(options, halves[i]).value();
  }

  // Opens a new reader of each table.
  void Open() {
    for (int i = 0; i < 2; ++i) {
      TableReaderOptions options;
      if (GetParam().cache) options.block_cache = std::make_shared<BlockCache>(1 << 20);
      readers_[i] = TableReader::Open(NewMemoryFile(tables_[i]), options).value();
    }
  }

  std::unique_ptr<Iterator> NewIterator() const {
    if (!GetParam().merged) return readers_[0]->NewIterator();
    std::vector<std::unique_ptr<Iterator>> children;
    for (const auto& reader : readers_) children.push_back(reader->NewIterator());
    return std::make_unique<MergingIterator>(BytewiseComparator(), KeyKind::kPlain,
                                             std::move(children));
  }

  // Moves an iterator by `move`, then by `step` until it ends or throws. It must then be at the end
  // with an OK status, or be invalid and have an error. It must be usable afterwards.
  template <typename Move, typename Step>
  void Walk(const Entries& expected, Move move, Step step) {
    ForEachRequest([&](uint64_t n, bool stays, bool* happened) {
      Open();
      const std::unique_ptr<Iterator> it = NewIterator();
      size_t met = 0;
      bool is_right = true;
      FailingAllocation failure(n, stays);
      const bool threw = Throws([&] {
        for (move(it.get()); it->Valid(); step(it.get())) {
          is_right = is_right && met < expected.size() && it->key() == expected[met].first &&
                     it->value() == expected[met].second;
          ++met;
        }
      });
      const bool is_valid = it->Valid();
      failure.End();
      *happened = failure.happened();
      EXPECT_TRUE(is_right);
      EXPECT_FALSE(is_valid);
      EXPECT_EQ(it->status().ok(), !threw) << it->status();
      EXPECT_TRUE(threw || met == expected.size());
      it->Seek(entries_[30].first);
      ASSERT_TRUE(it->Valid()) << it->status();
      EXPECT_OK(it->status());
      EXPECT_EQ(it->key(), entries_[30].first);
      EXPECT_EQ(it->value(), entries_[30].second);
    });
  }

  const Entries entries_ = SomeEntries();
  std::string tables_[2];
  std::unique_ptr<TableReader> readers_[2];
};

TEST_P(OutOfMemoryIterateTest, ForwardNoEntryIsWrongAndNoErrorIsLost) {
  Walk(
      entries_, [](Iterator* it) { it->SeekToFirst(); }, [](Iterator* it) { it->Next(); });
}

TEST_P(OutOfMemoryIterateTest, BackwardLikewise) {
  Walk(
      Entries(entries_.rbegin(), entries_.rend()), [](Iterator* it) { it->SeekToLast(); },
      [](Iterator* it) { it->Prev(); });
}

TEST_P(OutOfMemoryIterateTest, FromAKeyLikewise) {
  Walk(
      Entries(entries_.begin() + 20, entries_.end()),
      [this](Iterator* it) { it->Seek(entries_[20].first); },
      [](Iterator* it) {
        const absl::string_view key = it->key();  // a view into the iterator
        it->Seek(key);
        it->Next();
      });
}

TEST_P(OutOfMemoryIterateTest, ASeekFromAnEntryLeavesNothingOfIt) {
  ForEachRequest([&](uint64_t n, bool stays, bool* happened) {
    Open();
    const std::unique_ptr<Iterator> it = NewIterator();
    it->SeekToFirst();
    ASSERT_TRUE(it->Valid());
    FailingAllocation failure(n, stays);
    const bool threw = Throws([&] { it->Seek(entries_[45].first); });
    failure.End();
    *happened = failure.happened();
    EXPECT_EQ(it->Valid(), !threw);
    EXPECT_EQ(it->status().ok(), !threw);
    if (it->Valid()) {
      EXPECT_EQ(it->key(), entries_[45].first);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Tables, OutOfMemoryIterateTest,
                         testing::ValuesIn<IterateCase>({{"Raw", Compression::kNone},
                                                         {"Snappy", Compression::kSnappy},
                                                         {"Cached", Compression::kSnappy, true},
                                                         {"Merged", Compression::kSnappy, true,
                                                          /*merged=*/true}}),
                         [](const auto& info) { return info.param.name; });

TEST(OutOfMemoryTest, OfManyLookupsNoneIsAnsweredWrongly) {
  const Entries entries = SomeEntries();
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    TableBuilderOptions options;
    options.block_size = 256;
    options.compression = compression;
    const std::string bytes = BuildTable(options, entries).value();
    ForEachRequest([&](uint64_t n, bool stays, bool* happened) {
      TableReaderOptions reader_options;
      reader_options.block_cache = std::make_shared<BlockCache>(1 << 20);
      const auto reader = TableReader::Open(NewMemoryFile(bytes), reader_options).value();
      std::vector<std::string> values(entries.size());
      std::vector<LookupRequest> requests(entries.size());
      for (size_t i = 0; i < entries.size(); ++i) {
        requests[i].key = entries[i].first;
        requests[i].value = &values[i];
      }
      FailingAllocation failure(n, stays);
      const bool threw = Throws([&] { reader->MultiGet(absl::MakeSpan(requests)); });
      failure.End();
      *happened = failure.happened();
      for (size_t i = 0; i < entries.size(); ++i) {
        ASSERT_EQ(requests[i].presence.ok(), !threw) << entries[i].first;
        if (threw) continue;
        EXPECT_EQ(*requests[i].presence, Presence::kFound) << entries[i].first;
        EXPECT_EQ(values[i], entries[i].second);
      }
      std::string value;  // the reader must be usable afterwards
      EXPECT_EQ(reader->Get(entries[7].first, &value).value(), Presence::kFound);
      EXPECT_EQ(value, entries[7].second);
    });
  }
}

}  // namespace
}  // namespace sstable::test
