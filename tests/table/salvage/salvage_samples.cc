#include "tests/table/salvage/salvage_samples.h"

#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_parts.h"
#include "tests/support/table_walk.h"

namespace sstable::test {

Salvaged Salvage(absl::string_view bytes, const SalvageOptions& options) {
  Salvaged result;
  const auto file = NewMemoryFile(bytes);
  auto salvager = Salvager::Open(*file, options);
  EXPECT_OK(salvager.status());
  result.salvager = *std::move(salvager);
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions builder_options = result.salvager->BuilderOptions();
  builder_options.filter_policy = policy.get();
  auto builder = TableBuilder::Create(NewStringFile(&result.table), builder_options);
  EXPECT_OK(builder.status());
  EXPECT_OK(result.salvager->VisitEntries([&](absl::string_view key, absl::string_view value) {
    result.entries.emplace_back(key, value);
    return (*builder)->Add(key, value);
  }));
  EXPECT_OK((*builder)->Finish());
  EXPECT_EQ(result.salvager->report().entries_saved, result.entries.size());

  // Checks that the salvaged table is sound and has these entries.
  TableReaderOptions reader_options;
  reader_options.key_kind = builder_options.key_kind;
  reader_options.comparator = builder_options.comparator;
  auto reader = TableReader::Open(NewMemoryFile(result.table), reader_options);
  EXPECT_OK(reader.status());
  CheckOptions check_options;
  check_options.keys = result.salvager->order_known() ? KeyTrust::kOrdered : KeyTrust::kUnordered;
  const CheckReport report = CheckTable(**reader, check_options);
  EXPECT_TRUE(report.ok()) << report.problems[0].message;
  EXPECT_EQ(report.entries, result.entries.size());
  EXPECT_TRUE(WalkForward((*reader)->NewIterator().get()).entries == result.entries);
  return result;
}

Sample MakeSample(const Shape& shape) {
  Sample sample;
  std::mt19937_64 random(7);
  Entries entries;
  for (int i = 0; i < shape.count; ++i) {
    std::string key = absl::StrFormat("user:%08d/name", i * 3);
    if (shape.key_kind == KeyKind::kInternal) {
      key = MakeInternalKey(key, random() % 100000,
                            random() % 8 == 0 ? ValueType::kDeletion : ValueType::kValue);
    }
    std::string value;
    const size_t size = random() % 120;
    while (value.size() < size) {
      // Values mix random bytes, text and zeros.
      value += random() % 4 == 0 ? std::string(random() % 20, '\0')
               : random() % 2    ? "some text "
                                 : std::string(1, static_cast<char>(random()));
    }
    entries.emplace_back(std::move(key), std::move(value));
  }
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options;
  options.compression = shape.compression;
  options.block_size = shape.block_size;
  options.block_restart_interval = shape.restart_interval;
  options.key_kind = sample.key_kind = shape.key_kind;
  if (shape.filter) options.filter_policy = policy.get();
  const auto bytes = BuildTable(options, entries);
  EXPECT_OK(bytes.status());
  sample.bytes = *bytes;

  TableReaderOptions reader_options;
  reader_options.key_kind = shape.key_kind;
  auto reader = TableReader::Open(NewMemoryFile(sample.bytes), reader_options);
  EXPECT_OK(reader.status());
  sample.footer = (*reader)->footer();
  size_t next = 0;
  for (const BlockInfo& block : DescribeLayout(**reader).blocks) {
    if (block.kind != BlockKind::kData) continue;
    sample.blocks.push_back(block.handle);
    sample.entries.emplace_back(entries.begin() + next, entries.begin() + next + block.entry_count);
    next += block.entry_count;
  }
  EXPECT_EQ(next, entries.size());
  return sample;
}

RawSample::RawSample(const Blocks& of_blocks) {
  TableAssembler table;
  for (const Entries& entries : of_blocks) {
    blocks.push_back(table.AddDataBlock(entries.back().first, entries));
  }
  bytes = table.Finish();
  footer = *Footer::Parse(bytes.substr(bytes.size() - kFooterSize), bytes.size());
}

std::string RawSample::Stored(const BlockHandle& handle) const {
  return bytes.substr(handle.offset, handle.size + kBlockTrailerSize);
}

uint64_t RawSample::End(size_t i) const {
  return blocks[i].offset + blocks[i].size + kBlockTrailerSize;
}

std::string V(size_t size) { return std::string(size, 'v'); }

Entries EntriesBut(const Sample& sample, const std::set<size_t>& lost) {
  Entries entries;
  for (size_t i = 0; i < sample.blocks.size(); ++i) {
    if (lost.count(i) > 0) continue;
    entries.insert(entries.end(), sample.entries[i].begin(), sample.entries[i].end());
  }
  return entries;
}

std::set<size_t> BlocksIn(const Sample& sample, uint64_t offset, uint64_t size) {
  std::set<size_t> blocks;
  for (size_t i = 0; i < sample.blocks.size(); ++i) {
    const BlockHandle& handle = sample.blocks[i];
    if (handle.offset < offset + size && handle.offset + handle.size + kBlockTrailerSize > offset) {
      blocks.insert(i);
    }
  }
  return blocks;
}

}  // namespace sstable::test
