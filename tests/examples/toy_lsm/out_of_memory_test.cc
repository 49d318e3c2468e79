// Fails each memory request in turn, once or from there on, while a database is being written.
// Afterwards it must be possible to reopen the database, and every write that returned OK must be
// there.
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "sstable/iterator.h"
#include "tests/support/allocations.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

constexpr int kWriteCount = 40;

std::string Key(int i) { return absl::StrCat("key", i); }
std::string Value(int i) { return std::string(400 + i, static_cast<char>('a' + i % 26)); }

Options SmallOptions() {
  Options options;
  options.write_buffer_size = 6000;  // small, so that it is flushed and compacted meanwhile
  options.max_table_size = 4000;
  options.level1_size = 4000;
  return options;
}

enum class Answer { kOk, kError, kThrew };

Answer Try(Db* db, WriteBatch batch) {
  try {
    return db->Write(std::move(batch)).ok() ? Answer::kOk : Answer::kError;
  } catch (const std::bad_alloc&) {
    return Answer::kThrew;
  }
}

void ExpectWrites(const Db& db, const std::vector<Answer>& answers) {
  for (int i = 0; i < kWriteCount; ++i) {
    std::string value;
    const absl::StatusOr<bool> found = db.Get(Key(i), &value);
    ASSERT_OK(found.status());
    // A write that did not return OK may be present or absent.
    ASSERT_TRUE(*found || answers[i] != Answer::kOk) << Key(i);
    if (*found) {
      ASSERT_EQ(value, Value(i));
    }
  }
}

// Returns true if the request was reached.
bool WriteWithFailure(uint64_t n, bool stays) {
  const sstable::test::TempFolder folder;
  std::vector<WriteBatch> batches(kWriteCount);
  for (int i = 0; i < kWriteCount; ++i) batches[i].Put(Key(i), Value(i)).Put(Key(i), Value(i));
  std::vector<Answer> answers(kWriteCount, Answer::kError);
  std::unique_ptr<Db> db = Db::Open(SmallOptions(), folder.File("db")).value();
  sstable::test::FailingAllocation failure(n, stays);
  bool has_thrown = false, goes_on = false;
  for (int i = 0; i < kWriteCount; ++i) {
    answers[i] = Try(db.get(), std::move(batches[i]));
    goes_on = goes_on || (has_thrown && answers[i] == Answer::kOk);
    has_thrown = has_thrown || answers[i] == Answer::kThrew;
  }
  failure.End();
  EXPECT_FALSE(goes_on) << "a sequence is used twice";
  EXPECT_FALSE(has_thrown && db->Put("last", "").ok());
  db.reset();
  auto again = Db::Open(SmallOptions(), folder.File("db"));
  EXPECT_OK(again.status());
  if (again.ok()) {
    ExpectWrites(**again, answers);
  }
  return failure.happened();
}

TEST(OutOfMemoryTest, AFailedWriteEndsWritingAndLosesNothing) {
  for (const bool stays : {false, true}) {
    for (uint64_t n = 0;; ++n) {
      SCOPED_TRACE(absl::StrCat("request ", n, stays ? " and all that follow" : ""));
      const bool happened = WriteWithFailure(n, stays);
      if (testing::Test::HasFailure()) return;
      if (!happened) break;
    }
  }
}

TEST(OutOfMemoryTest, AFailedSnapshotLeavesTheDatabaseAsItWas) {
  const sstable::test::TempFolder folder;
  const auto db = Db::Open(SmallOptions(), folder.File("db")).value();
  EXPECT_OK(db->Put("a", "1"));
  for (uint64_t n = 0;; ++n) {
    sstable::test::FailingAllocation failure(n);
    Snapshot snapshot;
    bool threw = false;
    try {
      snapshot = db->TakeSnapshot();
    } catch (const std::bad_alloc&) {
      threw = true;
    }
    failure.End();
    EXPECT_EQ(threw, failure.happened());
    EXPECT_OK(db->Put("a", absl::StrCat(n)));
    if (!threw) break;
  }
}

TEST(OutOfMemoryTest, AnIteratorThatThrewIsOnNoEntryAndSaysSo) {
  const sstable::test::TempFolder folder;
  {
    const auto db = Db::Open(SmallOptions(), folder.File("db")).value();
    for (int i = 0; i < kWriteCount; ++i) EXPECT_OK(db->Put(Key(i), Value(i)));
    EXPECT_OK(db->WaitUntilIdle());
  }
  for (const bool forward : {true, false}) {
    for (uint64_t n = 0;; ++n) {
      SCOPED_TRACE(absl::StrCat("request ", n, forward ? " forward" : " backward"));
      const auto db = Db::Open(SmallOptions(), folder.File("db")).value();
      EXPECT_OK(db->WaitUntilIdle());
      const std::unique_ptr<sstable::Iterator> it = db->NewIterator();
      int count = 0;
      bool threw = false;
      sstable::test::FailingAllocation failure(n);
      try {
        forward ? it->SeekToFirst() : it->SeekToLast();
        for (; it->Valid(); forward ? it->Next() : it->Prev()) ++count;
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      failure.End();
      ASSERT_FALSE(it->Valid());
      ASSERT_EQ(it->status().ok(), !threw);
      ASSERT_EQ(count == kWriteCount, !threw);
      it->Seek(Key(5));
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->value(), Value(5));
      if (!failure.happened()) break;
    }
  }
}

}  // namespace
}  // namespace toy_lsm
