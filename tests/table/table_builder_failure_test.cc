// Misuse of a TableBuilder: its first error is permanent, and no file is created.
// failing_writes_test tests files that fail.
#include <memory>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TableBuilderFailureTest : public testing::Test {
 protected:
  std::unique_ptr<TableBuilder> Create(const TableBuilderOptions& options = {}) {
    return TableBuilder::Create(folder_.File("t.ldb"), options).value();
  }

  TempFolder folder_;
};

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

TEST_F(TableBuilderFailureTest, BadOptionsMakeNoFile) {
  TableBuilderOptions options;
  options.block_size = 0;
  EXPECT_THAT(
      TableBuilder::Create(folder_.File("t.ldb"), options),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr(absl::StrCat(folder_.File("t.ldb"), ": table option block_size"))));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

}  // namespace
}  // namespace sstable::test
