// Tables from paths, from descriptors, and from the user's own files. model_test reads from each
// kind of source.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<std::unique_ptr<TableReader>> OpenWith(
    absl::StatusOr<std::unique_ptr<RandomAccessFile>> file) {
  if (!file.ok()) return file.status();
  return TableReader::Open(*std::move(file));
}

TEST(FileSourceTest, StaysReadableOnceTheNameIsGone) {
  for (FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    const TempFolder folder;
    ASSERT_OK_AND_ASSIGN(const std::string bytes, BuildTable({}, {{"a", "1"}}));
    folder.Write("t.ldb", bytes);
    ASSERT_OK_AND_ASSIGN(const auto table, OpenWith(OpenFile(folder.File("t.ldb"), access)));
    ASSERT_EQ(::unlink(folder.File("t.ldb").c_str()), 0);
    EXPECT_EQ(table->Get("a").value(), "1");
  }
}

TEST(FileSourceTest, ErrorsNameThePath) {
  const TempFolder folder;
  EXPECT_THAT(TableReader::Open(folder.File("none.ldb")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("none.ldb")));
  EXPECT_THAT(TableReader::Open(folder.File("")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("is a folder")));
  folder.Write("empty.ldb", "");
  EXPECT_THAT(
      TableReader::Open(folder.File("empty.ldb")),
      StatusIs(absl::StatusCode::kDataLoss, HasSubstr("empty.ldb: not a LevelDB table: 0 bytes")));
  ASSERT_OK_AND_ASSIGN(std::string bytes, BuildTable({}, {{"a", "1"}}));
  bytes[0] = 'X';
  folder.Write("bad.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(folder.File("bad.ldb")));
  EXPECT_THAT(
      table->Get("a"),
      StatusIs(absl::StatusCode::kDataLoss,
               HasSubstr(absl::StrCat(folder.File("bad.ldb"), ": data block at offset 0"))));
}

TEST(FileSourceTest, AFileThatBecameShorterIsDamage) {
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options, {{"a", std::string(9999, 'v')}}));
  const TempFolder folder;
  folder.Write("t.ldb", bytes);
  ASSERT_OK_AND_ASSIGN(const auto table,
                       OpenWith(OpenFile(folder.File("t.ldb"), FileAccess::kRead)));
  EXPECT_OK(table->LoadIndex());
  ASSERT_EQ(::truncate(folder.File("t.ldb").c_str(), 5000), 0);
  EXPECT_THAT(table->Get("a"),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ends at offset 5000")));
}

TEST(UserMadeSourceTest, IsReadBlockByBlock) {
  TableBuilderOptions options;
  options.block_size = 1;
  ASSERT_OK_AND_ASSIGN(const std::string bytes,
                       BuildTable(options, {{"a", "1"}, {"b", "2"}, {"c", "3"}}));
  auto owned = std::make_unique<FakeFile>(bytes);
  const FakeFile* const file = owned.get();
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(std::move(owned)));
  EXPECT_EQ(file->read_count(), 2) << "footer, metaindex";
  EXPECT_OK(table->LoadIndex());
  const uint64_t loaded = file->read_count();
  EXPECT_LE(loaded, 4) << "index, and a look at the first block";
  EXPECT_EQ(table->Get("b").value(), "2");
  EXPECT_EQ(file->read_count(), loaded + 1);
  EXPECT_EQ(table->Get("bb").value(), std::nullopt);
  EXPECT_EQ(file->read_count(), loaded + 2);
}

TEST(DescriptorSinkTest, TakesATableToo) {
  const TempFolder folder;
  const int descriptor = ::open(folder.File("t.ldb").c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644);
  ASSERT_GE(descriptor, 0);
  ASSERT_OK_AND_ASSIGN(const auto builder,
                       TableBuilder::Create(NewDescriptorFile(descriptor, "a descriptor")));
  EXPECT_OK(builder->Add("a", "1"));
  EXPECT_OK(builder->Finish());
  EXPECT_EQ(::close(descriptor), 0) << "it stayed ours";
  ASSERT_OK_AND_ASSIGN(const auto table, TableReader::Open(folder.File("t.ldb")));
  EXPECT_EQ(table->Get("a").value(), "1");
}

}  // namespace
}  // namespace sstable::test
