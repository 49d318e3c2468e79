// Salvages small, odd and hostile files.
#include <random>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/experimental/table_salvage.h"
#include "table/salvage/carve.h"
#include "tests/support/block_bytes.h"
#include "tests/support/fake_files.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/table/salvage/salvage_samples.h"

namespace sstable::test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(SalvageEdgesTest, EveryCutOfASmallTableGivesItsWholeBlocks) {
  for (const Compression compression : {Compression::kNone, Compression::kSnappy}) {
    Shape shape = {"small", compression, 256};
    shape.count = 40;
    const Sample sample = MakeSample(shape);
    for (size_t size = 0; size < sample.bytes.size(); ++size) {
      SCOPED_TRACE(size);
      const Salvaged cut = Salvage(sample.bytes.substr(0, size));
      const std::set<size_t> lost = BlocksIn(sample, size, sample.bytes.size());
      EXPECT_TRUE(cut.entries == EntriesBut(sample, lost));
      EXPECT_TRUE(lost.empty() || !cut.salvager->complete());
    }
  }
}

TEST(SalvageEdgesTest, EveryFlippedByteLosesAtMostItsBlock) {
  Shape shape = {"small", Compression::kSnappy, 256};
  shape.count = 40;
  const Sample sample = MakeSample(shape);
  for (size_t at = 0; at < sample.bytes.size(); ++at) {
    SCOPED_TRACE(at);
    std::string bytes = sample.bytes;
    bytes[at] ^= 0x10;
    const std::set<size_t> lost = BlocksIn(sample, at, 1);
    const Salvaged flipped = Salvage(bytes);
    EXPECT_TRUE(flipped.entries == EntriesBut(sample, lost));
    EXPECT_EQ(flipped.salvager->scan().lost.empty(), lost.empty());
    EXPECT_EQ(flipped.salvager->complete(), lost.empty());
  }
}

TEST(SalvageEdgesTest, HalfAMebibyteOfZerosLosesTheBlocksThatItTouches) {
  Shape shape = {"large", Compression::kNone};
  shape.count = 30000;
  const Sample sample = MakeSample(shape);
  constexpr uint64_t kOffset = 1000 * 512, kSize = 512 << 10;  // a typical loss on a disk
  ASSERT_GT(sample.bytes.size(), 2 * (kOffset + kSize));
  std::string bytes = sample.bytes;
  bytes.replace(kOffset, kSize, kSize, '\0');
  const std::set<size_t> lost = BlocksIn(sample, kOffset, kSize);
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_TRUE(salvaged.entries == EntriesBut(sample, lost));
  EXPECT_THAT(salvaged.salvager->scan().lost, SizeIs(lost.size()));
  EXPECT_EQ(salvaged.salvager->scan().lost[1].reason, "zeros");
}

TEST(SalvageEdgesTest, ABlockAfterAnIntactOneIsNotWithinWhatIsDamagedBeforeThat) {
  // The file is cut inside the first value, so that it starts with bytes that look like an entry of
  // 208 bytes. After them, in the second block, follow bytes that look like an entry whose value
  // extends to the end of the file.
  constexpr size_t kEntrySize = 208;
  const absl::string_view entry("\0\4\xc8\1zzzz", 8), stray("\0\4\xff\xff\3key9", 9);
  Blocks blocks = {{{"key1", absl::StrCat(V(100), entry, V(90))}},
                   {{"key2", V(300)}},
                   {{"key3", V(20)}},
                   {{"key4", V(20)}}};
  const std::string probe = RawSample(blocks).bytes;
  const size_t stray_offset =
      probe.find(std::string(entry)) + kEntrySize - (probe.find("key2") + 4);
  ASSERT_LT(stray_offset + stray.size(), blocks[1][0].second.size());
  blocks[1][0].second.replace(stray_offset, stray.size(), std::string(stray));
  const RawSample sample(blocks);
  std::string bytes = sample.bytes.substr(0, sample.End(3));
  bytes.erase(0, bytes.find(std::string(entry)));
  EXPECT_EQ(Salvage(bytes).entries, (Entries{blocks[1][0], blocks[2][0], blocks[3][0]}));
}

TEST(SalvageEdgesTest, NothingComesFromNothing) {
  std::mt19937_64 random(1);
  std::string noise(20000, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  for (const std::string& bytes :
       {std::string(), std::string(1, 'x'), std::string(100000, '\0'), noise}) {
    const Salvaged nothing = Salvage(bytes);
    EXPECT_THAT(nothing.entries, IsEmpty());
    EXPECT_FALSE(nothing.salvager->complete());
  }
}

TEST(SalvageEdgesTest, ATableInsideAValueIsNoPartOfTheTable) {
  Shape shape = {"inner", Compression::kNone, 256};
  shape.count = 40;
  const std::string inner = MakeSample(shape).bytes;
  TableBuilderOptions options;
  options.compression = Compression::kNone;
  const Entries entries = {{"a", "1"}, {"m", inner}, {"z", "26"}};
  std::string bytes = *BuildTable(options, entries);
  EXPECT_TRUE(Salvage(bytes.substr(0, bytes.size() - 48)).entries == entries);
  bytes[bytes.size() - 60] ^= 1;  // damages the index
  EXPECT_TRUE(Salvage(bytes).entries == entries);
}

TEST(SalvageEdgesTest, ACopyOfTheIndexInThePlaceOfTheMetaindexHidesNoData) {
  const RawSample sample(Blocks{{{"key1", V(20)}}, {{"key2", V(20)}}, {{"key3", V(20)}}});
  const std::string index = sample.Stored(sample.footer.index);
  const uint64_t data_end = sample.End(2), index_size = sample.footer.index.size;
  Footer footer;
  footer.metaindex = {data_end, index_size};
  footer.index = {data_end + index.size(), index_size};
  std::string bytes = absl::StrCat(sample.bytes.substr(0, data_end), index, index, footer.Encode());
  bytes[sample.blocks[1].offset + 5] ^= 1;
  const Salvaged salvaged = Salvage(bytes);
  EXPECT_EQ(salvaged.entries, (Entries{{"key1", V(20)}, {"key3", V(20)}}));
  EXPECT_FALSE(salvaged.salvager->complete());
}

// Because of the name "rocksdb.x", it looks like RocksDB's, whose type bytes have other meanings.
TEST(SalvageEdgesTest, BlocksThatCouldBeReadStayReadableBesideAnOddMetaindex) {
  const Shape shape = {"zstd", Compression::kZstd, 4096, 16, KeyKind::kPlain, /*filter=*/false, 90};
  const Sample sample = MakeSample(shape);
  const uint64_t data_end = sample.footer.metaindex.offset;
  TableAssembler odd;
  uint64_t offset = data_end - 45;
  for (const char* name : {"filter.x", "rocksdb.x", "filter.x"}) {
    odd.AddMetaEntry(name, BlockHandle{offset, 10}.Encode());
    offset += 15;
  }
  const std::string tail = odd.Finish();
  const Salvaged salvaged = Salvage(
      absl::StrCat(sample.bytes.substr(0, data_end), tail.substr(0, tail.size() - kFooterSize - 13),
                   sample.bytes.substr(sample.footer.index.offset, sample.footer.index.size + 5)));
  EXPECT_EQ(salvaged.entries, EntriesBut(sample, {}));
}

TEST(SalvageEdgesTest, BytesThatCannotBeReadAreLostAlone) {
  const Sample sample = MakeSample({"raw", Compression::kNone});
  FakeFile file(sample.bytes);
  file.FailReadAfter(0);  // the first, large read; smaller reads of the same bytes succeed
  auto salvager = Salvager::Open(file, {});
  ASSERT_OK(salvager.status());
  EXPECT_EQ((*salvager)->total_entries(), EntriesBut(sample, {}).size());
}

TEST(SalvageEdgesTest, HostileFilesTakeLittleWork) {
  // Every offset looks like the start and the end of a block.
  std::string starts;
  while (starts.size() < 8192) starts.append("\0\1\0a\0\0\1\0", 8);
  // Nested blocks: each is a prefix of the next, and none can be read.
  std::string nested;
  while (nested.size() < 8192) nested += EncodeTrailer(nested, 1);
  for (const std::string& bytes : {starts, nested}) {
    EXPECT_THAT(Salvage(bytes).entries, IsEmpty());
    size_t runs = 0, run_bytes = 0;
    const PaddedBytes padded(bytes);
    CarveBlocks(padded.view(), [&](const BlockHandle& handle, bool) {
      ++runs;
      run_bytes += handle.size;
      return CarveVerdict::kNoBlock;
    });
    EXPECT_LE(runs, 1024 + bytes.size() / 8);
    EXPECT_LE(run_bytes, 1000 * bytes.size());
  }
}

}  // namespace
}  // namespace sstable::test
