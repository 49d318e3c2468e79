// Identifies the possible writers of a table from its properties.
#include "table/inspect/origin.h"

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/hex.h"

namespace sstable {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kMojang[] = "Minecraft Bedrock (Mojang's LevelDB)";
constexpr char kJavaFork[] = "a Java fork of iq80 leveldb for Minecraft Bedrock";
constexpr char kGoFork[] = "a Go fork of goleveldb for Minecraft Bedrock";

// Returns evidence of a table whose data blocks a codec shrinks by half, and whose metaindex and
// index are stored raw.
WriterEvidence Table(Codec codec, uint8_t type) {
  WriterEvidence evidence;
  for (int i = 0; i < 5; ++i) evidence.AddBlock(type, codec, 2000, 4000);
  evidence.AddBlock(0, Codec::kNone, 50, 50);
  evidence.AddBlock(0, Codec::kNone, 100, 100);
  return evidence;
}

// The same, but every block is compressed, even without gain, as by goleveldb and its forks.
WriterEvidence AllCompressed(Codec codec, uint8_t type) {
  WriterEvidence evidence;
  for (int i = 0; i < 5; ++i) evidence.AddBlock(type, codec, 2000, 4000);
  evidence.AddBlock(type, codec, 10, 8);
  return evidence;
}

TEST(OriginTest, TellsMojangsLevelDbFromItsForks) {
  WriterEvidence mojangs = Table(Codec::kRawDeflate, 4);
  mojangs.filter_policy = "leveldb.BuiltinBloomFilter2";
  EXPECT_THAT(NameWriters(mojangs).writers, ElementsAre(kMojang, "sstable"));

  WriterEvidence java = Table(Codec::kRawDeflate, 4);
  java.metaindex_without_restart = true;
  EXPECT_THAT(NameWriters(java).writers, ElementsAre(kJavaFork));
  EXPECT_THAT(NameWriters(java).marks, ElementsAre("has raw deflate blocks (type 4)",
                                                   "its metaindex block has no restart point"));

  EXPECT_THAT(NameWriters(AllCompressed(Codec::kRawDeflate, 4)).writers, ElementsAre(kGoFork));
  WriterEvidence go = AllCompressed(Codec::kZlib, 2);
  go.filter_policy = "leveldb.BuiltinBloomFilter";
  go.filter_hash = "unsigned";
  EXPECT_THAT(NameWriters(go).writers, ElementsAre(kGoFork));
}

TEST(OriginTest, ThisLibraryWritesBedrocksBlocksToo) {
  for (const Codec codec : {Codec::kZlib, Codec::kRawDeflate}) {
    WriterEvidence evidence = Table(codec, codec == Codec::kZlib ? 2 : 4);
    EXPECT_THAT(NameWriters(evidence).writers, Contains("sstable"));
    evidence.filter_policy = "leveldb.BuiltinBloomFilter2";
    evidence.filter_base_lg = 14;  // Mojang's LevelDB has no such option
    EXPECT_THAT(NameWriters(evidence).writers, ElementsAre("sstable"));
    evidence.has_empty_data_block = true;
    EXPECT_THAT(NameWriters(evidence).writers, IsEmpty());
  }
}

TEST(OriginTest, OfRocksDbSaysTheTypeThatItHas) {
  WriterEvidence evidence = Table(Codec::kRawDeflate, 2);
  evidence.dialect = CompressionNumbering::kRocksDb;
  const Origin origin = NameWriters(evidence);
  EXPECT_THAT(origin.writers, ElementsAre("RocksDB up to 10.0, format version 0"));
  EXPECT_THAT(origin.marks, Contains("has RocksDB's zlib blocks (type 2)"));
  EXPECT_THAT(origin.marks, Not(Contains(HasSubstr("raw deflate"))))
      << "RocksDB calls it zlib, though the header of zlib's streams is missing";
}

TEST(OriginTest, TheHashOfAnOldFilterDecides) {
  WriterEvidence evidence = Table(Codec::kNone, 0);
  evidence.filter_policy = "leveldb.BuiltinBloomFilter";
  const auto named = [&evidence](absl::string_view hash) {
    evidence.filter_hash = std::string(hash);
    return NameWriters(evidence).writers;
  };
  EXPECT_THAT(named("signed"), ElementsAre("LevelDB 1.4 to 1.17"));
  EXPECT_THAT(named("either"), ElementsAre("LevelDB 1.4 to 1.17", "goleveldb"));
  EXPECT_THAT(named("unsigned"), ElementsAre("goleveldb", HasSubstr("where char is unsigned")));
  EXPECT_THAT(NameWriters(evidence).marks,
              ElementsAre("its filter has the old name, and a hash of unsigned bytes"));
}

TEST(OriginTest, WithoutAMarkSeveralMayBe) {
  const Origin raw = NameWriters(Table(Codec::kNone, 0));
  EXPECT_THAT(raw.writers, ElementsAre("LevelDB", "goleveldb", "golang/leveldb"));
  EXPECT_THAT(raw.marks, IsEmpty());
  // goleveldb would have compressed the metaindex block, too.
  EXPECT_THAT(NameWriters(Table(Codec::kSnappy, 1)).writers,
              ElementsAre("LevelDB", "golang/leveldb"));
  EXPECT_THAT(NameWriters(AllCompressed(Codec::kSnappy, 1)).writers, ElementsAre("goleveldb"));
}

TEST(OriginTest, NamesNobodyWhereNobodyIsKnown) {
  WriterEvidence evidence = Table(Codec::kSnappy, 1);
  evidence.index_shares_prefixes = true;
  EXPECT_THAT(NameWriters(evidence).writers, IsEmpty());
  EXPECT_THAT(NameWriters(evidence).marks, ElementsAre("its index block is prefix-compressed"));
  EXPECT_THAT(NameWriters(Table(Codec::kUnknown, 9)).writers, IsEmpty());
}

TEST(OriginTest, OthersHaveMarksOfTheirOwn) {
  WriterEvidence zstd = Table(Codec::kZstd, 2);
  EXPECT_THAT(NameWriters(zstd).writers,
              ElementsAre("LevelDB's main branch after 1.23", "sstable"));
  WriterEvidence rust = Table(Codec::kNone, 0);
  rust.filter_policy = "_";
  EXPECT_THAT(NameWriters(rust).writers, ElementsAre("dermesser/sstable (Rust)"));
  WriterEvidence java = Table(Codec::kNone, 0);
  java.metaindex_without_restart = true;
  EXPECT_THAT(NameWriters(java).writers, ElementsAre("iq80 leveldb (Java)"));
  WriterEvidence windows = Table(Codec::kSnappy, 1);
  windows.filter_policy = "leveldb.BuiltinBloomFilter2";
  windows.filter_base_lg = 14;
  EXPECT_THAT(NameWriters(windows).writers, ElementsAre("sstable"));
  WriterEvidence tensorflow = Table(Codec::kNone, 0);
  tensorflow.is_tensorflow = true;
  EXPECT_THAT(NameWriters(tensorflow).writers, ElementsAre(HasSubstr("TensorFlow")));
}

TEST(OriginTest, KnowsTheHeaderOfACheckpoint) {
  EXPECT_TRUE(IsTensorFlowHeader("", test::FromHex("08011a020801")));
  EXPECT_TRUE(IsTensorFlowHeader("", test::FromHex("08ac0210011a020801")));
  EXPECT_FALSE(IsTensorFlowHeader("a", test::FromHex("08011a020801")));
  for (const char* const other : {"", "08", "0801", "1a020801", "08011a03", "08011a0308", "08011a",
                                  "08ff1a020801", "76616c7565"}) {
    EXPECT_FALSE(IsTensorFlowHeader("", test::FromHex(other))) << other;
  }
}

}  // namespace
}  // namespace sstable
