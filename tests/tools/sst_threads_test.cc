// Limits the work of several threads in one table.
#include <string>

#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

// All threads share one limit. It is always reached, but where depends on their timing.
TEST_F(SstTest, WorkIsLimitedForAllTogether) {
  // Each entry takes about 15 bytes, and its key shares 60,000 with the previous one. The first key
  // of a block and its index key share nothing, so the file has about 2 MB.
  TableBuilderOptions options;
  options.block_size = 110000;
  options.block_restart_interval = 1 << 20;
  options.compression = Compression::kNone;
  auto builder = TableBuilder::Create(Path("keys.ldb"), options);
  ASSERT_TRUE(builder.ok()) << builder.status();
  const std::string shared(60000, 'k');
  for (int i = 0; i < 45000; ++i) {
    ASSERT_TRUE(
        (*builder)->Add(shared + std::to_string(100000 + i), i % 997 == 0 ? "wanted" : "").ok());
  }
  ASSERT_TRUE((*builder)->Finish().ok());
  for (const char* threads : {"1", "5"}) {
    const Result result = Run(
        {"grep", "-j", threads, "--max-work", "20", "--in", "value", "wanted", Path("keys.ldb")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("keys.ldb: a limit, not damage"));
  }
}

}  // namespace
}  // namespace sstable::tools
