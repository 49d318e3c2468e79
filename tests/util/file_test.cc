// Tests reading files; create_file_atomically_test tests CreateFileAtomically().
#include "sstable/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "absl/base/config.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string ReadAll(const RandomAccessFile& file) {
  std::string bytes(file.size(), '\0');
  EXPECT_OK(file.Read(0, bytes.size(), bytes.data()));
  return bytes;
}

class OpenFileTest : public testing::TestWithParam<FileAccess> {
 protected:
  FileAccess access() const { return GetParam(); }
  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Access, OpenFileTest, testing::Values(FileAccess::kMap, FileAccess::kRead),
                         [](const auto& info) {
                           return info.param == FileAccess::kMap ? "Map" : "Read";
                         });

TEST_P(OpenFileTest, ReadsAnyPartOfAFile) {
  Rng rng(1);
  const std::string contents = RandomBytes(rng, 20000);
  const std::string path = folder_.Write("a", contents);
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(path, access()));
  EXPECT_EQ(file->name(), path);
  EXPECT_EQ(file->size(), 20000);
  EXPECT_EQ(ReadAll(*file), contents);
  for (int i = 0; i < 1000; ++i) {
    if (i == 500) {
      EXPECT_EQ(file->Contents().has_value(), access() == FileAccess::kMap);
    }
    const size_t offset = RandomUpTo(rng, contents.size());
    const size_t size = RandomUpTo(rng, contents.size() - offset);
    const std::unique_ptr<char[]> bytes(new char[size]);  // exact size, for AddressSanitizer
    ASSERT_OK(file->Read(offset, size, bytes.get()));
    ASSERT_EQ(absl::string_view(bytes.get(), size), contents.substr(offset, size)) << offset;
  }
}

// Returns the kernel's flags of the mapping at this address: "rr" is MADV_RANDOM, "sr" is
// MADV_SEQUENTIAL.
std::string FlagsOfMapping(const char* address) {
  std::ifstream maps("/proc/self/smaps");
  const std::string start = absl::StrFormat("%x-", reinterpret_cast<uintptr_t>(address));
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find('-') < line.find(' ')) is_it = absl::StartsWith(line, start);
    if (is_it && absl::StartsWith(line, "VmFlags:")) return line + " ";
  }
  return "no such mapping";
}

TEST(MappedFileTest, IsReadAheadForScansOnly) {
#ifdef ABSL_HAVE_THREAD_SANITIZER
  GTEST_SKIP() << "has no mapping for scans under ThreadSanitizer (util/mapped_file.cc)";
#endif
  const TempFolder folder;
  Rng rng(2);
  const std::string contents = RandomBytes(rng, 300000);
  ASSERT_OK_AND_ASSIGN(auto file, OpenFile(folder.Write("a", contents), FileAccess::kMap));
  const absl::string_view lookups = *file->Contents(), scans = *file->ContentsForScan();
  EXPECT_EQ(lookups, contents);
  EXPECT_EQ(scans, contents);
  EXPECT_EQ(file->ContentsForScan()->data(), scans.data()) << "made again";
  EXPECT_THAT(FlagsOfMapping(lookups.data()), HasSubstr(" rr "));
  EXPECT_THAT(FlagsOfMapping(scans.data()), AllOf(HasSubstr(" rd "), Not(HasSubstr(" rr "))));

  const char* const addresses[] = {lookups.data(), scans.data()};
  file = nullptr;
  for (const char* address : addresses) EXPECT_EQ(FlagsOfMapping(address), "no such mapping");
}

TEST_P(OpenFileTest, TakesHintsForAnyPartOfAFile) {
  const std::string contents(50000, 'x');
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(folder_.Write("a", contents), access()));
  for (const uint64_t offset : {0, 1, 4095, 4096, 30000, 49999, 50000}) {
    for (const uint64_t size : {0, 1, 4096, 50000}) {
      file->WillNeed(offset, std::min(size, 50000 - offset));
    }
  }
  EXPECT_EQ(ReadAll(*file), contents);
}

TEST_P(OpenFileTest, OpensAnEmptyFile) {
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(folder_.Write("a", ""), access()));
  EXPECT_EQ(file->size(), 0);
  char untouched = 'x';
  EXPECT_OK(file->Read(0, 0, &untouched));
  EXPECT_EQ(untouched, 'x');
  EXPECT_EQ(file->Contents().value_or(""), "");
}

TEST_P(OpenFileTest, FollowsASymbolicLink) {
  folder_.Write("a", "hello");
  ASSERT_EQ(::symlink("a", folder_.File("link").c_str()), 0);
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(folder_.File("link"), access()));
  EXPECT_EQ(ReadAll(*file), "hello");
}

TEST_P(OpenFileTest, ReadsOnAfterTheFileIsUnlinked) {
  const std::string path = folder_.Write("a", "hello");
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(path, access()));
  ASSERT_EQ(::unlink(path.c_str()), 0);
  EXPECT_EQ(ReadAll(*file), "hello");
}

TEST_P(OpenFileTest, NamesThePathThatIsMissing) {
  const std::string path = folder_.File("missing");
  EXPECT_THAT(OpenFile(path, access()), StatusIs(absl::StatusCode::kNotFound, HasSubstr(path)));
  EXPECT_THAT(OpenFile("", access()), StatusIs(absl::StatusCode::kNotFound, testing::_));
}

TEST_P(OpenFileTest, RefusesAFolder) {
  ASSERT_EQ(::mkdir(folder_.File("sub").c_str(), 0777), 0);
  EXPECT_THAT(OpenFile(folder_.File("sub"), access()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(folder_.File("sub")), HasSubstr("folder"))));
}

TEST_P(OpenFileTest, RefusesAPipeWithoutWaitingForAWriter) {
  const std::string path = folder_.File("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0666), 0);
  EXPECT_THAT(OpenFile(path, access()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(path)));
}

TEST_P(OpenFileTest, RefusesADevice) {
  EXPECT_THAT(OpenFile("/dev/null", access()),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("/dev/null")));
}

TEST_P(OpenFileTest, LeavesNoDescriptorOpenWhenItRefuses) {
  const int before = ::dup(0);
  ::close(before);
  EXPECT_FALSE(OpenFile("/dev/null", access()).ok());
  { EXPECT_OK(OpenFile(folder_.Write("a", "hello"), access())); }
  const int after = ::dup(0);
  ::close(after);
  EXPECT_EQ(after, before);
}

TEST_P(OpenFileTest, DuplicatesADescriptorWhichStaysTheCallers) {
  const std::string path = folder_.Write("a", "hello");
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  ASSERT_GE(descriptor, 0);
  {
    ASSERT_OK_AND_ASSIGN(const auto file, OpenFileDescriptor(descriptor, "some name", access()));
    EXPECT_EQ(file->name(), "some name");
    EXPECT_EQ(ReadAll(*file), "hello");
    EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 0);  // the shared file position has not moved
  }
  char byte = 0;
  EXPECT_EQ(::read(descriptor, &byte, 1), 1);
  EXPECT_EQ(byte, 'h');
  // The file can also be read after the caller has closed its descriptor.
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFileDescriptor(descriptor, "some name", access()));
  ::close(descriptor);
  EXPECT_EQ(ReadAll(*file), "hello");
}

TEST_P(OpenFileTest, RefusesADescriptorThatIsNotOpenOrNotOfARegularFile) {
  EXPECT_THAT(OpenFileDescriptor(-1, "bad one", access()),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("bad one: ")));
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_THAT(OpenFileDescriptor(ends[0], "a pipe", access()),
              StatusIs(absl::StatusCode::kInvalidArgument, StartsWith("a pipe: ")));
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_P(OpenFileTest, TellsWhereAFileThatHasBecomeShorterEnds) {
  const std::string path = folder_.Write("a", std::string(1000, 'x'));
  ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(path, access()));
  ASSERT_EQ(::truncate(path.c_str(), 600), 0);
  std::string bytes(1000, '\0');
  EXPECT_OK(file->Read(500, 100, bytes.data()));
  EXPECT_THAT(file->Read(500, 101, bytes.data()),
              StatusIs(absl::StatusCode::kDataLoss,
                       AllOf(StartsWith("ends at offset 600"), HasSubstr("1000"))));
  EXPECT_THAT(file->Read(900, 10, bytes.data()), StatusIs(absl::StatusCode::kDataLoss, testing::_));
}

TEST(OpenFileTest, ReportsADescriptorThatCannotBeReadFrom) {
  const TempFolder folder;
  const int descriptor = ::open(folder.Write("a", "hello").c_str(), O_WRONLY);
  ASSERT_GE(descriptor, 0);
  for (const FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    ASSERT_OK_AND_ASSIGN(const auto file, OpenFileDescriptor(descriptor, "for writing", access));
    for (int round = 0; round < 2; ++round) {
      char byte;
      EXPECT_THAT(file->Read(3, 1, &byte), StatusIs(absl::StatusCode::kInvalidArgument,
                                                    StartsWith("can't read at offset 3: ")));
      EXPECT_EQ(file->Contents(), std::nullopt);
    }
  }
  ::close(descriptor);
}

TEST(OpenFileTest, ReadsPastFourGigabytes) {
  const TempFolder folder;
  const std::string path = folder.Write("sparse", "");
  constexpr uint64_t kOffset = (uint64_t{1} << 32) + 10;
  ASSERT_EQ(::truncate(path.c_str(), kOffset), 0);
  std::ofstream(path, std::ios::binary | std::ios::app) << "end";
  for (FileAccess access : {FileAccess::kMap, FileAccess::kRead}) {
    ASSERT_OK_AND_ASSIGN(const auto file, OpenFile(path, access));
    EXPECT_EQ(file->size(), kOffset + 3);
    std::string bytes(4, 'x');
    EXPECT_OK(file->Read(kOffset - 1, 4, bytes.data()));
    EXPECT_EQ(bytes, std::string("\0end", 4));
  }
}

TEST(MemoryFileTest, ReadsFromTheCallersBytes) {
  const std::string contents = "hello";
  const auto file = NewMemoryFile(contents);
  EXPECT_EQ(file->name(), "memory");
  EXPECT_EQ(file->size(), 5);
  EXPECT_EQ(ReadAll(*file), "hello");
  char byte;
  EXPECT_OK(file->Read(4, 1, &byte));
  EXPECT_EQ(byte, 'o');
  ASSERT_TRUE(file->Contents().has_value());
  EXPECT_EQ(file->Contents()->data(), contents.data());
  EXPECT_EQ(NewMemoryFile(contents, "other")->name(), "other");
}

TEST(MemoryFileTest, MayBeEmpty) {
  const auto file = NewMemoryFile(absl::string_view());
  EXPECT_EQ(file->size(), 0);
  EXPECT_OK(file->Read(0, 0, nullptr));
}

TEST(StringFileTest, AppendsToTheCallersString) {
  std::string contents = "a";
  const auto file = NewStringFile(&contents);
  EXPECT_EQ(file->name(), "memory");
  EXPECT_OK(file->Append("bc"));
  EXPECT_EQ(contents, "abc");
  EXPECT_OK(file->Append(absl::string_view("\0d", 2)));
  EXPECT_OK(file->Append(""));
  EXPECT_OK(file->Sync());
  EXPECT_OK(file->Close());
  EXPECT_EQ(contents, std::string("abc\0d", 5));
}

TEST(DescriptorFileTest, WritesToAPipeThatStaysOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  {
    const auto file = NewDescriptorFile(ends[1], "a pipe");
    EXPECT_EQ(file->name(), "a pipe");
    EXPECT_OK(file->Append("hello"));
    EXPECT_OK(file->Sync());  // succeeds, since a pipe need not be synced
    EXPECT_OK(file->Close());
  }
  EXPECT_EQ(::write(ends[1], "!", 1), 1);
  char bytes[10];
  ASSERT_EQ(::read(ends[0], bytes, sizeof(bytes)), 6);
  EXPECT_EQ(absl::string_view(bytes, 6), "hello!");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(DescriptorFileTest, ReportsAFullDevice) {
  const int descriptor = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(descriptor, 0);
  const auto file = NewDescriptorFile(descriptor, "/dev/full");
  EXPECT_OK(file->Append(""));
  EXPECT_THAT(file->Append("x"),
              StatusIs(absl::StatusCode::kResourceExhausted, StartsWith("/dev/full: ")));
  ::close(descriptor);
}

TEST(DescriptorFileTest, ReportsADescriptorThatIsNotOpen) {
  const auto file = NewDescriptorFile(-1, "none");
  EXPECT_THAT(file->Append("x"), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
  EXPECT_THAT(file->Sync(), StatusIs(absl::StatusCode::kInvalidArgument, testing::_));
}

TEST(OpenFileTest, RefusesAPathWithANul) {
  EXPECT_THAT(OpenFile(absl::string_view("/dev/null\0.ldb", 14)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("has a NUL byte")));
}

}  // namespace
}  // namespace sstable::test
