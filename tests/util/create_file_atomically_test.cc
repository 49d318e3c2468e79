// Tests CreateFileAtomically() of sstable/file.h: a file appears completely or not at all.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class CreateFileAtomicallyTest : public testing::Test {
 protected:
  std::string PathTo(absl::string_view name) const { return folder_.File(name); }

  TempFolder folder_;
};

TEST_F(CreateFileAtomicallyTest, ShowsNothingBeforeCloseAndAllAfterIt) {
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_EQ(file->name(), PathTo("a"));
  EXPECT_OK(file->Append("hello, "));
  EXPECT_OK(file->Append("world"));
  EXPECT_FALSE(std::filesystem::exists(PathTo("a")));
  EXPECT_OK(file->Close());
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "hello, world");
}

TEST_F(CreateFileAtomicallyTest, SyncsFileAndFolder) {
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(file->Append("hello"));
  EXPECT_OK(file->Sync());
  EXPECT_FALSE(std::filesystem::exists(PathTo("a")));
  EXPECT_OK(file->Close());
  EXPECT_EQ(folder_.Read("a"), "hello");
}

TEST_F(CreateFileAtomicallyTest, TakesAPathRelativeToTheWorkingFolder) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.File(""));
  auto file = CreateFileAtomically("a");
  EXPECT_OK(file);
  if (file.ok()) {
    EXPECT_OK((*file)->Sync());  // syncs the current folder, since the path names none
    EXPECT_OK((*file)->Close());
  }
  std::filesystem::current_path(before);
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
}

TEST_F(CreateFileAtomicallyTest, ReplacesAnOldFileOnlyAtClose) {
  folder_.Write("a", "old and longer");
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(file->Append("new"));
  EXPECT_EQ(folder_.Read("a"), "old and longer");
  EXPECT_OK(file->Close());
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "new");
}

TEST_F(CreateFileAtomicallyTest, LeavesTheOldFileWithoutClose) {
  folder_.Write("a", "old");
  {
    ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
    EXPECT_OK(file->Append("new"));
  }
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "old");
}

TEST_F(CreateFileAtomicallyTest, KeepsWritersOfOnePathApart) {
  ASSERT_OK_AND_ASSIGN(const auto first, CreateFileAtomically(PathTo("a")));
  ASSERT_OK_AND_ASSIGN(const auto second, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(first->Append("first"));
  EXPECT_OK(second->Append("second"));
  EXPECT_OK(second->Close());
  EXPECT_EQ(folder_.Read("a"), "second");
  EXPECT_OK(first->Close());
  EXPECT_EQ(folder_.Read("a"), "first");
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
}

TEST_F(CreateFileAtomicallyTest, FollowsASymbolicLinkIntoAnotherFolder) {
  ASSERT_TRUE(std::filesystem::create_directory(PathTo("sub")));
  folder_.Write("sub/target", "old");
  ASSERT_EQ(::symlink("sub/target", PathTo("link").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("link")));
  EXPECT_OK(file->Append("new"));
  EXPECT_EQ(folder_.Names().size(), 2);  // the target and the temporary file
  EXPECT_EQ(folder_.Names("sub").size(), 2);
  EXPECT_EQ(folder_.Read("link"), "old");
  EXPECT_OK(file->Close());
  EXPECT_TRUE(std::filesystem::is_symlink(PathTo("link")));
  EXPECT_EQ(folder_.Read("sub/target"), "new");
  EXPECT_THAT(folder_.Names("sub"), ElementsAre("target"));
}

TEST_F(CreateFileAtomicallyTest, RefusesADevice) {
  EXPECT_THAT(CreateFileAtomically("/dev/null"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/dev/null")));
  ASSERT_EQ(::symlink("/dev/null", PathTo("link").c_str()), 0);
  EXPECT_THAT(CreateFileAtomically(PathTo("link")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(PathTo("link"))));
  EXPECT_THAT(folder_.Names(), ElementsAre("link"));
}

TEST_F(CreateFileAtomicallyTest, RefusesAPipeWithoutWaitingForAReader) {
  ASSERT_EQ(::mkfifo(PathTo("pipe").c_str(), 0666), 0);
  EXPECT_THAT(CreateFileAtomically(PathTo("pipe")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(PathTo("pipe"))));
  EXPECT_THAT(folder_.Names(), ElementsAre("pipe"));
}

TEST_F(CreateFileAtomicallyTest, RefusesAFolder) {
  EXPECT_THAT(CreateFileAtomically(folder_.File("")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("folder")));
  EXPECT_THAT(CreateFileAtomically(PathTo("")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("folder")));
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(CreateFileAtomicallyTest, NamesAPathWhoseFolderIsMissing) {
  for (const char* name : {"missing/a", "missing/"}) {
    EXPECT_THAT(CreateFileAtomically(PathTo(name)),
                StatusIs(absl::StatusCode::kNotFound, StartsWith(PathTo(name))));
  }
  EXPECT_THAT(folder_.Names(), IsEmpty());
}

TEST_F(CreateFileAtomicallyTest, RefusesAnEmptyPathAtOnce) {
  EXPECT_THAT(CreateFileAtomically(""), StatusIs(absl::StatusCode::kNotFound, testing::_));
}

TEST_F(CreateFileAtomicallyTest, LeavesNothingBehindAFailedRename) {
  ASSERT_OK_AND_ASSIGN(auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(file->Append("hello"));
  ASSERT_TRUE(std::filesystem::create_directory(PathTo("a")));  // prevents the rename
  EXPECT_THAT(file->Close(),
              StatusIs(absl::StatusCode::kFailedPrecondition, StartsWith(PathTo("a"))));
  file.reset();
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  EXPECT_THAT(folder_.Names("a"), IsEmpty());
}

TEST_F(CreateFileAtomicallyTest, RefusesToBeUsedAfterClose) {
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(file->Append("hello"));
  EXPECT_OK(file->Close());
  EXPECT_FALSE(file->Append("more").ok());
  EXPECT_FALSE(file->Sync().ok());
  EXPECT_FALSE(file->Close().ok());
  EXPECT_EQ(folder_.Read("a"), "hello");
}

// During its lifetime, no file can grow past `size`, as on a full device.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t size) : old_handler_(::signal(SIGXFSZ, SIG_IGN)) {
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit_), 0);
    const rlimit limit = {size, old_limit_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    ::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_limit_;
  sighandler_t old_handler_;
};

TEST_F(CreateFileAtomicallyTest, CannotBeClosedAfterAFailedWrite) {
  folder_.Write("a", "old");
  ASSERT_OK_AND_ASSIGN(auto file, CreateFileAtomically(PathTo("a")));
  absl::Status append, close;
  {
    const FileSizeLimit limit(1000);
    append = file->Append(std::string(2000, 'x'));
  }
  EXPECT_THAT(append, StatusIs(absl::StatusCode::kResourceExhausted, StartsWith(PathTo("a"))));
  EXPECT_EQ(file->Append("behind a gap"), append);
  EXPECT_EQ(file->Close(), append);
  file.reset();
  EXPECT_THAT(folder_.Names(), ElementsAre("a"));
  EXPECT_EQ(folder_.Read("a"), "old");
}

TEST_F(CreateFileAtomicallyTest, CreatesTheFileThatALinkToNothingLeadsTo) {
  ASSERT_EQ(::symlink("target", PathTo("link").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("link")));
  EXPECT_OK(file->Append("new"));
  EXPECT_OK(file->Close());
  EXPECT_TRUE(std::filesystem::is_symlink(PathTo("link")));
  EXPECT_EQ(folder_.Read("target"), "new");
}

TEST_F(CreateFileAtomicallyTest, RefusesALoopOfLinks) {
  ASSERT_EQ(::symlink("link", PathTo("link").c_str()), 0);
  EXPECT_THAT(CreateFileAtomically(PathTo("link")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("loop of symbolic links")));
}

TEST_F(CreateFileAtomicallyTest, KeepsTheModeOfTheFileItReplaces) {
  folder_.Write("a", "old");
  ASSERT_EQ(::chmod(PathTo("a").c_str(), 0600), 0);
  ASSERT_OK_AND_ASSIGN(const auto file, CreateFileAtomically(PathTo("a")));
  EXPECT_OK(file->Close());
  struct stat info;
  ASSERT_EQ(::stat(PathTo("a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600);
}

TEST_F(CreateFileAtomicallyTest, TakesANameAsLongAsTheFileSystemDoes) {
  EXPECT_OK(CreateFileAtomically(PathTo(std::string(255, 'n'))));
}

TEST_F(CreateFileAtomicallyTest, RefusesAPathWithANul) {
  folder_.Write("a", "old");
  EXPECT_THAT(CreateFileAtomically(PathTo(std::string("a\0z", 3))),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("a\\x00z\" has a NUL byte")));
  EXPECT_EQ(folder_.Read("a"), "old");
}

}  // namespace
}  // namespace sstable::test
