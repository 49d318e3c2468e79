// Tests that the resources of a view of many tables are counted, and bounded by its options.
#include <malloc.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/database_view.h"
#include "sstable/options.h"
#include "tests/db/made_folder_test.h"
#include "tests/support/faulty_system.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

size_t DescriptorCount() {
  const std::filesystem::directory_iterator open("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(open), end(open)));
}

// Returns the memory allocated by malloc(); 0 with a sanitizer, which has its own malloc().
size_t HeapSize() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

class DatabaseViewScaleTest : public MadeFolderTest {
 protected:
  // Returns the key of entry `i` of a table.
  static std::string KeyOf(size_t table, size_t i) { return absl::StrFormat("%08d%04d", table, i); }

  // Writes tables of one level, with one block for each entry. Only every `stride`th one has the
  // keys that the MANIFEST says; the others are links to tables of the same size and must not be
  // read.
  void WriteTables(size_t count, size_t entries_each, size_t stride) {
    constexpr size_t kMaxLinks = 10'000;
    TableBuilderOptions options;
    options.key_kind = KeyKind::kInternal;
    options.block_size = 1;
    options.compression = Compression::kNone;
    std::vector<TableFile> tables;
    for (size_t t = 0; t < count; ++t) {
      Entries entries;
      for (size_t i = 0; i < entries_each; ++i) {
        entries.emplace_back(Key(KeyOf(t, i), 1), "value");
      }
      tables.push_back({1, 5 + t, 0, entries.front().first, entries.back().first});
      const std::string name = TableFileName(5 + t);
      if (t % stride != 0) {
        tables.back().size = tables[t - 1].size;
        const std::string linked = TableFileName(5 + t - t % kMaxLinks);
        std::filesystem::create_hard_link(Path(linked), Path(name));
        continue;
      }
      const auto bytes = BuildTable(options, entries);
      ASSERT_OK(bytes);
      tables.back().size = bytes->size();
      folder_.Write(name, *bytes);
    }
    next_file_number_ = 5 + count;
    folder_.Write("000004.log", "");
    WriteManifest(tables);
  }

  struct Use {
    size_t memory;
    size_t descriptors;
  };
  // Returns the resources used by a view after Gets from every `stride`th of `count` tables.
  Use UseOfView(const DatabaseViewOptions& options, size_t count, size_t stride) {
    constexpr size_t kGets = 10'000;
    const Use before = {HeapSize(), DescriptorCount()};
    const auto view = DatabaseView::Open(folder_.File("."), options);
    EXPECT_OK(view);
    EXPECT_LE(DescriptorCount() - before.descriptors, options.max_open_files);
    std::string value;
    for (size_t i = 0; i < kGets; ++i) {
      const std::string key = KeyOf(i * 7919 * stride % count, 1);
      EXPECT_EQ((*view)->Get(key, &value).value(), Presence::kFound) << key;
    }
    return {HeapSize() - before.memory, DescriptorCount() - before.descriptors};
  }
};

// Bytes that a view keeps for each table, open or not: the MANIFEST's data.
constexpr size_t kPerTable = 1500;

DatabaseViewOptions Bounded(FileAccess access, size_t max_open_files) {
  DatabaseViewOptions options;
  options.file_access = access;
  options.max_open_files = max_open_files;
  options.block_cache = std::make_shared<BlockCache>(0);
  return options;
}

TEST_F(DatabaseViewScaleTest, WhatIsOpenIsBoundedByTheOption) {
  constexpr size_t kTables = 3000, kBlocks = 100;
  WriteTables(kTables, kBlocks, 1);
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const Use one = UseOfView(Bounded(access, 1), kTables, 1);
    const Use some = UseOfView(Bounded(access, 200), kTables, 1);
    EXPECT_LE(one.descriptors, 1u);
    EXPECT_LE(some.descriptors, 200u);
    EXPECT_LE(one.memory, kTables * kPerTable);
    EXPECT_LE(some.memory, one.memory + 200 * (8000 + kBlocks * 100));
  }
  const Use by_default = UseOfView({}, kTables, 1);
  EXPECT_LE(by_default.descriptors, 1000u);
  EXPECT_LE(by_default.memory, 50'000'000u);
}

TEST_F(DatabaseViewScaleTest, TheBlockCacheIsBoundedByTheOption) {
  constexpr size_t kTables = 3000, kCacheSize = 200'000;
  WriteTables(kTables, 2, 1);
  DatabaseViewOptions options = Bounded(FileAccess::kRead, 1);
  options.block_cache = std::make_shared<BlockCache>(kCacheSize);
  EXPECT_LE(UseOfView(options, kTables, 1).memory, kTables * kPerTable + kCacheSize);
  EXPECT_LE(options.block_cache->usage(), kCacheSize);
}

TEST_F(DatabaseViewScaleTest, AHundredThousandTablesTakeLittleEach) {
  constexpr size_t kTables = 100'000, kStride = 100;
  WriteTables(kTables, 2, kStride);
  const Use use = UseOfView(Bounded(FileAccess::kRead, 100), kTables, kStride);
  EXPECT_LE(use.descriptors, 100u);
  EXPECT_LE(use.memory, kTables * kPerTable);
  const Use by_default = UseOfView({}, kTables, kStride);
  EXPECT_LE(by_default.descriptors, 1000u);
  EXPECT_LE(by_default.memory, kTables * kPerTable);
}

TEST_F(DatabaseViewScaleTest, WithoutAManifestEachTableIsOpenedOnce) {
  constexpr size_t kTables = 100;
  WriteTables(kTables, 2, 1);
  std::filesystem::remove(Path("CURRENT"));
  std::filesystem::remove(Path("MANIFEST-000002"));
  DatabaseViewOptions options;
  options.file_access = FileAccess::kRead;
  options.max_open_files = 4;
  Fault opened{"open"};
  opened.only = "open";
  opened.path = ".ldb";
  const FaultySystem calls(SIZE_MAX, opened);
  EXPECT_OK(DatabaseView::Open(folder_.File("."), options));
  EXPECT_LE(calls.calls().size(), kTables + 2);  // two more for the folder's kind and order
}

TEST_F(DatabaseViewScaleTest, TablesThatAllOverlapAreMergedIfAllMayBeOpenOrMapped) {
  constexpr size_t kTables = 200;
  for (size_t t = 0; t < kTables; ++t) {
    WriteTable(5 + t, {{Key("a", 2 * t + 1), absl::StrCat(t)}, {Key("z", 2 * t + 2), ""}});
  }
  struct rlimit old;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const struct rlimit few = {100, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  for (const FileAccess access : {FileAccess::kRead, FileAccess::kMap}) {
    DatabaseViewOptions options;
    options.file_access = access;
    const auto view = DatabaseView::Open(folder_.File("."), options);
    EXPECT_OK(view);
    if (!view.ok()) continue;
    std::string value;
    EXPECT_EQ((*view)->Get("a", &value).value(), Presence::kFound);
    EXPECT_EQ(value, "199");
    EXPECT_LE(DescriptorCount(), 50u);
    const auto live = (*view)->NewIterator();
    const auto history = (*view)->NewHistoryIterator();
    size_t live_count = 0, version_count = 0;
    for (live->SeekToFirst(); live->Valid(); live->Next()) ++live_count;
    for (history->SeekToFirst(); history->Valid(); history->Next()) ++version_count;
    if (access == FileAccess::kMap) {
      EXPECT_OK(live->status());
      EXPECT_OK(history->status());
      EXPECT_EQ(live_count, 2u);
      EXPECT_EQ(version_count, 2 * kTables);
      continue;
    }
    for (const absl::Status& status : {live->status(), history->status()}) {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                                   testing::HasSubstr("200 tables that overlap")));
    }
  }
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &old), 0);
}

}  // namespace
}  // namespace sstable::test
