// The cost of a small table for each command: there is one limit, and the refusal names the option
// that raises it.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "sstable/file.h"
#include "sstable/table_builder.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

class LimitsTest : public SstTest {
 protected:
  LimitsTest() {
    TableBuilderOptions options;
    options.block_size = 16 << 10;
    options.block_restart_interval = 1 << 20;
    auto file = CreateFileAtomically(Path("keys.ldb"));
    EXPECT_TRUE(file.ok()) << file.status();
    auto builder = TableBuilder::Create(*std::move(file), options);
    EXPECT_TRUE(builder.ok()) << builder.status();
    for (int i = 10000; i < 15000; ++i) {
      EXPECT_TRUE((*builder)->Add(prefix_ + std::to_string(i), "").ok());
    }
    EXPECT_TRUE((*builder)->Finish().ok());
  }

  const std::string prefix_ = std::string(5000, 'p');  // so that keys have 25 MB
};

TEST_F(LimitsTest, AreKeptByEachCommandAndLiftedByItsOption) {
  const std::string table = Path("keys.ldb"), out = Path("out.ldb");
  const std::vector<std::vector<std::string>> commands = {
      {"check", table},
      {"check", "-j", "3", table},
      {"dump", table},
      {"dump", "--reverse", table},
      {"grep", "-F", "p10000", table},
      {"get", table, "absent"},
      {"stats", table},
      {"filter", "compare", table},
      {"diff", table, table},
      {"salvage", table, "-o", out, "--force"},
  };
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0] + " " + command[1]);
    command.insert(command.end(), {"--max-work", "1"});
    const Result refused = Run(command);
    EXPECT_EQ(refused.exit_code, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("keys.ldb: "));
    EXPECT_THAT(refused.err, HasSubstr("a limit, not damage"));
    EXPECT_THAT(refused.err, HasSubstr("--max-work"));
    command.back() = "100";
    const Result done = Run(command);
    EXPECT_EQ(done.exit_code, command[0] == "get" ? 1 : 0) << done.err;
    EXPECT_THAT(done.err, testing::Not(HasSubstr("limit")));
  }
}

// Only the parts of a block's keys that they do not share are held.
TEST_F(LimitsTest, BackwardDumpHoldsNoMoreThanTheBlock) {
  const Result result = Run({"dump", "--reverse", "--limit", "1", "--no-values", "--max-work", "1",
                             "--keys", "plain", "--comparator", "bytewise", Path("keys.ldb")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("p14999"));
}

}  // namespace
}  // namespace sstable::tools
