// Tests which system calls a mapped file makes. The test replaces them.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "tests/support/status_matchers.h"

namespace {

struct Advice {
  size_t page;  // the range's first page, counted from the start of the file
  size_t size;
  int advice;
};

// Controls and records the system calls below.
struct System {
  const char* file = nullptr;        // the address of the mapping
  std::set<size_t> pages_in_memory;  // page numbers in the file
  bool can_map = true;
  bool can_duplicate = true;
  std::atomic<bool> is_slow{false};
  std::atomic<size_t> reads{0};
  size_t mappings = 0;
  size_t questions = 0;
  std::vector<Advice> advice;
};
System* the_system = nullptr;

constexpr size_t kMostUnmapped = 5;  // number of files that may be unmapped

size_t PageSize() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

size_t PageOf(const void* address) {
  return static_cast<size_t>(static_cast<const char*>(address) - the_system->file) / PageSize();
}

}  // namespace

// The linker redirects the calls of everything linked into this test to these (--wrap). Other code,
// such as a sanitizer, may call them before `the_system` is set.
extern "C" {

int __real_madvise(void* address, size_t size, int advice);
int __wrap_madvise(void* address, size_t size, int advice) {
  if (the_system != nullptr) the_system->advice.push_back({PageOf(address), size, advice});
  return __real_madvise(address, size, advice);
}

void* __real_mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (the_system != nullptr && descriptor >= 0) {
    ++the_system->mappings;
    if (!the_system->can_map) {
      errno = ENODEV;
      return MAP_FAILED;
    }
  }
  return __real_mmap(at, size, protection, flags, descriptor, offset);
}

void* __real_mremap(void* address, size_t old_size, size_t size, int flags);
void* __wrap_mremap(void* address, size_t old_size, size_t size, int flags) {
  if (the_system != nullptr && !the_system->can_duplicate) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return __real_mremap(address, old_size, size, flags);
}

int __real_mincore(void* address, size_t size, unsigned char* states);
int __wrap_mincore(void* address, size_t size, unsigned char* states) {
  if (the_system == nullptr) return __real_mincore(address, size, states);
  ++the_system->questions;
  for (size_t i = 0; i * PageSize() < size; ++i) {
    states[i] = static_cast<unsigned char>(the_system->pages_in_memory.count(PageOf(address) + i));
  }
  return 0;
}

ssize_t __real_pread(int descriptor, void* bytes, size_t size, off_t offset);
ssize_t __wrap_pread(int descriptor, void* bytes, size_t size, off_t offset) {
  if (the_system != nullptr) {
    ++the_system->reads;
    // Blocks like a slow device, but not forever.
    for (int i = 0; the_system->is_slow && i < 6000; ++i) ::usleep(10'000);
  }
  return __real_pread(descriptor, bytes, size, offset);
}

int __real_getrlimit(int resource, struct rlimit* limit);
int __wrap_getrlimit(int resource, struct rlimit* limit) {
  if (the_system == nullptr || resource != RLIMIT_NOFILE) return __real_getrlimit(resource, limit);
  *limit = {8 * kMostUnmapped, RLIM_INFINITY};
  return 0;
}

}  // extern "C"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto WillNeedFrom(size_t page, size_t page_count) {
  return AllOf(Field(&Advice::page, page), Field(&Advice::size, page_count * PageSize()),
               Field(&Advice::advice, MADV_WILLNEED));
}

class MappedFileTest : public testing::Test {
 protected:
  static constexpr size_t kPages = 200;

  MappedFileTest() {
    std::ofstream(path_, std::ios::binary) << std::string(kPages * PageSize(), 'x');
    the_system = &system_;
    auto file = OpenFile(path_, FileAccess::kMap);
    EXPECT_OK(file);
    file_ = *std::move(file);
    system_.file = file_->Contents()->data();
    TakeAdvice();
  }
  ~MappedFileTest() override {
    the_system = nullptr;
    ::unlink(path_.c_str());
  }

  void WillNeed(size_t page, size_t page_count) const {
    file_->WillNeed(page * PageSize(), page_count * PageSize());
  }
  std::vector<Advice> TakeAdvice() { return std::exchange(system_.advice, {}); }

  const std::string path_ = testing::TempDir() + "mapped_file_test_file";
  std::unique_ptr<RandomAccessFile> file_;
  System system_;
};

class UnmappedFileTest : public testing::Test {
 protected:
  UnmappedFileTest() {
    std::ofstream(path_, std::ios::binary) << "0123456789";
    the_system = &system_;
  }
  ~UnmappedFileTest() override {
    the_system = nullptr;
    ::unlink(path_.c_str());
  }

  std::unique_ptr<RandomAccessFile> Open() const {
    auto file = OpenFile(path_, FileAccess::kMap);
    EXPECT_OK(file);
    return *std::move(file);
  }
  static std::string Read(const RandomAccessFile& file) {
    std::string bytes(3, 'x');
    EXPECT_OK(file.Read(4, 3, bytes.data()));
    return bytes;
  }
  // Counts the open descriptors of this process.
  static size_t Descriptors() {
    size_t count = 0;
    for (int descriptor = 0; descriptor < 1000; ++descriptor) {
      if (::fcntl(descriptor, F_GETFD) >= 0) ++count;
    }
    return count;
  }

  const std::string path_ = testing::TempDir() + "unmapped_file_test_file";
  System system_;
};

TEST_F(UnmappedFileTest, IsMappedWhenItsContentsAreAskedForAndThenClosed) {
  const size_t before = Descriptors();
  const auto file = Open();
  EXPECT_TRUE(file->IsUnmapped());
  EXPECT_EQ(Read(*file), "456");
  EXPECT_EQ(system_.mappings, 0);
  EXPECT_EQ(Descriptors(), before + 1);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(file->Contents(), "0123456789");
    EXPECT_FALSE(file->IsUnmapped());
    EXPECT_EQ(Read(*file), "456");
    EXPECT_EQ(system_.mappings, 1);
    EXPECT_EQ(Descriptors(), before);
  }
}

TEST_F(UnmappedFileTest, IsMappedForAScan) {
  const auto file = Open();
  EXPECT_EQ(file->ContentsForScan(), "0123456789");
  EXPECT_FALSE(file->IsUnmapped());
}

TEST_F(UnmappedFileTest, IsClosedAfterAReadThatWasUnderWayWhenItWasMapped) {
  const size_t before = Descriptors();
  const auto file = Open();
  system_.is_slow = true;
  std::thread reader([&] { EXPECT_EQ(Read(*file), "456"); });
  for (int i = 0; system_.reads == 0 && i < 6000; ++i) ::usleep(10'000);
  EXPECT_EQ(system_.reads, 1);
  EXPECT_EQ(file->Contents(), "0123456789") << "does not wait for it";
  EXPECT_EQ(Descriptors(), before + 1);
  system_.is_slow = false;
  reader.join();
  EXPECT_EQ(Descriptors(), before);
}

TEST_F(UnmappedFileTest, IsNotMappedIfItHasBecomeShorter) {
  const auto file = Open();
  ASSERT_EQ(::truncate(path_.c_str(), 6), 0);
  EXPECT_EQ(file->Contents(), std::nullopt);
  EXPECT_EQ(system_.mappings, 0);
  std::string bytes(3, 'x');
  EXPECT_OK(file->Read(2, 3, bytes.data()));
  EXPECT_THAT(file->Read(4, 3, bytes.data()),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("ends at offset 6, was 10 bytes")));
}

TEST_F(UnmappedFileTest, AHintDoesNotMapIt) {
  const auto file = Open();
  file->WillNeed(0, 10);
  EXPECT_TRUE(file->IsUnmapped());
}

TEST_F(UnmappedFileTest, IsReadOnWhereTheSystemCannotMapIt) {
  system_.can_map = false;
  const auto file = Open();
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(file->Contents(), std::nullopt);
    EXPECT_EQ(file->ContentsForScan(), std::nullopt);
    file->WillNeed(0, 10);
    EXPECT_FALSE(file->IsUnmapped());
    EXPECT_EQ(Read(*file), "456");
    EXPECT_EQ(system_.mappings, 1);
  }
}

TEST_F(UnmappedFileTest, ManyFilesKeepFewDescriptors) {
  const size_t before = Descriptors();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::unique_ptr<RandomAccessFile>> files;
    for (size_t i = 0; i < 3 * kMostUnmapped; ++i) {
      files.push_back(Open());
      EXPECT_EQ(files.back()->IsUnmapped(), i < kMostUnmapped) << i;
    }
    EXPECT_EQ(Descriptors(), before + kMostUnmapped);
    for (const auto& file : files) EXPECT_EQ(Read(*file), "456");
    for (const auto& file : files) EXPECT_TRUE(file->Contents().has_value());
    EXPECT_EQ(Descriptors(), before);
    EXPECT_TRUE(Open()->IsUnmapped());
  }
}

TEST_F(UnmappedFileTest, ManyFilesThatCannotBeMappedAreAnError) {
  system_.can_map = false;
  std::vector<std::unique_ptr<RandomAccessFile>> files;
  for (size_t i = 0; i < kMostUnmapped; ++i) {
    files.push_back(Open());
    EXPECT_EQ(files.back()->Contents(), std::nullopt);
  }
  const size_t before = Descriptors();
  EXPECT_THAT(OpenFile(path_, FileAccess::kMap),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("_file: can't map")));
  EXPECT_EQ(Descriptors(), before);
  files.clear();
  EXPECT_OK(OpenFile(path_, FileAccess::kMap));
}

TEST_F(UnmappedFileTest, ThreadsReadWhileOneMapsIt) {
  const size_t before = Descriptors();
  for (int round = 0; round < 50; ++round) {
    const auto file = Open();
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) {
          if (i == 20 * (t + 1)) right += file->Contents() == "0123456789";
          right += Read(*file) == "456";
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(right, 4 * 101);
    EXPECT_FALSE(file->IsUnmapped());
    EXPECT_EQ(Descriptors(), before);
  }
}

TEST_F(MappedFileTest, AsksForWholePages) {
  file_->WillNeed(3 * PageSize() + 7, PageSize());
  EXPECT_THAT(TakeAdvice(), ElementsAre(WillNeedFrom(3, 2)));
  file_->WillNeed(3 * PageSize() + 7, 100);
  EXPECT_THAT(TakeAdvice(), IsEmpty()) << "one page comes as soon without";
}

// Blocks are contiguous, so a block's first page may be in memory because its neighbour was read.
TEST_F(MappedFileTest, AsksForABlockUnlessAllOfItIsInMemory) {
  system_.pages_in_memory = {10, 20, 21, 22};
  WillNeed(10, 3);
  EXPECT_THAT(TakeAdvice(), ElementsAre(WillNeedFrom(10, 3)));
  WillNeed(20, 3);
  EXPECT_THAT(TakeAdvice(), IsEmpty());
}

TEST_F(MappedFileTest, HardlyAsksWhereAllIsInMemory) {
  for (size_t i = 0; i < kPages; ++i) system_.pages_in_memory.insert(i);
  for (int i = 0; i < 170; ++i) WillNeed(2 * static_cast<size_t>(i % 90), 2);
  EXPECT_THAT(TakeAdvice(), IsEmpty());
  EXPECT_EQ(system_.questions, 34u);
}

TEST_F(MappedFileTest, AsksForAnIndexThatSharesAPageWithWhatWasRead) {
  for (size_t i = 0; i < 50; ++i) system_.pages_in_memory.insert(i);
  WillNeed(10, 2);    // a data block
  WillNeed(49, 100);  // the index block
  WillNeed(150, 50);  // the filter block
  EXPECT_THAT(TakeAdvice(), ElementsAre(WillNeedFrom(49, 100), WillNeedFrom(150, 50)));
}

TEST_F(MappedFileTest, ScansAreReadAheadEvenWithoutASecondMapping) {
  system_.can_duplicate = false;
  EXPECT_EQ(file_->ContentsForScan()->data(), file_->Contents()->data());
  EXPECT_THAT(TakeAdvice(),
              ElementsAre(AllOf(Field(&Advice::page, 0), Field(&Advice::advice, MADV_NORMAL))));
  EXPECT_EQ(file_->ContentsForScan()->size(), kPages * PageSize());
  EXPECT_THAT(TakeAdvice(), IsEmpty());
}

}  // namespace
}  // namespace sstable::test
