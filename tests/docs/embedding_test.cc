// The C++ in docs/embedding.md must compile unchanged, block after block, and do what the page
// says.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "sstable/comparator.h"
#include "sstable/filter_policy.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "util/status_util.h"

// clang-format off
#include "tests/docs/embedding_code.h"  // generated from docs/embedding.md, and uses these macros
// clang-format on

namespace sstable::test {
namespace {

// Considers "Apple" and "apple" the same key.
class CaselessComparator final : public Comparator {
 public:
  absl::string_view Name() const override { return "example.CaselessComparator"; }
  int Compare(absl::string_view a, absl::string_view b) const override {
    return absl::AsciiStrToLower(a).compare(absl::AsciiStrToLower(b));
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// A Bloom filter of lowercase keys. Its name is not LevelDB's, so other readers ignore it.
class CaselessPolicy final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return "example.CaselessBloom"; }
  void CreateFilter(absl::Span<const absl::string_view> keys, std::string* dst) const override {
    std::vector<std::string> lower;
    for (absl::string_view key : keys) lower.push_back(absl::AsciiStrToLower(key));
    const std::vector<absl::string_view> views(lower.begin(), lower.end());
    Bloom()->CreateFilter(views, dst);
  }
  bool KeyMayMatch(absl::string_view key, absl::string_view filter) const override {
    return Bloom()->KeyMayMatch(absl::AsciiStrToLower(key), filter);
  }
};

class EmbeddingTest : public testing::Test {
 protected:
  // Makes a table with one version of each key, and opens it as an engine would. '-' before a key
  // makes it a deletion.
  std::unique_ptr<TableReader> MakeTable(const std::string& name, uint64_t sequence,
                                         const std::vector<std::string>& keys) {
    std::string bytes;
    TableBuilderOptions options;
    options.key_kind = KeyKind::kInternal;
    auto builder = *TableBuilder::Create(NewStringFile(&bytes), options);
    for (const std::string& key : keys) {
      const bool deleted = key[0] == '-';
      EXPECT_OK(builder->Add(MakeInternalKey(key.substr(deleted ? 1 : 0), sequence,
                                             deleted ? ValueType::kDeletion : ValueType::kValue),
                             deleted ? "" : absl::StrCat(key, " of ", name)));
    }
    EXPECT_OK(builder->Finish());
    TableReaderOptions reader_options;
    reader_options.key_kind = KeyKind::kInternal;
    const auto memtable = *TableReader::Open(NewMemoryFile(bytes), reader_options);
    EXPECT_OK(WriteTable(memtable->NewIterator().get(), /*newest_only=*/false, folder_.File(name)));
    auto table = OpenTable(folder_.File(name));
    EXPECT_OK(table.status());
    return *std::move(table);
  }

  TempFolder folder_;
};

TEST_F(EmbeddingTest, TheNewestTableThatKnowsAKeyDecides) {
  std::vector<std::unique_ptr<TableReader>> tables;
  tables.push_back(MakeTable("new", 20, {"-banana", "cherry"}));
  tables.push_back(MakeTable("old", 10, {"apple", "banana", "cherry"}));
  EXPECT_OK(tables[0]->LoadFilter());

  std::string value;
  EXPECT_EQ(*FindInLevels(tables, "apple", kMaxSequence, &value), Presence::kFound);
  EXPECT_EQ(value, "apple of old");
  EXPECT_EQ(*FindInLevels(tables, "banana", kMaxSequence, &value), Presence::kDeleted);
  EXPECT_EQ(*FindInLevels(tables, "banana", 15, &value), Presence::kFound);
  EXPECT_EQ(*FindInLevels(tables, "cherry", kMaxSequence, &value), Presence::kFound);
  EXPECT_EQ(value, "cherry of new");
  EXPECT_EQ(*FindInLevels(tables, "date", kMaxSequence, &value), Presence::kAbsent);

  ASSERT_OK(Compact(tables, folder_.File("compacted")));
  ASSERT_OK_AND_ASSIGN(const auto compacted, OpenTable(folder_.File("compacted")));
  std::vector<std::string> found;
  const auto it = compacted->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const auto parsed = ParseInternalKey(it->key());
    ASSERT_TRUE(parsed.has_value());
    found.push_back(absl::StrCat(parsed->user_key, "@", parsed->sequence, " ", it->value()));
  }
  EXPECT_OK(it->status());
  EXPECT_EQ(found, (std::vector<std::string>{"apple@10 apple of old", "banana@20 ",
                                             "cherry@20 cherry of new"}));
}

TEST_F(EmbeddingTest, KeysThatAreEqualInAnotherOrderAreFoundThroughTheFilter) {
  const CaselessComparator comparator;
  const CaselessPolicy policy;
  std::string bytes;
  TableBuilderOptions options;
  options.comparator = &comparator;
  options.filter_policy = &policy;
  auto builder = *TableBuilder::Create(NewStringFile(&bytes), options);
  ASSERT_OK(builder->Add("Apple", "red"));
  EXPECT_EQ(builder->Add("apple", "green").code(), absl::StatusCode::kInvalidArgument);
  builder = *TableBuilder::Create(NewStringFile(&(bytes = "in front of it ")), options);
  ASSERT_OK(builder->Add("Apple", "red"));
  ASSERT_OK(builder->Add("banana", "yellow"));
  ASSERT_OK(builder->Finish());

  const auto whole = NewMemoryFile(bytes, "whole");
  TableReaderOptions reader_options;
  reader_options.comparator = &comparator;
  reader_options.filter_policies = {&policy};
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(std::make_unique<Section>(
                                                               whole.get(), 15, whole->size() - 15),
                                                           reader_options));
  EXPECT_EQ(*table->Get("APPLE"), "red");
  EXPECT_EQ(*table->Get("BaNaNa"), "yellow");
  EXPECT_EQ(*table->Get("Avocado"), std::nullopt);
  EXPECT_OK(table->LoadFilter());
  EXPECT_EQ(table->stats().filter_negatives, 1);
}

}  // namespace
}  // namespace sstable::test
