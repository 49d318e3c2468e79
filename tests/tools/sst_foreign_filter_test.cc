// Runs `sst` on a table with a filter of another program.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/table_bytes.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using SstForeignFilterTest = SstTest;

// A table like StarRocks'. One such table in a hundred has a first key that its filter contains
// according to LevelDB's hash; this is one.
TEST_F(SstForeignFilterTest, AFilterOfMurmur3HidesNoKeyAndIsNamed) {
  const test::ForeignBloom policy({"Murmur3", test::StarRocksHash}, 10);
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

}  // namespace
}  // namespace sstable::tools
