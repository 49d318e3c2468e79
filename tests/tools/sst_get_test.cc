// `sst get`.
#include <string>
#include <vector>

#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(SstTest, GetPrintsTheValueAndNothingElse) {
  const std::string table = Build("fruit.ldb", "apple\tred\\n\\x00\\xff\nempty\t\n");
  const Result result = Run({"get", table, "apple"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, std::string("red\n\0\xff", 6));
  EXPECT_THAT(result.err, IsEmpty());
  const Result empty = Run({"get", table, "empty"});
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_THAT(empty.out, IsEmpty());
  EXPECT_EQ(Run({"get", "--format", "escaped", table, "apple"}).out, "red\\n\\x00\\xff\n");
  EXPECT_EQ(Run({"get", "--format", "hex", table, "apple"}).out, "7265640a00ff\n");
  EXPECT_EQ(Run({"get", "--format", "base64", table, "apple"}).out, "cmVkCgD/\n");
}

TEST_F(SstTest, GetShowsTextOnATerminal) {
  const std::string table = Build("fruit.ldb", "apple\tr\\xc3\\xa9d\\x1b[31m\n");
  test::CommandOptions options;
  options.output = Output::kTerminal;
  EXPECT_EQ(Run({"get", table, "apple"}, options).out,
            "r\xc3\xa9"
            "d\\x1b[31m\n");
  EXPECT_EQ(Run({"get", "--format", "raw", table, "apple"}, options).out,
            "r\xc3\xa9"
            "d\x1b[31m");
}

TEST_F(SstTest, GetTellsThatAKeyIsAbsent) {
  const std::string table = Build("fruit.ldb", kFruit);
  for (const char* const key : {"", "a", "aardvark", "applf", "zebra"}) {
    const Result result = Run({"get", table, key});
    EXPECT_EQ(result.exit_code, 1) << key;
    EXPECT_THAT(result.out, IsEmpty());
    EXPECT_EQ(result.err, "sst: \"" + std::string(key) + "\" is not in " + table + "\n");
  }
}

TEST_F(SstTest, GetTakesKeysInSeveralForms) {
  const std::string table =
      Build("keys", "-k\tdash\n[a,b]\tbrackets\n\\xff\\t\tbytes\n{}\tbraces\n", {"--sort"});
  EXPECT_EQ(Run({"get", table, "\\xff\\t"}).out, "bytes");
  EXPECT_EQ(Run({"get", "--encoding", "hex", table, "FF09"}).out, "bytes");
  EXPECT_EQ(Run({"get", "--encoding", "base64", table, "/wk="}).out, "bytes");
  EXPECT_EQ(Run({"get", "--", table, "-k"}).out, "dash");
  EXPECT_EQ(Run({"get", table, "[a,b]"}).out, "brackets");
  EXPECT_EQ(Run({"get", table, "{}"}).out, "braces");
}

TEST_F(SstTest, GetFindsEveryKeyOfATable) {
  const std::string table = Build("many", ManyRecords(60), {"--block-size", "200"});
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(10000 + i).substr(1);
    EXPECT_THAT(Run({"get", table, "key" + number}).out, HasSubstr("value " + number));
    EXPECT_EQ(Run({"get", table, "key" + number + "a"}).exit_code, 1);
  }
}

TEST_F(SstTest, GetOfPlainKeysTakesTheFirstFile) {
  const std::string a = Build("a", "x\tfrom a\n"), b = Build("b", "x\tfrom b\ny\tonly b\n");
  EXPECT_EQ(Run({"get", a, b, "x"}).out, "from a");
  EXPECT_EQ(Run({"get", b, a, "x"}).out, "from b");
  EXPECT_EQ(Run({"get", a, b, "y"}).out, "only b");
  EXPECT_THAT(Run({"get", a, b, "z"}).err, HasSubstr("\"z\" is not in any of the files"));
}

TEST_F(SstTest, GetOfInternalKeysTakesTheNewestOfAllFiles) {
  const std::vector<std::string> internal = {"--keys", "internal"};
  const std::string old_table = Build("old", kVersions, internal);
  const std::string new_table =
      Build("new", "apple\t12\tvalue\tgreen\nbanana\t20\tdeletion\t\n", internal);
  EXPECT_EQ(Run({"get", old_table, new_table, "apple"}).out, "green");
  EXPECT_EQ(Run({"get", new_table, old_table, "apple"}).out, "green");
  EXPECT_EQ(Run({"get", old_table, "banana"}).out, "brown");
  const Result deleted = Run({"get", old_table, new_table, "banana"});
  EXPECT_EQ(deleted.exit_code, 1);
  EXPECT_THAT(deleted.out, IsEmpty());
  EXPECT_EQ(deleted.err, "sst: \"banana\" is deleted, at sequence 20 in " + new_table + "\n");
}

TEST_F(SstTest, GetOfASnapshotIgnoresWhatCameLater) {
  const std::string table = Build("db", kVersions, {"--keys", "internal"});
  EXPECT_THAT(Run({"get", table, "apple"}).err, HasSubstr("is deleted, at sequence 9"));
  EXPECT_EQ(Run({"get", "--snapshot", "8", table, "apple"}).out, "red");
  EXPECT_EQ(Run({"get", "--snapshot", "3", table, "apple"}).out, "red");
  EXPECT_EQ(Run({"get", "--snapshot", "2", table, "apple"}).exit_code, 1);
  EXPECT_EQ(Run({"get", "--snapshot", "6", table, "banana"}).out, "yellow");
  const Result plain = Run({"get", "--snapshot", "6", Build("plain", kFruit), "kiwi"});
  EXPECT_EQ(plain.exit_code, 2);
  EXPECT_THAT(plain.err, HasSubstr("has plain keys, so --snapshot does not apply"));
}

TEST_F(SstTest, GetNeverCallsAbsentWhatItCouldNotRead) {
  const std::string table = Build("many", ManyRecords(400), {"--compression", "none"});
  const std::string damaged = Corrupt(table, "damaged", 100);
  const Result lost = Run({"get", damaged, "key0001"});
  EXPECT_EQ(lost.exit_code, 1);
  EXPECT_THAT(lost.err, AllOf(HasSubstr("crc32c"), HasSubstr("is not in what could be read"),
                              Not(HasSubstr("is not in " + damaged))));
  EXPECT_EQ(Run({"get", damaged, "key0399"}).exit_code, 0) << "other blocks are sound";
  const Result elsewhere = Run({"get", Path("missing"), table, "key0001"});
  EXPECT_EQ(elsewhere.exit_code, 2) << "the missing file may have had it, too";
  EXPECT_THAT(elsewhere.out, HasSubstr("value 0001"));
}

TEST_F(SstTest, GetSearchesAllOfATableWhoseOrderIsNotKnown) {
  const std::string table = Build("many", ManyRecords(300));
  const Result found = Run({"get", "--comparator", "reverse", table, "key0123"});
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_THAT(found.out, HasSubstr("value 0123"));
  EXPECT_THAT(found.err, HasSubstr("its index is in another order, so all of it is searched"));
  EXPECT_EQ(Run({"get", "--comparator", "reverse", table, "key"}).exit_code, 1);
}

TEST_F(SstTest, GetExplainsALookup) {
  const std::string table = Build("many", ManyRecords(400), {"--compression", "none"});
  const Result found = Run({"get", "--explain", table, "key0200"});
  EXPECT_EQ(found.exit_code, 0);
  EXPECT_THAT(found.out, testing::StartsWith("value 0200"));
  EXPECT_THAT(found.err,
              AllOf(HasSubstr("looking for \"key0200\" (plain keys, leveldb.BytewiseComparator)"),
                    HasSubstr(" data blocks; the first index key that is not below it is block "),
                    HasSubstr("leveldb.BuiltinBloomFilter2"), HasSubstr(" bits, k = 6)"),
                    HasSubstr("6 of 6 bits checked"), HasSubstr("so the block may have the key"),
                    HasSubstr("from restart point "), HasSubstr("not below: \"key0200\""),
                    HasSubstr("bytes of the file's")));
  const Result absent = Run({"get", "--explain", table, "key0200x"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.err, AllOf(HasSubstr(" not set\n"), HasSubstr(", data 0: "),
                                HasSubstr("so the block does not have the key")));
  EXPECT_THAT(Run({"get", "--explain", table, "z"}).err, HasSubstr("every index key is below it"));
  EXPECT_THAT(Run({"get", "--explain", Build("bare", kFruit, {"--filter", "none"}), "kiwi"}).err,
              HasSubstr("not consulted: the table has no filter block"));
  EXPECT_THAT(
      Run({"get", "--explain", Build("db", kVersions, {"--keys", "internal"}), "apple"}).err,
      AllOf(HasSubstr("looking for \"apple\" @newest (internal keys"),
            HasSubstr("not below: \"apple\" @9")));
}

TEST_F(SstTest, GetExplainsALookupByAFilterOfTheWholeTable) {
  const std::string table = Build("plain", ManyRecords(400), {"--table-filter", "fuse16"});
  EXPECT_THAT(Run({"get", "--explain", table, "key0200"}).err,
              AllOf(HasSubstr("BinaryFuse16, of the whole table: may have the key (hash 0x"),
                    HasSubstr("the first index key that is"), HasSubstr("bytes of the file's")));
  EXPECT_THAT(Run({"get", "--explain", table, "key0200x"}).err,
              AllOf(HasSubstr("does not have the key"), Not(HasSubstr("index key")),
                    HasSubstr("data 0: ")));
}

}  // namespace
}  // namespace sstable::tools
