// Crafted tables of a few KB. No operation on them may use more than 64 MB of memory, or visit more
// entries or uncompress more bytes than the limits below. Each runs in its own process, so that
// zstd's memory is counted, too.
#include "table/block/limits.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_operations.h"
#include "tests/table/crafted_tables.h"
#include "util/bytes.h"

namespace {

std::atomic<uint64_t> uncompressed_bytes{0};  // in all threads

}  // namespace

// The linker redirects the library's zstd calls to these (--wrap).
extern "C" {
size_t __real_ZSTD_decompressStream(ZSTD_DStream* stream, ZSTD_outBuffer* out, ZSTD_inBuffer* in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream* stream, ZSTD_outBuffer* out, ZSTD_inBuffer* in) {
  const size_t before = out->pos;
  const size_t result = __real_ZSTD_decompressStream(stream, out, in);
  uncompressed_bytes += out->pos - before;
  return result;
}
}  // extern "C"

namespace sstable::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

[[maybe_unused]] constexpr uint64_t kMaxMemory = 64 << 20;
// The limit for all lookups of an operation, or all passes of a report.
constexpr uint64_t kMaxUncompressed = 300 * kMaxSmallBlock;

// The sum of MaxEntryCount() over the blocks: about 370 entries for each byte of such a file.
uint64_t MaxEntries(uint64_t file_size) {
  return (kMaxSmallBlock + Expanded(file_size)) / kMinEntrySize;
}

struct Cost {
  bool ended = false;         // it was not killed
  uint64_t entries = 0;       // entries visited
  uint64_t uncompressed = 0;  // bytes uncompressed by zstd
  uint64_t memory = 0;        // the peak, including the program's own
};

// `run` returns the number of entries visited.
Cost Measure(absl::FunctionRef<uint64_t()> run) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    uncompressed_bytes = 0;
    const uint64_t entries = run();
    const uint64_t work[] = {entries, uncompressed_bytes.load()};
    ::_exit(::write(ends[1], work, sizeof(work)) == sizeof(work) ? 0 : 1);
  }
  ::close(ends[1]);
  int status = 0;
  rusage usage = {};
  EXPECT_EQ(::wait4(child, &status, 0, &usage), child);
  uint64_t work[2] = {};
  const bool has_work = ::read(ends[0], work, sizeof(work)) == sizeof(work);
  ::close(ends[0]);
  return {has_work && WIFEXITED(status) && WEXITSTATUS(status) == 0, work[0], work[1],
          static_cast<uint64_t>(usage.ru_maxrss) * 1024};
}

void ExpectWithinLimits(const Cost& cost, uint64_t file_size,
                        [[maybe_unused]] const Cost& nothing) {
  EXPECT_TRUE(cost.ended);
  EXPECT_LE(cost.entries, MaxEntries(file_size));
  EXPECT_LE(cost.uncompressed, kMaxUncompressed);
#ifdef NDEBUG  // builds with sanitizers, which don't define it, need more
  EXPECT_LE(cost.memory, nothing.memory + kMaxMemory);
#endif
}

// A file whose bytes are discarded.
class NullFile final : public WritableFile {
 public:
  NullFile() : WritableFile("null") {}
  absl::Status Append(absl::string_view) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
};

// Salvages as `sst salvage` does.
uint64_t Salvage(absl::string_view bytes) {
  SalvageOptions options;
  options.max_work = 4;
  const auto salvager = Salvager::Open(*NewMemoryFile(bytes), options);
  if (!salvager.ok()) return 0;
  const auto builder =
      TableBuilder::Create(std::make_unique<NullFile>(), (*salvager)->BuilderOptions());
  uint64_t count = 0;
  static_cast<void>((*salvager)->VisitEntries([&](absl::string_view key, absl::string_view value) {
    ++count;
    return (*builder)->Add(key, value);
  }));
  static_cast<void>((*builder)->Finish());
  return count;
}

class LimitsTest : public testing::TestWithParam<CraftedTable> {
 protected:
  static uint64_t Open(const std::string& bytes, KeyKind kind,
                       absl::FunctionRef<uint64_t(const TableReader&)> use) {
    TableReaderOptions options;
    options.key_kind = kind;
    options.max_work = 4;  // in units of 10 MiB; low, so that these tables soon reach it
    // Plain keys are read from memory, internal ones block by block.
    std::unique_ptr<RandomAccessFile> file;
    if (kind == KeyKind::kPlain) {
      file = NewMemoryFile(bytes);
    } else {
      file = std::make_unique<test::FakeFile>(bytes);
    }
    const auto reader = TableReader::Open(std::move(file), options);
    return reader.ok() ? use(**reader) : 0;
  }
};

TEST_P(LimitsTest, AreKeptByAllThatCanBeDone) {
  const std::string bytes = GetParam().make();
  ASSERT_LE(bytes.size(), 2 * kCraftedSize);
  const Cost nothing = Measure([] { return uint64_t{0}; });
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    for (const test::TableOperation& operation : test::TableOperations()) {
      SCOPED_TRACE(absl::StrCat(operation.name, kind == KeyKind::kPlain ? ", plain" : ", internal",
                                " keys, ", bytes.size(), " bytes"));
      const Cost cost = Measure([&] { return Open(bytes, kind, operation.run); });
      ExpectWithinLimits(cost, bytes.size(), nothing);
    }
  }
}

TEST_P(LimitsTest, AreKeptBySalvage) {
  const std::string bytes = GetParam().make();
  const Cost nothing = Measure([] { return uint64_t{0}; });
  for (const size_t lost : {size_t{0}, kFooterSize}) {
    SCOPED_TRACE(absl::StrCat(lost, " bytes of ", bytes.size(), " lost"));
    const Cost cost =
        Measure([&] { return Salvage(absl::string_view(bytes).substr(0, bytes.size() - lost)); });
    ExpectWithinLimits(cost, bytes.size(), nothing);
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, LimitsTest, testing::ValuesIn(CraftedTables()),
                         [](const auto& info) { return info.param.name; });

// The reader's error message when it reaches a limit.

absl::Status StatusOfScan(const std::string& bytes, const TableReaderOptions& options = {}) {
  const auto reader = TableReader::Open(NewMemoryFile(bytes), options);
  if (!reader.ok()) return reader.status();
  const auto it = (*reader)->NewIterator();
  for (it->SeekToFirst(); it->Valid();) it->Next();
  return it->status();
}

TEST(LimitsErrorTest, ABlockMayHoldOnlySoMuchMoreThanItsStoredBytes) {
  EXPECT_OK(StatusOfScan(OneBlock(LargeValue(kMaxSmallBlock))));
  EXPECT_THAT(StatusOfScan(OneBlock(LargeValue(kMaxSmallBlock + 1))),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr(absl::StrCat("is above the limit of ", kMaxSmallBlock,
                                              " bytes; --max-block"))));
}

// A table of 4,341 bytes used to be able to have 33 million entries; stepping through them took a
// second.
TEST(LimitsErrorTest, ABlockMayHaveOnlySoManyEntriesForItsStoredBytes) {
  const std::string most = MostTinyEntries();
  EXPECT_OK(StatusOfScan(OneBlock(most)));
  const std::string more = TinyEntries(kMaxSmallBlock - 8);
  const auto is_refused = StatusIs(
      absl::StatusCode::kDataLoss,
      HasSubstr(absl::StrCat("has more than ", Zstd(more).size() * 1100 / 3,
                             " entries, the limit for ", Zstd(more).size(), " stored bytes")));
  EXPECT_THAT(StatusOfScan(OneBlock(more)), is_refused);
  // The builder does not write such a block, either: it stores it raw.
  ByteBuffer block;
  block.Append(more);
  BlockCompressor compressor(Compression::kZstd, 3);
  EXPECT_EQ(SealBlock(&compressor, 0, &block), more.size());
  EXPECT_EQ(block.view()[more.size()], 0) << "the type";
}

TEST(LimitsErrorTest, TheCallersLimitReplacesThatOfStoredBytes) {
  const std::string bytes = OneBlock(TinyEntries(kMaxSmallBlock + 1));
  TableReaderOptions options;
  options.max_uncompressed_block_size = 2 * kMaxSmallBlock;
  EXPECT_OK(StatusOfScan(bytes, options));
  options.max_uncompressed_block_size = 4096;
  EXPECT_THAT(
      StatusOfScan(bytes, options),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("is above the limit of 4096 bytes")));
}

TEST(LimitsErrorTest, AnIndexMayNotNameABlockTwice) {
  EXPECT_THAT(StatusOfScan(OneBlockNamedManyTimes()),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("blocks named so far have more bytes than the file's")));
}

const auto kIsLimit = StatusIs(absl::StatusCode::kOutOfRange,
                               AllOf(HasSubstr("a limit, not damage"), HasSubstr("--max-work")));

TEST(LimitsErrorTest, AllThatIsDoneWithAReaderHasOneBudget) {
  const std::string bytes = ManyBlocks(EntriesThatShare(64 << 10, ""));
  TableReaderOptions options;
  options.max_work = 1;
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes), options));
  const CheckReport report = CheckTable(*reader);
  EXPECT_EQ(report.problem_count, 0u);
  EXPECT_EQ(report.damaged_data_blocks, 0u);
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.limit_status, kIsLimit);
  EXPECT_LE(report.entries, kMinWorkSize / (32 << 10));
  EXPECT_EQ(CollectStats(*reader).entries, 0u) << "nothing is left";
  const auto it = reader->NewIterator();
  it->SeekToFirst();
  EXPECT_THAT(it->status(), kIsLimit);
}

TEST(LimitsErrorTest, AReaderWithoutABoundHasOneForEachPass) {
  const std::string bytes = ManyBlocks(EntriesThatShare(64 << 10, ""));
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes)));
  const uint64_t entries = CollectStats(*reader, KeyTrust::kUnknown).entries;
  EXPECT_GT(entries, 1000u);
  EXPECT_EQ(CollectStats(*reader, KeyTrust::kUnknown).entries, entries);
}

TEST(LimitsErrorTest, ABudgetIsSpentByAllThreadsTogetherAndStaysSpent) {
  const auto budget = std::make_shared<WorkBudget>(/*file_size=*/0, /*max_work=*/1);
  WorkMeter a(budget), b(budget);
  uint64_t taken = 0;
  while (a.Take(1000) && b.Take(1000)) taken += 2000;
  EXPECT_LE(taken, kMinWorkSize);
  EXPECT_GT(taken, kMinWorkSize * 9 / 10);
  EXPECT_TRUE(budget->is_spent());
  EXPECT_FALSE(budget->Take(1));
}

TEST(LimitsErrorTest, WorkGrowsWithTheFileButNotBeyondNumbers) {
  EXPECT_EQ(AllowedWork(0), AllowedWork(kMinWorkSize));
  EXPECT_EQ(AllowedWork(3 * kMinWorkSize, 7), 21 * kMinWorkSize);
  EXPECT_EQ(AllowedWork(UINT64_MAX), UINT64_MAX);
}

// 48 MB of keys in a file of 100 KB. The limit used to be 1100 times the file's size.
TEST(LimitsErrorTest, KeysThatShareALongPrefixAreReadAndSalvaged) {
  TableBuilderOptions options;
  options.compression = Compression::kZstd;
  options.block_size = 256 << 10;
  test::Entries entries;
  const std::string prefix(4800, 'p');
  for (int i = 10000; i < 20000; ++i) entries.emplace_back(absl::StrCat(prefix, i), "");
  ASSERT_OK_AND_ASSIGN(const std::string bytes, test::BuildTable(options, entries));
  ASSERT_LT(Expanded(bytes.size()), entries.size() * prefix.size()) << "the old bound";
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes)));
  const CheckReport report = CheckTable(*reader, CheckOptions());
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.entries, entries.size());
  ASSERT_OK_AND_ASSIGN(const auto salvager,
                       Salvager::Open(*NewMemoryFile(bytes), SalvageOptions()));
  uint64_t saved = 0;
  EXPECT_OK(salvager->VisitEntries([&](absl::string_view, absl::string_view) {
    ++saved;
    return absl::OkStatus();
  }));
  EXPECT_EQ(saved, entries.size());
}

// The builder must not write a block that the reader refuses.
TEST(LimitsErrorTest, TheBuilderStoresRawWhatZstdMakesTooSmall) {
  TableBuilderOptions options;
  options.compression = Compression::kZstd;
  const test::Entries entries = {{"a", std::string(40 << 20, 'v')}, {"b", "w"}};
  ASSERT_OK_AND_ASSIGN(const std::string bytes, test::BuildTable(options, entries));
  EXPECT_OK(StatusOfScan(bytes));
}

}  // namespace
}  // namespace sstable::test
