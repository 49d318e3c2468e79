// Temporary read failures. A reader retries and does without the filter, but never reports a key as
// absent that it could not read.
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_walk.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

class TableReaderRetryTest : public testing::Test {
 protected:
  TableReaderRetryTest() {
    for (int i = 0; i < 200; ++i) entries_.emplace_back(absl::StrCat("key", 1000 + i), "value");
    bytes_ = Build(policy_.get());
    const auto table = TableReader::Open(NewMemoryFile(bytes_)).value();
    index_ = table->footer().index;
    metaindex_ = table->footer().metaindex;
    filter_ = table->meta_blocks().at(0).handle;
    first_block_ = IndexOf(*table)->record(0).handle();
  }

  std::string Build(const FilterPolicy* policy) const {
    TableBuilderOptions options;
    options.filter_policy = policy;
    options.block_size = 100;
    return BuildTable(options, entries_).value();
  }

  // Opens `bytes` as a file in which the block at `handle` can't be read.
  std::unique_ptr<TableReader> OpenWithBad(const BlockHandle& handle, const std::string& bytes,
                                           const TableReaderOptions& options = {}) {
    auto file = std::make_unique<FakeFile>(bytes);
    file_ = file.get();
    auto table = TableReader::Open(std::move(file), options).value();
    file_->SetBadRange(handle.offset, handle.size);
    return table;
  }
  std::unique_ptr<TableReader> OpenWithBad(const BlockHandle& handle) {
    return OpenWithBad(handle, bytes_);
  }
  void Mend() { file_->SetBadRange(0, 0); }

  // Returns the number of keys found. Any other result must be the error.
  size_t CountFound(const TableReader& table) const {
    size_t found = 0;
    for (const auto& [key, value] : entries_) {
      const absl::StatusOr<std::optional<std::string>> got = table.Get(key);
      if (got.ok()) {
        EXPECT_EQ(*got, value) << key;
        ++found;
      } else {
        EXPECT_THAT(got, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("fake: read failed")));
      }
    }
    return found;
  }

  const std::unique_ptr<const FilterPolicy> policy_ = NewBloomFilterPolicy(10);
  Entries entries_;
  std::string bytes_;
  BlockHandle index_, metaindex_, filter_, first_block_;
  FakeFile* file_ = nullptr;
};

TEST_F(TableReaderRetryTest, SaysWhyTheIndexCouldNotBeReadThisTime) {
  const auto table = OpenWithBad(index_);
  for (const char* const message : {"cable out", "no power", "cable out"}) {
    file_->SetError(absl::InternalError(message));
    EXPECT_THAT(table->LoadIndex(), StatusIs(absl::StatusCode::kInternal, HasSubstr(message)));
    EXPECT_THAT(table->Get("key1000"), StatusIs(absl::StatusCode::kInternal, HasSubstr(message)));
  }
}

TEST_F(TableReaderRetryTest, ManyKeysAskForTheIndexOnce) {
  const auto table = OpenWithBad(index_);
  std::vector<LookupRequest> requests(100);
  table->MultiGet(absl::MakeSpan(requests));
  for (const LookupRequest& request : requests) {
    EXPECT_THAT(request.presence,
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("fake: index block at offset")));
  }
  EXPECT_EQ(file_->bad_read_count(), 1);
}

TEST_F(TableReaderRetryTest, ADamagedIndexIsReadOnce) {
  bytes_[index_.offset] ^= 1;
  const auto table = OpenWithBad({});
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(table->Get("key1000"), StatusIs(absl::StatusCode::kDataLoss, testing::_));
    EXPECT_THAT(table->LoadIndex(), StatusIs(absl::StatusCode::kDataLoss, testing::_));
  }
  EXPECT_EQ(file_->read_count(), 4) << "footer, metaindex, index, filter";
}

TEST_F(TableReaderRetryTest, LookupsDoWithoutTheFilterAndAskForItEverLessOften) {
  const auto table = OpenWithBad(filter_);
  for (int round = 0; round < 5; ++round) EXPECT_EQ(CountFound(*table), entries_.size());
  EXPECT_EQ(file_->bad_read_count(), 10) << "at lookup 1, 2, 4, 8 ... 512 of 1000";
  EXPECT_THAT(table->LoadFilter(),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr(absl::StrCat("filter block at offset ", filter_.offset))));
  EXPECT_EQ(table->filter(), nullptr);
  EXPECT_EQ(table->stats().filter_negatives, 0);
  EXPECT_OK(table->LoadIndex()) << "the index can be read";
  EXPECT_EQ(file_->bad_read_count(), 11) << "this asks in any case";

  Mend();
  const uint64_t before = file_->read_count();
  EXPECT_OK(table->LoadIndex());
  EXPECT_OK(table->LoadFilter());
  EXPECT_NE(table->filter(), nullptr);
  EXPECT_EQ(file_->read_count(), before + 3) << "filter, first two blocks";
  EXPECT_EQ(CountFound(*table), entries_.size());
  EXPECT_EQ(table->stats().filter_positives, entries_.size());
}

TEST_F(TableReaderRetryTest, IndexAndIteratorsStayGoodWhenTheFilterComes) {
  const auto table = OpenWithBad(filter_);
  const TableIndex* const index = IndexOf(*table);
  ASSERT_NE(index, nullptr);
  const auto it = table->NewIterator();
  it->Seek("key1100");
  file_->SetBadRange(index_.offset, 1);
  EXPECT_OK(table->LoadIndex()) << "it has one";
  EXPECT_EQ(IndexOf(*table), index);
  Mend();
  ASSERT_OK(table->LoadIndex());
  ASSERT_OK(table->LoadFilter());
  for (size_t i = 100; i < entries_.size(); ++i, it->Next()) {
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->key(), entries_[i].first);
  }
  EXPECT_EQ(index->size(), IndexOf(*table)->size());
  EXPECT_EQ(index->record(0).handle(), first_block_);
}

// A policy whose filters exclude every key.
class LyingPolicy final : public FilterPolicy {
 public:
  absl::string_view Name() const override { return "test.Lying"; }
  void CreateFilter(absl::Span<const absl::string_view>, std::string* dst) const override {
    dst->append("filter");
  }
  bool KeyMayMatch(absl::string_view, absl::string_view) const override { return false; }
};

TEST_F(TableReaderRetryTest, AFilterIsNotTrustedUntilItCouldBeAskedForTheFirstKey) {
  const LyingPolicy lying;
  TableReaderOptions options;
  options.filter_policies = {&lying};
  const auto table = OpenWithBad(first_block_, Build(&lying), options);
  const size_t lost = entries_.size() - CountFound(*table);
  EXPECT_GT(lost, 0);
  EXPECT_LE(lost, 10) << "those of the first block";
  EXPECT_THAT(table->LoadFilter(),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("data block at offset 0 ")));
  Mend();
  EXPECT_OK(table->LoadIndex());
  EXPECT_THAT(table->LoadFilter(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                            HasSubstr("does not contain the table's key")));
  EXPECT_EQ(CountFound(*table), entries_.size());
}

TEST_F(TableReaderRetryTest, ThreadsMayMeetFaultsAndTheirEnd) {
  for (const BlockHandle& bad : {index_, filter_, first_block_}) {
    const auto table = OpenWithBad(bad);
    std::atomic<bool> is_mended{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (!is_mended) {
          CountFound(*table);
          static_cast<void>(table->LoadFilter());
          static_cast<void>(WalkForward(table->NewIterator().get()));
        }
        EXPECT_EQ(CountFound(*table), entries_.size());
      });
    }
    while (file_->bad_read_count() < 5) std::this_thread::yield();
    Mend();
    is_mended = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_OK(table->LoadIndex());
    EXPECT_OK(table->LoadFilter());
    EXPECT_EQ(WalkForward(table->NewIterator().get()).entries, entries_);
  }
}

}  // namespace
}  // namespace sstable::test
