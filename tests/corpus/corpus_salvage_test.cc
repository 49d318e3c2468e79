// Salvages the corpus' real files, with and without their tails. All entries must be saved.
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/table_builder.h"
#include "table/block/compression.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/whole_file.h"

namespace sstable::test {
namespace {

class CorpusSalvageTest : public CorpusTableTest {
 protected:
  void SetUp() override {
    CorpusTableTest::SetUp();
    bytes_ = ReadWholeFile(file().path);
  }

  // The options don't specify the kind of keys, so the salvager must infer it.
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

// The new table must have the old one's codec and about its size. A table of a Minecraft world used
// to become five times as large, with a codec that the game does not use.
TEST_P(CorpusSalvageTest, KeepsTheCodec) {
  if (facts().at("n_entries") == 0) return;  // without blocks, the codec is unknown
  uint64_t most = 0;
  int expected = 0;  // the type byte of most compressed blocks
  for (const auto& [type, count] : facts().at("compression_types").items()) {
    if (type == "0" || count <= most) continue;
    most = count;
    expected = std::stoi(type);
  }
  const auto file_read = NewMemoryFile(bytes_);
  ASSERT_OK_AND_ASSIGN(const auto salvager, Salvager::Open(*file_read, {}));
  TableBuilderOptions options = salvager->BuilderOptions();
  if (table_->dialect() == CompressionNumbering::kRocksDb) {
    EXPECT_LE(options.compression, Compression::kSnappy);  // every LevelDB can read these
    return;
  }
  EXPECT_EQ(TypeByte(options.compression), expected);
  const bool is_deflated =
      options.compression == Compression::kZlib || options.compression == Compression::kRawDeflate;
  if (!is_deflated) return;

  const auto policy = NewBloomFilterPolicy(10);
  options.filter_policy = policy.get();
  std::string salvaged;
  ASSERT_OK_AND_ASSIGN(const auto builder, TableBuilder::Create(NewStringFile(&salvaged), options));
  ASSERT_OK(salvager->VisitEntries([&builder](absl::string_view key, absl::string_view value) {
    return builder->Add(key, value);
  }));
  ASSERT_OK(builder->Finish());
  // One table was compressed by a library other than zlib, 5 % better.
  EXPECT_GT(salvaged.size(), bytes_.size() * 94 / 100);
  EXPECT_LT(salvaged.size(), bytes_.size() * 106 / 100);
}

INSTANTIATE_FOR_READABLE_FILES(CorpusSalvageTest);

}  // namespace
}  // namespace sstable::test
