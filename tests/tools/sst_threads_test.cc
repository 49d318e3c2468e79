// `sst dump`, `grep` and `check` of one large table in several threads: the output is that of a
// single thread.
#include <cstddef>
#include <string>
#include <vector>

#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;

class ThreadsTest : public SstTest {
 protected:
  // Enough for several parts: more than 1 MiB; a part has about 0.25 MiB.
  static std::string LargeRecords(const std::string& middle = "", bool descend = false) {
    constexpr int kCount = 7000;
    std::string tsv;
    for (int i = 0; i < kCount; ++i) {
      const int n = descend ? kCount - 1 - i : i;
      std::string value(180, 'v');
      for (size_t k = 0; k < value.size(); ++k) {
        value[k] = static_cast<char>('a' + (static_cast<size_t>(n) * 7919 + k * k * 31) % 26);
      }
      tsv += "key" + std::to_string(10000 + n) + middle + "\t" + value + "\n";
    }
    return tsv;
  }

  // Build() for more records than fit in a pipe.
  std::string BuildLarge(absl::string_view name, const std::string& tsv,
                         std::vector<std::string> options) const {
    folder_.Write("in.tsv", tsv);
    options.insert(options.begin(), {"build", "--force", Path(name), Path("in.tsv")});
    const Result result = Run(options);
    EXPECT_EQ(result.exit_code, 0) << result;
    return Path(name);
  }

  static Result RunWith(const char* threads, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin() + 1, {"-j", threads});
    return Run(std::move(arguments));
  }

  // Returns the output of a single thread.
  static Result ExpectSame(const std::vector<std::string>& arguments) {
    const Result one = RunWith("1", arguments);
    std::vector<Result> others;
    for (const char* const threads : {"2", "3"}) others.push_back(RunWith(threads, arguments));
    others.push_back(Run(arguments));
    for (const Result& other : others) {
      EXPECT_EQ(other.exit_code, one.exit_code) << testing::PrintToString(arguments);
      EXPECT_TRUE(other.out == one.out) << testing::PrintToString(arguments);
      EXPECT_EQ(other.err, one.err) << testing::PrintToString(arguments);
    }
    return one;
  }

  static void ExpectSameWithAllOptions(const std::string& table) {
    const std::vector<std::vector<std::string>> cases = {
        {},
        {"--format", "tsv"},
        {"--format", "jsonl", "--files"},
        {"--format", "csv"},
        {"--from", "key11000"},
        {"--from", "key11000", "--to", "key15555"},
        {"--prefix", "key13"},
        {"--from", "x"},
        {"--limit", "5000"},
        {"--reverse", "--format", "tsv"},
        {"--encoding", "hex", "--no-values"},
    };
    for (const std::vector<std::string>& options : cases) {
      std::vector<std::string> arguments = {"dump", table};
      arguments.insert(arguments.end(), options.begin(), options.end());
      ExpectSame(arguments);
    }
    ExpectSame({"check", table});
  }
};

TEST_F(ThreadsTest, PlainKeys) {
  const std::string records = LargeRecords();
  const std::string table = BuildLarge("t.ldb", records, {"--compression", "none"});
  ExpectSameWithAllOptions(table);
  EXPECT_TRUE(Run({"dump", "--format", "tsv", "-j", "2", table}).out == records);
}

TEST_F(ThreadsTest, InternalKeysAndCompression) {
  ExpectSameWithAllOptions(BuildLarge("i.ldb", LargeRecords("\t7\tvalue"),
                                      {"--keys", "internal", "--compression", "none"}));
  ExpectSameWithAllOptions(BuildLarge("s.ldb", LargeRecords(), {"--compression", "snappy"}));
}

TEST_F(ThreadsTest, OtherOrders) {
  ExpectSameWithAllOptions(BuildLarge("r.ldb", LargeRecords("", /*descend=*/true),
                                      {"--comparator", "reverse", "--compression", "none"}));
}

TEST_F(ThreadsTest, KeysOfAnotherKindAreCountedOnce) {
  const std::string table = BuildLarge("t.ldb", LargeRecords(), {"--compression", "none"});
  const Result result = ExpectSame({"dump", "--keys", "internal", table});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr(": 7000 keys without a tag"));
}

TEST_F(ThreadsTest, DamageIsReportedWhereItIs) {
  const std::string table = BuildLarge("t.ldb", LargeRecords(), {"--compression", "none"});
  const size_t size = folder_.Read("t.ldb").size();
  ASSERT_GT(size, size_t{1} << 20);
  for (size_t offset = 1000; offset < size; offset += 40000) {
    const std::string damaged = Corrupt(table, "damaged.ldb", offset);
    ExpectSame({"dump", "--format", "tsv", damaged});
    EXPECT_EQ(ExpectSame({"check", damaged}).exit_code, 1);
  }
  ExpectSame({"dump", Corrupt(table, "footer.ldb", size - 1)});
}

TEST_F(ThreadsTest, DamageOfManyBlocksIsReportedInTheirOrder) {
  const std::string table = BuildLarge("t.ldb", LargeRecords(), {"--compression", "none"});
  const size_t size = folder_.Read("t.ldb").size();
  std::string damaged = table;
  for (size_t offset = 2000; offset + 100000 < size; offset += 9000) {
    damaged = Corrupt(damaged, "many.ldb", offset);
  }
  const Result result = ExpectSame({"dump", "--format", "tsv", damaged});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("crc32c stored 0x"));
  ExpectSame({"dump", "--from", "key12000", damaged});
  ExpectSame({"grep", "yyy", damaged});
}

TEST_F(ThreadsTest, BlocksThatChangedPlacesAreReportedInTheirOrder) {
  const std::string table = BuildLarge("t.ldb", LargeRecords(), {"--compression", "none"});
  std::string bytes = folder_.Read("t.ldb");
  const std::string first = bytes.substr(0, 600000);
  bytes.replace(0, 600000, bytes.substr(600000, 600000)).replace(600000, 600000, first);
  folder_.Write("moved.ldb", bytes);
  ExpectSameWithAllOptions(Path("moved.ldb"));
}

TEST_F(ThreadsTest, GrepFindsTheSame) {
  const std::string table = BuildLarge("t.ldb", LargeRecords(), {"--compression", "none"});
  EXPECT_EQ(ExpectSame({"grep", "key1[0-9]*7$", "--in", "key", table}).exit_code, 0);
  EXPECT_EQ(ExpectSame({"grep", "no such text", table}).exit_code, 1);
}

TEST_F(ThreadsTest, SeveralFilesEachOfWhichIsLarge) {
  const std::string a = BuildLarge("a.ldb", LargeRecords(), {"--compression", "none"});
  const std::string b = Corrupt(a, "b.ldb", 700000);
  ExpectSame({"dump", a, b, a});
  ExpectSame({"check", a, b, a});
  const Result five = RunWith("5", {"dump", a, b});
  EXPECT_TRUE(five.out == RunWith("1", {"dump", a, b}).out);
}

// All threads share one limit: where they reach it depends on them, whether they do does not.
TEST_F(ThreadsTest, WorkIsLimitedForAllTogether) {
  // An entry has some 15 bytes, and its key shares 60,000 with the previous one. The first key of a
  // block and its index key share nothing, so the file has about 2 MB.
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
    const Result result =
        RunWith(threads, {"grep", "--max-work", "20", "--in", "value", "wanted", Path("keys.ldb")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_THAT(result.err, HasSubstr("keys.ldb: a limit, not damage"));
  }
}

}  // namespace
}  // namespace sstable::tools
