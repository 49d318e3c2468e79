// MultiGet() of a view must return the same as Get(), in all kinds of folders.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/experimental/write_batch.h"
#include "tests/db/made_folder_test.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

struct MadeTable {
  int level;
  Entries entries;
  const Comparator* comparator = BytewiseComparator();
};

struct MultiGetCase {
  const char* name;
  std::vector<MadeTable> tables;
  std::vector<const char*> logged;  // put, or deleted if they begin with "-"
  bool is_damaged = false;          // in the first table's first block
  bool has_wrong_range = false;     // the MANIFEST's range of the first table ends too early
  bool ignores_manifest = false;
};

std::string Deleted(const std::string& user_key, uint64_t sequence) {
  return MakeInternalKey(user_key, sequence, ValueType::kDeletion);
}

class DatabaseViewMultiGetTest : public MadeFolderTest,
                                 public testing::WithParamInterface<MultiGetCase> {
 protected:
  void SetUp() override {
    const MultiGetCase& made = GetParam();
    std::vector<TableFile> tables;
    for (const MadeTable& table : made.tables) {
      tables.push_back(WriteTable(5 + tables.size(), table.entries, "", table.comparator));
      tables.back().level = table.level;
    }
    if (made.has_wrong_range) tables.front().largest = tables.front().smallest;
    if (made.is_damaged) folder_.Write("000005.ldb", Damaged(folder_.Read("000005.ldb")));
    WriteBatch batch;
    for (const std::string key : made.logged) {  // copies each name
      key[0] == '-' ? batch.Delete(key.substr(1)) : batch.Put(key, "logged");
    }
    batch.set_sequence(50);
    WriteRecord("000004.log", batch.bytes());
    WriteManifest(tables);
  }

  static std::string Damaged(std::string bytes) {
    bytes[4] ^= 1;
    return bytes;
  }
};

TEST_P(DatabaseViewMultiGetTest, AnswersAsGetDoes) {
  std::vector<std::string> keys;
  for (const char first : {'a', 'b', 'c', 'd', 'e'}) {
    for (int i = 0; i < 10; ++i) keys.push_back(absl::StrCat(std::string(1, first), i));
  }
  keys.push_back(keys.front());
  for (const size_t max_open_files : {1, 1000}) {
    for (const uint64_t snapshot : {uint64_t{0}, uint64_t{4}, kMaxSequence, kMaxSequence + 1}) {
      for (const bool goes_on : {false, true}) {
        SCOPED_TRACE(absl::StrCat(max_open_files, " open, @", snapshot, " ", goes_on));
        DatabaseViewOptions options;
        options.max_open_files = max_open_files;
        options.ignore_manifest = GetParam().ignores_manifest;
        const auto view = DatabaseView::Open(folder_.File("."), options);
        ASSERT_OK(view);
        ViewReadOptions read;
        read.snapshot = snapshot;
        if (goes_on) read.on_damage = [](const DatabaseProblem&) {};
        std::vector<std::string> values(keys.size());
        std::vector<LookupRequest> requests;
        for (size_t i = 0; i < keys.size(); ++i) requests.push_back({keys[i], &values[i]});
        (*view)->MultiGet(absl::MakeSpan(requests), read);
        for (size_t i = 0; i < keys.size(); ++i) {
          std::string value;
          EXPECT_EQ(requests[i].presence, (*view)->Get(keys[i], &value, read)) << keys[i];
          if (requests[i].presence.ok() && *requests[i].presence == Presence::kFound) {
            EXPECT_EQ(values[i], value) << keys[i];
          }
        }
      }
    }
  }
}

const Entries kDeep = {{Key("a1", 1), "deep"}, {Key("b1", 2), "deep"}, {Key("c1", 1), "deep"}};
const Entries kMiddle = {{Key("a1", 3), "middle"}, {Deleted("b1", 3), ""}, {Key("b2", 3), "b2"}};
const Entries kAfter = {{Key("d1", 3), "d1"}, {Key("d3", 5), "new"}, {Key("d3", 4), "old"}};
const Entries kNewest = {{Key("a1", 7), "newest"}, {Key("d9", 7), "newest"}};
const Entries kNewer = {{Key("a1", 6), "newer"}, {Deleted("d3", 6), ""}};

INSTANTIATE_TEST_SUITE_P(
    Folders, DatabaseViewMultiGetTest,
    testing::ValuesIn<MultiGetCase>({
        {"Nothing", {}, {}},
        {"OneLevel", {{1, kMiddle}, {1, kAfter}}, {}},
        {"Levels", {{1, kMiddle}, {1, kAfter}, {2, kDeep}}, {}},
        {"LevelZero", {{0, kNewest}, {0, kNewer}, {1, kMiddle}, {1, kAfter}, {2, kDeep}}, {}},
        {"Log", {{1, kMiddle}, {2, kDeep}}, {"-a1", "b1", "c0"}},
        {"LogAlone", {}, {"-a1", "b1"}},
        {"DamagedBlock", {{1, kMiddle}, {1, kAfter}, {2, kDeep}}, {"b1"}, true},
        {"DamagedInLevelZero", {{0, kNewest}, {0, kNewer}, {2, kDeep}}, {}, true},
        {"WrongRange", {{1, kMiddle}, {1, kAfter}, {2, kDeep}}, {}, false, true},
        {"NoLevels", {{1, kMiddle}, {1, kAfter}, {2, kDeep}}, {"c0"}, false, false, true},
        {"AnotherOrder",
         {{1,
           {{Key("a5", 9), "5"},
            {Key("a4", 9), "4"},
            {Key("a3", 9), "3"},
            {Key("a2", 9), "2"},
            {Key("a1", 9), "1"},
            {Key("a0", 9), "0"}},
           ReverseBytewiseComparator()},
          {2, kDeep}},
         {}},
    }),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
