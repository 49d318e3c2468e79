#include "table/inspect/lookup_trace.h"

#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "report/trace_text.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

struct TraceCase {
  const char* name;
  KeyKind key_kind;
  BloomName filter;
  int bits_per_key;
};

class LookupTraceTest : public testing::TestWithParam<TraceCase> {};

// The trace must agree with the reader: the same entry, or excluded by the filter.
TEST_P(LookupTraceTest, AgreesWithTheReader) {
  const auto policy = NewBloomFilterPolicy(GetParam().bits_per_key, GetParam().filter);
  TableBuilderOptions options;
  options.key_kind = GetParam().key_kind;
  options.filter_policy = policy.get();
  options.block_size = 256;
  const auto table_key = [](std::string key) {
    return GetParam().key_kind == KeyKind::kPlain ? key
                                                  : MakeInternalKey(key, 7, ValueType::kValue);
  };
  test::Entries entries;
  for (int i = 0; i < 600; i += 2) {
    entries.emplace_back(table_key(absl::StrFormat("%04d\xe9", i)), "value");
  }
  ASSERT_OK_AND_ASSIGN(const std::string bytes, test::BuildTable(options, entries));
  TableReaderOptions reader_options;
  reader_options.key_kind = GetParam().key_kind;
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes), reader_options));
  ASSERT_OK(reader->LoadFilter());
  int refused = 0;
  for (int i = 0; i < 610; ++i) {
    const std::string key = table_key(absl::StrFormat("%04d\xe9", i));
    std::optional<std::string> found;
    const uint64_t negatives = reader->stats().filter_negatives;
    ASSERT_OK(reader->InternalGet(key, [&found](absl::string_view entry_key, absl::string_view) {
      found = std::string(entry_key);
    }));
    const bool by_filter = reader->stats().filter_negatives > negatives;
    const LookupTrace trace = TraceLookup(*reader, key);
    ASSERT_OK(trace.status);
    if (trace.blocks.empty()) {
      EXPECT_EQ(found, std::nullopt) << i;
      continue;
    }
    const BlockTrace& block = trace.blocks.back();
    EXPECT_OK(block.status);
    EXPECT_EQ(block.entry_key, found) << i;
    EXPECT_EQ(!block.read, by_filter) << i;
    ASSERT_TRUE(block.filter.has_value());
    refused += by_filter ? 1 : 0;
    // The bits shown must explain the filter's answer.
    bool all_set = false;
    for (const TracedProbe& probe : block.filter->probes) {
      all_set = all_set || (probe.bits.back().set &&
                            static_cast<int>(probe.bits.size()) == block.filter->probe_count);
    }
    EXPECT_EQ(all_set, block.filter->may_match) << i;
  }
  EXPECT_GT(refused, 200);
}

INSTANTIATE_TEST_SUITE_P(Tables, LookupTraceTest,
                         testing::ValuesIn<TraceCase>({
                             {"Plain", KeyKind::kPlain, BloomName::kLevelDb, 10},
                             {"Internal", KeyKind::kInternal, BloomName::kLevelDb, 10},
                             {"OldName", KeyKind::kPlain, BloomName::kLevelDbOld, 10},
                             {"Signed", KeyKind::kInternal, BloomName::kRocksDb, 20},
                         }),
                         [](const auto& info) { return info.param.name; });

// Returns a table of one key. The filter block has the given filter for the key's window, between
// two that lookups don't use.
std::string TableWithFilter(absl::string_view filter) {
  std::string block(filter);
  AppendFixed32(&block, 0);
  AppendFixed32(&block, static_cast<uint32_t>(filter.size()));
  block += '\x0b';
  test::TableAssembler table;
  table.AddDataBlock("key", {{"key", "value"}});
  table.AddMetaBlock("filter.a", "???");
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", block);
  table.AddMetaBlock("filter.z", "???");
  return table.Finish();
}

TEST(LookupTraceTest, ReadsABlockWhoseFilterHasNoBits) {
  const std::string bytes = TableWithFilter("\x06");
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes)));
  ASSERT_OK(reader->LoadFilter());
  EXPECT_EQ(reader->Get("key").value(), "value");
  const LookupTrace trace = TraceLookup(*reader, "key");
  ASSERT_EQ(trace.blocks.size(), 1);
  EXPECT_TRUE(trace.blocks[0].read);
  EXPECT_EQ(trace.blocks[0].entry_key, "key");
  EXPECT_FALSE(trace.blocks[0].filter->consulted);
  EXPECT_THAT(DescribeFilterTrace(*trace.blocks[0].filter, *reader->filter()),
              testing::HasSubstr("the block is read"));
}

TEST(LookupTraceTest, CountsTheFilterThatIsUsed) {
  std::string filter;
  NewBloomFilterPolicy(10)->CreateFilter({"key"}, &filter);
  const std::string bytes = TableWithFilter(filter);
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(NewMemoryFile(bytes)));
  const std::string text =
      DescribeLookup(TraceLookup(*reader, "key"), *reader, "key", 0, Style(false));
  const uint64_t size = reader->meta_blocks().at(1).handle.size + kBlockTrailerSize;
  EXPECT_THAT(text, testing::HasSubstr(absl::StrFormat(", filter %d, data 0: ", size)));
}

}  // namespace
}  // namespace sstable::test
