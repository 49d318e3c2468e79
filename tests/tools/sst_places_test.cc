// `sst` on tables whose blocks are sound, but not where footer and index have them.
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/tools/sst_test.h"
#include "util/coding.h"

namespace sstable::tools {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Three blocks of one size.
class SstPlacesTest : public SstTest {
 protected:
  void SetUp() override {
    test::TableAssembler table;
    for (const char* const key : {"apple", "grape", "peach"}) {
      blocks_.push_back(table.AddDataBlock(key, {{key, "value"}}));
    }
    bytes_ = table.Finish();
    footer_ = *Footer::Parse(bytes_.substr(bytes_.size() - kFooterSize), bytes_.size());
  }

  std::string Write(const std::string& bytes) {
    folder_.Write("table.ldb", bytes);
    return Path("table.ldb");
  }
  std::string WithFirstTwoBlocksSwapped() {
    const size_t size = blocks_[1].offset;
    return Write(bytes_.substr(size, size) + bytes_.substr(0, size) + bytes_.substr(2 * size));
  }
  std::string WithFooter(const Footer& footer) {
    return Write(bytes_.substr(0, bytes_.size() - kFooterSize) + footer.Encode());
  }

  std::vector<BlockHandle> blocks_;
  std::string bytes_;
  Footer footer_;
};

TEST_F(SstPlacesTest, ASoundTableIsSound) {
  const std::string table = Write(bytes_);
  EXPECT_EQ(Run({"dump", "--no-values", table}).out, "apple\ngrape\npeach\n");
  EXPECT_EQ(Run({"dump", "--no-values", "--reverse", table}).out, "peach\ngrape\napple\n");
  for (const char* const command : {"check", "dump", "filter", "stats"}) {
    EXPECT_EQ(Run({command, table}).exit_code, 0) << command;
  }
}

TEST_F(SstPlacesTest, DumpTellsThatABlockIsInThePlaceOfAnother) {
  const std::string table = WithFirstTwoBlocksSwapped();
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{}, {"--reverse"}, {"--from", "b", "--to", "c"}}) {
    std::vector<std::string> arguments = {"dump", table};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_THAT(result.err, HasSubstr("another block may have been here"));
  }
  const Result third = Run({"dump", "--no-values", "--from", "h", table});
  EXPECT_EQ(third.exit_code, 1) << "its order is broken, so all of it is read";
  EXPECT_EQ(third.out, "peach\n");
}

// They once said how many entries there are, or that the filter has no fault, with exit code 0.
TEST_F(SstPlacesTest, StatsAndFilterTellThatABlockIsInThePlaceOfAnother) {
  const std::string table = Build("filtered.ldb", "apple\t1\ngrape\t2\npeach\t3\n",
                                  {"--block-size", "1", "--compression", "none"});
  std::string bytes = folder_.Read("filtered.ldb");
  const size_t size = bytes.find("grape") - bytes.find("apple");
  folder_.Write("overwritten.ldb",
                bytes.substr(0, size) + bytes.substr(0, size) + bytes.substr(2 * size));
  for (const char* const command : {"stats", "filter"}) {
    EXPECT_EQ(Run({command, table}).exit_code, 0) << command;
    const Result result = Run({command, Path("overwritten.ldb")});
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.err, HasSubstr("another block may have been here")) << command;
  }
  EXPECT_THAT(Run({"stats", Path("overwritten.ldb")}).out, HasSubstr("1 data block\n"));
}

// A block that is not the index may contain no filter's name because it is another block.
TEST_F(SstPlacesTest, FilterTellsThatTheIndexCantBeReadThoughThereIsNoFilter) {
  const std::string table = WithFooter({footer_.metaindex, {footer_.index.offset + 1, 7}});
  const Result result = Run({"filter", table});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("index block"));
}

// Like dump.
TEST_F(SstPlacesTest, GetFindsWhatIsElsewhereAndReportsIt) {
  const std::string table = WithFirstTwoBlocksSwapped();
  for (const char* const key : {"apple", "grape"}) {
    const Result result = Run({"get", table, key});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "value");
    EXPECT_THAT(result.err,
                AllOf(HasSubstr("another block may have been here"), Not(HasSubstr("is not in"))));
  }
  const Result absent = Run({"get", table, "banana"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.out, IsEmpty());
  EXPECT_THAT(absent.err, AllOf(HasSubstr("another block may have been here"),
                                HasSubstr("is not in what could be read")));
  EXPECT_EQ(Run({"get", table, "peach"}).out, "value");
}

TEST_F(SstPlacesTest, AnotherBlockAsTheIndexIsNoEmptyTable) {
  const std::string table = WithFooter({footer_.index, footer_.metaindex});
  for (const char* const command : {"check", "dump", "filter", "stats"}) {
    const Result result = Run({command, table});
    EXPECT_EQ(result.exit_code, 1) << command;
    EXPECT_THAT(result.out + result.err, HasSubstr("metaindex block after the index block"));
  }
  const Result get = Run({"get", table, "apple"});
  EXPECT_EQ(get.exit_code, 1);
  EXPECT_THAT(get.err, HasSubstr("is not in what could be read"));
}

// The order of internal keys is not bytewise, which is not damage.
TEST_F(SstPlacesTest, KeysOfAnotherKindThanTheyAreAreNotMisplaced) {
  std::string records;
  for (int i = 999; i > 100; --i) records += "key\t" + std::to_string(i) + "\tvalue\tv\n";
  const std::string table =
      Build("versions.ldb", records, {"--keys", "internal", "--block-size", "256"});
  const Result result = Run({"dump", "--keys", "plain", table});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, Not(HasSubstr("another block")));
}

TEST_F(SstPlacesTest, CheckTellsOfAKeyTwiceInWhateverOrder) {
  test::TableAssembler table;
  table.AddDataBlock("b", {{"z", "1"}, {"z", "1"}, {"b", "2"}});
  const Result result = Run({"check", Write(table.Finish())});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, HasSubstr("1 of 3 keys occur twice, or follow an older version; the "
                                    "first: \"z\" comes after \"z\""));
}

// 40 blocks of 10 keys each, k100 to k499. `edit` may change the entries of a block.
std::string ManyBlocks(
    absl::FunctionRef<void(int block, test::Entries* entries)> edit,
    absl::FunctionRef<int(int block)> place = [](int i) { return i; }) {
  test::TableAssembler table;
  for (int i = 0; i < 40; ++i) {
    test::Entries entries;
    const int first = 100 + 10 * place(i);
    for (int n = first; n < first + 10; ++n) entries.emplace_back(absl::StrCat("k", n), "v");
    edit(i, &entries);
    table.AddDataBlock(absl::StrCat("k", first + 9), entries);
  }
  return table.Finish();
}

TEST_F(SstPlacesTest, CheckTellsOfTwoBlocksThatChangedPlacesWithTheirIndexEntries) {
  const auto keep = [](int, test::Entries*) {};
  EXPECT_EQ(Run({"check", Write(ManyBlocks(keep))}).exit_code, 0);
  const auto swapped = [](int i) { return i == 21 ? 22 : i == 22 ? 21 : i; };
  const Result result = Run({"check", Write(ManyBlocks(keep, swapped))});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.out, HasSubstr("\"k310\" comes after \"k329\""));
  EXPECT_THAT(result.out, HasSubstr("all but 10 of 400 keys ascend"));
}

// A fourth of the keys is below the largest so far, but only one pair of neighbours descends, at
// the end of a block.
TEST_F(SstPlacesTest, CheckTellsOfTwoOfFewBlocksThatChangedPlaces) {
  test::TableAssembler table;
  for (const int first : {10, 30, 20, 40}) {
    test::Entries entries;
    for (int n = first; n < first + 10; ++n) entries.emplace_back(absl::StrCat("k", n), "v");
    table.AddDataBlock(entries.back().first, entries);
  }
  const Result result = Run({"check", Write(table.Finish())});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_THAT(result.out, HasSubstr("\"k20\" comes after \"k39\""));
  EXPECT_THAT(result.out,
              HasSubstr("all keys ascend, but for 1 data block that changed places with the next"));
}

// A program's own order descends within blocks, too.
TEST_F(SstPlacesTest, CheckTakesAnOrderOfAnotherKindForNoDamage) {
  test::TableAssembler table;
  for (int i = 0; i < 12; ++i) {
    test::Entries entries;
    for (int n = 0; n < 10; ++n) entries.emplace_back(absl::StrCat(n * 7 % 10, "k", i), "v");
    table.AddDataBlock(entries.back().first, entries);
  }
  const Result result = Run({"check", Write(table.Finish())});
  EXPECT_EQ(result.exit_code, 0) << result;
  EXPECT_THAT(result.out, HasSubstr("the order of keys is not known"));
}

// The index names all blocks, but has two of them in each other's place.
TEST_F(SstPlacesTest, GetFindsAnInternalKeyThoughHandlesChangedPlaces) {
  test::TableAssembler table;
  std::vector<std::pair<std::string, BlockHandle>> index;
  for (const std::string user_key : {"apple", "grape", "peach", "quince"}) {
    const std::string key = MakeInternalKey(user_key, 7, ValueType::kValue);
    index.emplace_back(key, table.AddBlock(test::EncodeBlock({{key, "is " + user_key}})));
  }
  std::swap(index[1].second, index[2].second);
  for (const auto& [key, handle] : index) table.AddIndexEntry(key, handle.Encode());
  const std::string file = Write(table.Finish());
  for (const std::string user_key : {"apple", "grape", "peach", "quince"}) {
    const Result result = Run({"get", "--keys", "internal", file, user_key});
    EXPECT_EQ(result.exit_code, 1) << result;
    EXPECT_EQ(result.out, "is " + user_key);
    EXPECT_THAT(result.err, HasSubstr("leaves out bytes"));
  }
}

TEST_F(SstPlacesTest, GetFindsAKeyFarFromItsPlace) {
  const std::string table = Write(ManyBlocks([](int block, test::Entries* entries) {
    if (block == 19) (*entries)[5] = {"k105x", "far"};
  }));
  const Result result = Run({"get", table, "k105x"});
  EXPECT_EQ(result.exit_code, 1) << result;
  EXPECT_EQ(result.out, "far");
  EXPECT_THAT(result.err, AllOf(HasSubstr("has \"k105x\", but a lookup does not find it: keys are "
                                          "out of order"),
                                HasSubstr("data block at offset"), Not(HasSubstr("is not in"))));
  EXPECT_THAT(Run({"get", table, "k105y"}).err, HasSubstr("\"k105y\" is not in"));
}

// A lookup needs restart points, dump does not.
TEST_F(SstPlacesTest, GetFindsAKeyWhereRestartPointsAreWrong) {
  std::string block;
  for (const char* const key : {"apple", "grape", "peach"}) {
    block += test::EncodeEntry(0, key, "value");
  }
  test::TableAssembler table;
  const std::string bad = block + test::EncodeRestarts({0, 1, 2});
  table.AddIndexEntry("peach", table.AddBlock(bad).Encode());
  const std::string path = Write(table.Finish());
  EXPECT_EQ(Run({"dump", "--no-values", path}).out, "apple\ngrape\npeach\n");
  const Result found = Run({"get", "--comparator", "bytewise", "--keys", "plain", path, "peach"});
  EXPECT_EQ(found.exit_code, 1) << found;
  EXPECT_EQ(found.out, "value");
  EXPECT_THAT(found.err, AllOf(HasSubstr("entry at offset 1 shares 5 bytes of a key of 0"),
                               Not(HasSubstr("is not in"))));
}

// Its checksum is correct, but it was built from fewer keys.
TEST_F(SstPlacesTest, GetSaysThatTheFilterIsWrong) {
  test::TableAssembler table;
  table.AddDataBlock("b", {{"a", "1"}, {"b", "2"}});
  std::string filter;  // filter of one window, without "b"
  NewBloomFilterPolicy(10)->CreateFilter({"a"}, &filter);
  const size_t size = filter.size();
  AppendFixed32(&filter, 0);
  AppendFixed32(&filter, static_cast<uint32_t>(size));
  filter += '\x0b';
  table.AddMetaBlock("filter.leveldb.BuiltinBloomFilter2", filter);
  const std::string path = Write(table.Finish());
  const Result result = Run({"get", "--explain", path, "b"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(result.out, "2");
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("so the block does not have the key"),
                    HasSubstr("has \"b\", but a lookup does not find it: the filter has "
                              "a false negative")));
  const Result absent = Run({"get", path, "c"});
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_THAT(absent.err, HasSubstr("\"c\" is not in"));
}

TEST_F(SstPlacesTest, GetSaysWhatItTookForGrantedOfALargeTable) {
  std::string records;
  for (int i = 10; i < 80; ++i) {
    absl::StrAppend(&records, "k", i, "\t", std::string(256 << 10, 'v'), "\n");
  }
  folder_.Write("records", records);
  test::CommandOptions options;
  options.input_file = Path("records");
  const std::string table = Path("large.ldb");
  ASSERT_EQ(Run({"build", "--force", table, "--compression", "none"}, options).exit_code, 0);
  EXPECT_EQ(Run({"get", table, "absent"}).err,
            absl::StrCat("sst: \"absent\" is not in ", table,
                         ", by bytewise order, which 16 of its 70 data blocks show\n"));
  EXPECT_EQ(Run({"get", "--comparator", "bytewise", "--keys", "plain", table, "absent"}).err,
            absl::StrCat("sst: \"absent\" is not in ", table, ", by bytewise order, as given\n"));
}

}  // namespace
}  // namespace sstable::tools
