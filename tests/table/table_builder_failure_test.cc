// What a TableBuilder leaves behind when something goes wrong: its first error, and no file.
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "filter/bloom_filter_policy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "table/options.h"
#include "table/table_builder.h"
#include "table/table_reader.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "util/file.h"

namespace sstable {
namespace {

using ::sstable::test::FaultyWritableFile;
using ::sstable::test::IsOk;
using ::sstable::test::StatusIs;
using ::sstable::test::TempFolder;
using ::sstable::test::WritableFileLog;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class TableBuilderFailureTest : public testing::Test {
 protected:
  std::unique_ptr<TableBuilder> Create(const TableBuilderOptions& options = {}) {
    return TableBuilder::Create(options, folder_.File("t.ldb")).value();
  }

  TempFolder folder_;
};

TEST_F(TableBuilderFailureTest, AFinishedTableIsTheOnlyFileLeft) {
  const auto builder = Create();
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_THAT(folder_.Names(), Not(ElementsAre("t.ldb"))) << "it must not show half-written";
  EXPECT_OK(builder->Finish());
  EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
  EXPECT_EQ(folder_.Read("t.ldb").size(), builder->FileSize());
  EXPECT_OK(TableReader::Open({}, folder_.File("t.ldb")));
}

TEST_F(TableBuilderFailureTest, TheFirstErrorStays) {
  const auto builder = Create();
  EXPECT_OK(builder->status());
  EXPECT_OK(builder->Add("b", "1"));
  const absl::Status first = builder->Add("a", "2");
  EXPECT_THAT(first, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not above")));
  EXPECT_EQ(builder->Add("c", "3"), first);
  EXPECT_EQ(builder->Flush(), first);
  EXPECT_EQ(builder->AddMetaBlock("m", ""), first);
  EXPECT_EQ(builder->Finish(), first);
  EXPECT_EQ(builder->status(), first);
  EXPECT_EQ(builder->NumEntries(), 1);
  builder->Abandon();
  EXPECT_EQ(builder->Finish(), first);
}

TEST_F(TableBuilderFailureTest, LeavesNoFileAfterAnErrorNobodyLookedAt) {
  const auto builder = Create();
  (void)builder->Add("b", "1");
  (void)builder->Add("a", "2");
  (void)builder->Add("c", "3");
  EXPECT_THAT(builder->Finish(), Not(IsOk()));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(TableBuilderFailureTest, NothingGoesAfterFinish) {
  const auto builder = Create();
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_OK(builder->Finish());
  const auto is_over = StatusIs(absl::StatusCode::kFailedPrecondition,
                                "table builder: Finish() or Abandon() has been called");
  EXPECT_THAT(builder->Add("b", "2"), is_over);
  EXPECT_THAT(builder->Flush(), is_over);
  EXPECT_THAT(builder->AddMetaBlock("m", ""), is_over);
  EXPECT_THAT(builder->Finish(), is_over);
  EXPECT_OK(builder->status());
  builder->Abandon();
  EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb")) << "what is finished stays";
}

TEST_F(TableBuilderFailureTest, NothingGoesAfterAbandon) {
  const auto builder = Create();
  EXPECT_OK(builder->Add("a", "1"));
  builder->Abandon();
  EXPECT_THAT(folder_.Names(), IsEmpty());
  EXPECT_THAT(builder->Add("b", "2"), StatusIs(absl::StatusCode::kFailedPrecondition, testing::_));
  EXPECT_THAT(builder->Finish(), StatusIs(absl::StatusCode::kFailedPrecondition, testing::_));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(TableBuilderFailureTest, DestructionAbandons) {
  EXPECT_OK(Create()->Add("a", "1"));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(TableBuilderFailureTest, AnOlderFileStaysUntilItIsReplacedAsAWhole) {
  folder_.Write("t.ldb", "older");
  {
    const auto builder = Create();
    EXPECT_OK(builder->Add("a", "1"));
    EXPECT_EQ(folder_.Read("t.ldb"), "older");
    builder->Abandon();
  }
  EXPECT_EQ(folder_.Read("t.ldb"), "older");
  const auto builder = Create();
  EXPECT_OK(builder->Finish());
  EXPECT_EQ(folder_.Read("t.ldb").size(), 74);
  EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
}

TEST_F(TableBuilderFailureTest, BadOptionsMakeNoFile) {
  TableBuilderOptions options;
  options.block_size = 0;
  EXPECT_THAT(
      TableBuilder::Create(options, folder_.File("t.ldb")),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr(absl::StrCat(folder_.File("t.ldb"), ": table option block_size"))));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(TableBuilderFailureTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_THAT(TableBuilder::Create({}, folder_.File("none/t.ldb")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none/t.ldb: can't create")));
}

// What became of a table of a megabyte in a file that fails.
struct Outcome {
  WritableFileLog log;
  absl::Status first, finish, last;
};

// With this many compression threads.
class FaultTest : public TableBuilderFailureTest, public testing::WithParamInterface<int> {
 protected:
  Outcome Run(int calls_before_fault) {
    Outcome outcome;
    const auto policy = NewBloomFilterPolicy(10);
    TableBuilderOptions options;
    options.filter_policy = policy.get();
    options.compression = GetParam() > 1 ? Compression::kSnappy : Compression::kNone;
    options.compression_threads = GetParam();
    const auto builder =
        TableBuilder::Create(options, std::make_unique<FaultyWritableFile>(
                                          CreateFileAtomically(folder_.File("t.ldb")).value(),
                                          calls_before_fault, &outcome.log))
            .value();
    // To the end, whatever happens: a caller may look at the last status only.
    std::mt19937 random;  // snappy does not make less of such values
    for (int i = 10000; i < 11000; ++i) {
      std::string value(1000, 'v');
      for (char& c : value) c = static_cast<char>(random());
      absl::Status status = builder->Add(absl::StrCat(i), value);
      if (outcome.first.ok()) outcome.first = status;
    }
    outcome.finish = builder->Finish();
    if (outcome.first.ok()) outcome.first = outcome.finish;
    outcome.last = builder->Add("z", "");
    return outcome;
  }
};

TEST_P(FaultTest, EveryFailedCallIsReportedAndStaysAndLeavesNoFile) {
  const Outcome good = Run(-1);
  EXPECT_OK(good.finish);
  EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
  const std::string bytes = folder_.Read("t.ldb");
  ASSERT_GE(good.log.calls, 6) << "several writes, a sync and a close";

  std::string failed;
  for (int n = 0; n < good.log.calls; ++n) {
    SCOPED_TRACE(absl::StrCat("call ", n));
    folder_.Write("t.ldb", "older");
    const Outcome outcome = Run(n);
    EXPECT_THAT(outcome.first,
                StatusIs(absl::StatusCode::kResourceExhausted,
                         absl::StrCat(folder_.File("t.ldb"), ": ", outcome.log.failed, " failed")));
    EXPECT_EQ(outcome.finish, outcome.first);
    EXPECT_EQ(outcome.last, outcome.first);
    EXPECT_EQ(outcome.log.calls_after_fault, 0);
    EXPECT_THAT(folder_.Names(), ElementsAre("t.ldb"));
    EXPECT_EQ(folder_.Read("t.ldb"), "older");
    absl::StrAppend(&failed, outcome.log.failed, " ");
  }
  EXPECT_THAT(failed, testing::EndsWith("Append Append Sync Close "));

  EXPECT_OK(Run(good.log.calls).finish);
  EXPECT_EQ(folder_.Read("t.ldb"), bytes);
}

INSTANTIATE_TEST_SUITE_P(Threads, FaultTest, testing::Values(1, 2, 5),
                         testing::PrintToStringParamName());

TEST_F(TableBuilderFailureTest, SyncsOnceAndOnlyIfToldTo) {
  for (bool sync : {true, false}) {
    WritableFileLog log;
    std::string bytes;
    TableBuilderOptions options;
    options.sync = sync;
    // The second call is Sync(), or else Close().
    const auto builder = TableBuilder::Create(options, std::make_unique<FaultyWritableFile>(
                                                           NewStringFile(&bytes), 1, &log))
                             .value();
    EXPECT_OK(builder->Add("a", "1"));
    EXPECT_THAT(builder->Finish(), Not(IsOk()));
    EXPECT_EQ(log.failed, sync ? "Sync" : "Close");
  }
}

}  // namespace
}  // namespace sstable
