// The corpus' real files, whole and without what stands at their end, give all of their entries.
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "table/format.h"
#include "table/salvage.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "util/file.h"

namespace sstable::test {
namespace {

class CorpusSalvageTest : public CorpusTableTest {
 protected:
  void SetUp() override {
    CorpusTableTest::SetUp();
    std::ifstream stream(file().path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  // Nothing is said of keys: the file has to tell.
  void ExpectAllEntriesFrom(absl::string_view bytes, bool* complete = nullptr) {
    const auto file_read = NewMemoryFile(bytes);
    ASSERT_OK_AND_ASSIGN(const auto salvager, Salvager::Open(*file_read, {}));
    Entries entries;
    ASSERT_OK(salvager->VisitEntries([&entries](absl::string_view key, absl::string_view value) {
      entries.emplace_back(key, value);
      return absl::OkStatus();
    }));
    EXPECT_EQ(entries.size(), facts().at("n_entries"));
    EXPECT_EQ(EntriesSha256(entries), facts().at("entries_sha256"));
    if (complete != nullptr) *complete = salvager->complete();
    EXPECT_EQ(salvager->report().conflict_count, 0);
  }

  std::string bytes_;
};

TEST_P(CorpusSalvageTest, Whole) {
  bool complete = false;
  ExpectAllEntriesFrom(bytes_, &complete);
  EXPECT_TRUE(complete);
}

TEST_P(CorpusSalvageTest, WithoutFooter) {
  ExpectAllEntriesFrom(absl::string_view(bytes_).substr(0, bytes_.size() - kFooterSize));
}

TEST_P(CorpusSalvageTest, WithoutIndex) {
  bytes_[table_->footer().index.offset] ^= 1;
  ExpectAllEntriesFrom(bytes_);
}

INSTANTIATE_FOR_READABLE_FILES(CorpusSalvageTest);

}  // namespace
}  // namespace sstable::test
