#include "tests/table/crafted_tables.h"

#include <cstdint>
#include <limits>
#include <random>

#include "absl/strings/str_cat.h"
#include "sstable/format.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_parts.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

constexpr uint8_t kZstd = 2;

std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

}  // namespace

std::string Zstd(absl::string_view raw) {
  BlockCompressor compressor(Compression::kZstd, 3);
  return std::string(compressor.Compress(raw).value());
}

// Three zeros are an entry without shared bytes, key and value.
std::string TinyEntries(size_t size) {
  return std::string(size / 3 * 3, '\0') + EncodeRestarts({0});
}

// Adds as many of these entries as a compressed block may have.
std::string MostTinyEntries() {
  std::string entries = TinyEntries(256 << 10);
  while (entries.size() > Expanded(Zstd(entries).size())) {
    entries = TinyEntries(entries.size() / 100 * 99);
  }
  return entries;
}

std::string LargeValue(size_t block_size) {
  const size_t overhead = EncodeEntry(0, "k", std::string(block_size - 100, 'v')).size() +
                          EncodeRestarts({0}).size() - (block_size - 100);
  return EncodeEntry(0, "k", std::string(block_size - overhead, 'v')) + EncodeRestarts({0});
}

std::string LargeKey(size_t block_size) {
  const size_t overhead = EncodeEntry(0, std::string(block_size - 100, 'k'), "v").size() +
                          EncodeRestarts({0}).size() - (block_size - 100);
  return EncodeEntry(0, std::string(block_size - overhead, 'k'), "v") + EncodeRestarts({0});
}

// One long key, then entries that share all of it and take 6 bytes each; at most `size` bytes.
std::string EntriesThatShare(size_t size, absl::string_view value) {
  const std::string key(size / 2, 'k');
  std::string entries = EncodeEntry(0, key, value);
  const std::string entry = EncodeEntry(static_cast<uint32_t>(key.size()), "", value);
  while (entries.size() + entry.size() + 8 <= size) entries += entry;
  return entries + EncodeRestarts({0});
}

std::string ManyBlocks(absl::string_view raw) {
  TableAssembler table;
  const std::string stored = Zstd(raw);
  for (int i = 100; table.size() + 10 * (i - 100) < kCraftedSize; ++i) {
    table.AddIndexEntry(absl::StrCat(i), table.AddBlock(stored, kZstd).Encode());
  }
  return table.Finish();
}

std::string OneBlock(absl::string_view raw) {
  TableAssembler table;
  table.AddIndexEntry("k", table.AddBlock(Zstd(raw), kZstd).Encode());
  return table.Finish();
}

std::string OneBlockNamedManyTimes() {
  TableAssembler table;
  const BlockHandle handle = table.AddBlock(Zstd(TinyEntries(kMaxSmallBlock - 8)), kZstd);
  for (int i = 100; i < 400; ++i) table.AddIndexEntry(absl::StrCat(i), handle.Encode());
  return table.Finish();
}

namespace {

// A file with an empty data block and two given blocks, compressed unless they are small.
struct Parts {
  std::string metaindex = EncodeRestarts({0});
  std::string index = test::EncodeBlock({{"k", BlockHandle{0, 8}.Encode()}});
};
std::string FileOf(const Parts& parts) {
  std::string bytes = absl::StrCat(EncodeRestarts({0}), EncodeTrailer(EncodeRestarts({0}), 0));
  const auto add = [&bytes](const std::string& raw) {
    const bool is_small = raw.size() < 100;
    const std::string stored = is_small ? raw : Zstd(raw);
    const BlockHandle handle = {bytes.size(), stored.size()};
    absl::StrAppend(&bytes, stored, EncodeTrailer(stored, is_small ? 0 : kZstd));
    return handle;
  };
  Footer footer;
  footer.metaindex = add(parts.metaindex);
  footer.index = add(parts.index);
  return absl::StrCat(bytes, footer.Encode());
}

std::string RepeatedEntry(absl::string_view key, const BlockHandle& handle, size_t count) {
  const std::string entry = EncodeEntry(0, key, handle.Encode());
  std::string entries = EncodeEntry(0, "", handle.Encode() + Noise(count * entry.size() / 1000));
  for (size_t i = 0; i < count; ++i) entries += entry;
  return entries + EncodeRestarts({0});
}

std::string OverlappingWindows(size_t size) {
  const auto filter_size = static_cast<uint32_t>(size / 2);
  std::string block = Noise(size / 1000) + std::string(filter_size - size / 1000, '\xff');
  while (block.size() + 8 < size) {
    AppendFixed32(&block, 0);
    AppendFixed32(&block, filter_size - 1);
  }
  AppendFixed32(&block, filter_size);
  block.push_back(0);
  TableAssembler table;
  table.AddDataBlock("k", {{"k", "v"}});
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", Zstd(block), kZstd);
  return table.Finish();
}

// Impossible sizes, counts and offsets.
std::string SizesThatLie() {
  constexpr uint32_t kHuge = std::numeric_limits<uint32_t>::max();
  TableAssembler table;
  const std::vector<std::string> blocks = {
      EncodeEntrySizes(0, kHuge, kHuge) + EncodeRestarts({0}),
      EncodeEntry(0, "a", "") + EncodeEntrySizes(kHuge, 0, 0) + EncodeRestarts({0}),
      std::string(40, '\xff'),
      EncodeEntry(0, "a", "") + EncodeRestarts({0, kHuge, kHuge}),
  };
  int separator = 10;
  for (const std::string& block : blocks) {
    table.AddIndexEntry(absl::StrCat(separator++), table.AddBlock(block).Encode());
  }
  for (const BlockHandle handle : {BlockHandle{0, ~uint64_t{0}}, BlockHandle{~uint64_t{0}, 9},
                                   BlockHandle{1, uint64_t{1} << 32}}) {
    table.AddIndexEntry(absl::StrCat(separator++), handle.Encode());
  }
  // These frames and streams claim impossible sizes.
  for (const std::string& stored : {std::string("\xff\xff\xff\xff\x0f\x00", 6),
                                    std::string("\x28\xb5\x2f\xfd\xe0") + std::string(8, '\x7f')}) {
    const uint8_t type = stored[0] == '\x28' ? kZstd : 1;
    table.AddIndexEntry(absl::StrCat(separator++), table.AddBlock(stored, type).Encode());
  }
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", std::string(20, '\xff'));
  return table.Finish();
}

}  // namespace

std::vector<CraftedTable> CraftedTables() {
  return {
      {"ManyBlocksOfTinyEntries", [] { return ManyBlocks(TinyEntries(kMaxSmallBlock - 8)); }},
      {"ManyBlocksOfAsManyEntriesAsMayBe", [] { return ManyBlocks(MostTinyEntries()); }},
      {"ManyBlocksOfLargeValues", [] { return ManyBlocks(LargeValue(kMaxSmallBlock)); }},
      {"OneLargeKey", [] { return OneBlock(LargeKey(kMaxSmallBlock)); }},
      {"ManyBlocksAboveTheLimit", [] { return ManyBlocks(TinyEntries(kMaxSmallBlock + 3)); }},
      {"ManyBlocksOfSharedKeys", [] { return ManyBlocks(EntriesThatShare(kMaxSmallBlock, "")); }},
      {"OneBlockOfTinyEntries", [] { return OneBlock(TinyEntries(kMaxSmallBlock - 8)); }},
      {"OneBlockOfSharedKeys", [] { return OneBlock(EntriesThatShare(kMaxSmallBlock, "")); }},
      {"OneBlockNamedManyTimes", OneBlockNamedManyTimes},
      {"LargeIndex",
       [] {
         Parts parts;
         parts.index = RepeatedEntry("k", {0, 8}, 400000);
         return FileOf(parts);
       }},
      {"LargeMetaindex",
       [] {
         Parts parts;
         parts.metaindex = RepeatedEntry("filter.x", {0, 8}, 200000);
         return FileOf(parts);
       }},
      {"IndexOfSharedKeys",
       [] {
         Parts parts;
         parts.index = EntriesThatShare(kMaxSmallBlock, BlockHandle{0, 0}.Encode());
         return FileOf(parts);
       }},
      {"MetaindexOfSharedKeys",
       [] {
         Parts parts;
         parts.metaindex = EntriesThatShare(kMaxSmallBlock, BlockHandle{0, 0}.Encode());
         return FileOf(parts);
       }},
      {"OverlappingWindows", [] { return OverlappingWindows(3 << 20); }},
      {"SizesThatLie", SizesThatLie},
  };
}

}  // namespace sstable::test
