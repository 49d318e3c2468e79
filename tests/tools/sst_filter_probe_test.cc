// `sst filter --probe` where a filter is damaged or wrong.
#include <string>

#include "sstable/bloom_filter_policy.h"
#include "sstable/table_reader.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"
#include "util/coding.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using SstFilterProbeTest = SstTest;

// Its checksum is right, but it was made of fewer keys.
TEST_F(SstFilterProbeTest, AKeyThatTheTableHasAndTheFilterRulesOutIsAProblem) {
  test::TableAssembler table;
  table.AddDataBlock("c", {{"a", "1"}, {"b", "2"}});
  std::string filter;  // of one window, which does not have "b"
  NewBloomFilterPolicy(10)->CreateFilter({"a"}, &filter);
  const size_t size = filter.size();
  AppendFixed32(&filter, 0);
  AppendFixed32(&filter, static_cast<uint32_t>(size));
  filter += '\x0b';
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", filter);
  folder_.Write("wrong.ldb", table.Finish());

  const Result wrong = Run({"filter", "--probe", "b", Path("wrong.ldb")});
  EXPECT_EQ(wrong.exit_code, 1) << wrong;
  EXPECT_THAT(wrong.out, HasSubstr("so the block does not have the key"));
  EXPECT_THAT(wrong.err, HasSubstr("wrong.ldb: has \"b\", which its filter or index rules out"));
  for (const char* const key : {"a", "bb", "z"}) {
    const Result right = Run({"filter", "--probe", key, Path("wrong.ldb")});
    EXPECT_EQ(right.exit_code, 0) << right;
    EXPECT_THAT(right.err, IsEmpty());
  }
}

TEST_F(SstFilterProbeTest, AFilterThatLookupsDoNotConsultIsAProblem) {
  const std::string table = Build("versions.ldb", kVersions, {"--keys", "internal"});
  const Result result = Run({"filter", "--keys", "plain", "--probe", "apple", table});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.err, HasSubstr("does not contain the table's first key"));
}

// The other one is shown all the same.
TEST_F(SstFilterProbeTest, DamageToOneOfTwoFiltersIsReported) {
  const std::string table = Build("both.ldb", kFruit, {"--table-filter", "fuse8"});
  const auto reader = TableReader::Open({}, table).value();
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
