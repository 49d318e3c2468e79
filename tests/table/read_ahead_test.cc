// The reads that a reader causes on a device: which of a file's two mappings it uses, and which
// hints it gives.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAreArray;

using Range = std::pair<uint64_t, uint64_t>;  // offset and size

// A file with two copies in memory, like two mappings. Records the hints that it gets.
class HintedFile final : public RandomAccessFile {
 public:
  explicit HintedFile(const std::string& contents)
      : RandomAccessFile("hinted", contents.size()), lookups_(contents), scans_(contents) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    lookups_.copy(dst, size, offset);
    return absl::OkStatus();
  }
  std::optional<absl::string_view> Contents() const override { return lookups_; }
  std::optional<absl::string_view> ContentsForScan() const override { return scans_; }
  void WillNeed(uint64_t offset, uint64_t size) const override {
    ASSERT_LE(offset, this->size());
    ASSERT_LE(size, this->size() - offset);
    hints_.emplace_back(offset, size);
  }

  bool IsForScan(absl::string_view bytes) const {
    return bytes.data() >= scans_.data() && bytes.data() < scans_.data() + scans_.size();
  }
  std::vector<Range> TakeHints() const { return std::exchange(hints_, {}); }

 private:
  const std::string lookups_, scans_;
  mutable std::vector<Range> hints_;
};

class ReadAheadTest : public testing::Test {
 protected:
  static constexpr int kEntries = 400;

  static std::string Key(int i) { return absl::StrFormat("%08d", i); }

  // Opens a table of many blocks; `*file_` is its file.
  void Open(Compression compression = Compression::kNone) {
    TableBuilderOptions options;
    options.block_size = 512;
    options.compression = compression;
    options.filter_policy = policy_.get();
    Entries entries;
    Rng rng(1);
    for (int i = 0; i < kEntries; ++i) {
      entries.emplace_back(Key(i), std::string(60, 'v') + RandomBytes(rng, 40));
    }
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable(options, entries));
    auto file = std::make_unique<HintedFile>(bytes);
    file_ = file.get();
    TableReaderOptions reader_options;
    reader_options.filter_policies = {policy_.get()};
    ASSERT_OK_AND_ASSIGN(table_, TableReader::Open(std::move(file), reader_options));
  }

  Range RangeOf(int i) const {
    size_t block = 0;
    EXPECT_OK(IndexOf(*table_)->Find({Key(i)}, &block));
    const BlockHandle handle = IndexOf(*table_)->record(block).handle();
    return {handle.offset, handle.size + kBlockTrailerSize};
  }
  void ExpectValue(int i) const {
    ASSERT_OK_AND_ASSIGN(const auto value, table_->Get(Key(i)));
    EXPECT_TRUE(value.has_value());
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  const HintedFile* file_ = nullptr;
  std::unique_ptr<TableReader> table_;
};

TEST_F(ReadAheadTest, ALookupAsksForWholeBlocksOnce) {
  Open();
  file_->TakeHints();
  ExpectValue(17);
  const std::vector<Range> hints = file_->TakeHints();
  EXPECT_THAT(hints, Contains(RangeOf(17)));
  const BlockHandle index = table_->footer().index;
  EXPECT_THAT(hints, Contains(Pair(index.offset, index.size + kBlockTrailerSize)));

  ASSERT_NE(IndexOf(*table_), nullptr);  // already loaded
  ExpectValue(17);
  file_->TakeHints();
  ExpectValue(17);
  EXPECT_THAT(file_->TakeHints(), IsEmpty()) << "the block is verified";
}

TEST_F(ReadAheadTest, MultiGetAsksForAllItsBlocksBeforeItReadsOne) {
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    Open(compression);
    ASSERT_NE(IndexOf(*table_), nullptr);
    file_->TakeHints();
    std::vector<std::string> keys, values(20);
    for (int i = 0; i < 20; ++i) keys.push_back(Key(17 * i + 10));
    std::vector<LookupRequest> requests(20);
    std::vector<Range> wanted;
    for (int i = 0; i < 20; ++i) {
      requests[i].key = keys[i];
      requests[i].value = &values[i];
      if (RangeOf(17 * i + 10).first > 0) wanted.push_back(RangeOf(17 * i + 10));
    }
    table_->MultiGet(absl::MakeSpan(requests));
    for (const LookupRequest& request : requests) {
      ASSERT_OK(request.presence);
      EXPECT_EQ(*request.presence, Presence::kFound);
    }
    std::vector<Range> hints = file_->TakeHints();
    ASSERT_GE(hints.size(), wanted.size());
    hints.resize(wanted.size());  // drops the hints of the single lookups that follow
    EXPECT_THAT(hints, UnorderedElementsAreArray(wanted));
  }
}

TEST_F(ReadAheadTest, AScanIsReadAheadFromItsThirdBlockOn) {
  Open();
  const auto it = table_->NewIterator();
  for (const bool forward : {true, false}) {
    forward ? it->SeekToFirst() : it->SeekToLast();
    const size_t first = it->block_index();
    for (; it->Valid(); forward ? it->Next() : it->Prev()) {
      const size_t distance = forward ? it->block_index() - first : first - it->block_index();
      ASSERT_EQ(file_->IsForScan(it->value()), distance >= 2) << distance;
    }
    ASSERT_OK(it->status());
  }
  it->Seek(Key(200));
  EXPECT_FALSE(file_->IsForScan(it->value())) << "a seek begins anew";
  ExpectValue(200);
}

TEST_F(ReadAheadTest, AScanGivesNoHints) {
  Open(Compression::kSnappy);
  const auto it = table_->NewIterator();
  it->SeekToFirst();
  while (it->Valid() && it->block_index() < 2) it->Next();
  file_->TakeHints();
  int count = 0;
  for (; it->Valid(); it->Next()) ++count;
  ASSERT_OK(it->status());
  EXPECT_GT(count, kEntries / 2);
  EXPECT_THAT(file_->TakeHints(), IsEmpty());
}

}  // namespace
}  // namespace sstable::test
