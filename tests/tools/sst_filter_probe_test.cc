// `sst filter --probe` with a damaged or wrong filter.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/inspect/murmur3.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"
#include "util/coding.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using SstFilterProbeTest = SstTest;

// A table like StarRocks', one of the hundred whose first key passes its filter by LevelDB's hash.
TEST_F(SstFilterProbeTest, AFilterOfMurmur3HidesNoKeyAndIsNamed) {
  const auto murmur3 = [](absl::string_view key) { return Murmur3(key, 0xbc9f1d34); };
  const test::ForeignBloom policy("leveldb.BuiltinBloomFilter2", murmur3, 10);
  const auto leveldb = NewBloomFilterPolicy(10);
  std::string first;
  for (int i = 0; first.empty(); ++i) {
    std::vector<std::string> keys = {absl::StrCat("a", i)};
    for (int k = 100; k < 135; ++k) keys.push_back(absl::StrCat("key", k));
    std::string filter;
    policy.CreateFilter(std::vector<absl::string_view>(keys.begin(), keys.end()), &filter);
    if (leveldb->KeyMayMatch(keys[0], filter)) first = keys[0];
  }
  test::Entries entries = {{first, std::string(80, 'v')}};
  for (int k = 100; k < 1000; ++k)
    entries.emplace_back(absl::StrCat("key", k), std::string(80, 'v'));
  TableBuilderOptions options;
  options.filter_policy = &policy;
  options.compression = Compression::kNone;
  options.block_size = 36 * 90;
  folder_.Write("starrocks.ldb", test::BuildTable(options, entries).value());
  const std::string table = Path("starrocks.ldb");

  for (const std::string& key : {first, std::string("key100"), std::string("key777")}) {
    EXPECT_EQ(Run({"get", table, key}).exit_code, 0) << key;
  }
  const Result report = Run({"filter", table});
  EXPECT_EQ(report.exit_code, 1);
  EXPECT_THAT(report.out, AllOf(HasSubstr("does not contain the table's key"),
                                HasSubstr("murmur3, as in StarRocks"), HasSubstr("of 901 keys")));
  EXPECT_THAT(Run({"stats", table}).out, HasSubstr("written by   StarRocks: "));
}

// Its checksum is correct, but one key is missing that is not looked up when the table is loaded.
TEST_F(SstFilterProbeTest, AKeyThatTheTableHasAndTheFilterRulesOutIsAProblem) {
  test::Entries entries;
  std::vector<std::string> keys;
  for (int i = 100; i < 200; ++i) entries.emplace_back(absl::StrCat("k", i), "");
  for (const auto& entry : entries) {
    if (entry.first != "k190") keys.push_back(entry.first);
  }
  test::TableAssembler table;
  table.AddDataBlock("k199", entries);
  std::string filter;  // filter of one window
  NewBloomFilterPolicy(16)->CreateFilter(std::vector<absl::string_view>(keys.begin(), keys.end()),
                                         &filter);
  const size_t size = filter.size();
  AppendFixed32(&filter, 0);
  AppendFixed32(&filter, static_cast<uint32_t>(size));
  filter += '\x0b';
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", filter);
  folder_.Write("wrong.ldb", table.Finish());

  const Result wrong = Run({"filter", "--probe", "k190", Path("wrong.ldb")});
  EXPECT_EQ(wrong.exit_code, 1) << wrong;
  EXPECT_THAT(wrong.out, HasSubstr("so the block does not have the key"));
  EXPECT_THAT(wrong.err, HasSubstr("wrong.ldb: has \"k190\", which its filter or index rules out"));
  for (const char* const key : {"k100", "k100a", "z"}) {
    const Result right = Run({"filter", "--probe", key, Path("wrong.ldb")});
    EXPECT_EQ(right.exit_code, 0) << right;
    EXPECT_THAT(right.err, IsEmpty());
  }
}

TEST_F(SstFilterProbeTest, AFilterThatLookupsDoNotConsultIsAProblem) {
  const std::string table = Build("versions.ldb", kVersions, {"--keys", "internal"});
  const Result result = Run({"filter", "--keys", "plain", "--probe", "apple", table});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("does not contain the table's key"));
  // It was read, so the exit code is not 2.
  EXPECT_EQ(Run({"check", "--keys", "plain", table}).exit_code, 1);
}

// The other filter is still shown.
TEST_F(SstFilterProbeTest, DamageToOneOfTwoFiltersIsReported) {
  const std::string table = Build("both.ldb", kFruit, {"--table-filter", "fuse8"});
  const auto reader = TableReader::Open(table).value();
  ASSERT_EQ(reader->meta_blocks().size(), 2);
  for (const MetaBlock& block : reader->meta_blocks()) {
    const std::string damaged = Corrupt(table, "damaged.ldb", block.handle.offset);
    const Result result = Run({"filter", "--probe", "kiwi", damaged});
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_THAT(result.err, HasSubstr("crc32c"));
    EXPECT_THAT(result.out, AllOf(HasSubstr("key     \"kiwi\""), HasSubstr("may have the key")));
  }
}

}  // namespace
}  // namespace sstable::tools
