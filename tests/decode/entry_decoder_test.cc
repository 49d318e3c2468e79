#include "decode/entry_decoder.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "decode/choose_decoder.h"
#include "gtest/gtest.h"

namespace sstable::test {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

// Returns the entries in the order given: by key, newest version first.
class Source final : public EntrySource {
 public:
  explicit Source(Entries entries, std::string folder = "")
      : entries_(std::move(entries)), folder_(std::move(folder)) {}

  void Visit(absl::string_view from, EntryVisitor visit) const override {
    for (const auto& [key, value] : entries_) {
      if (key >= from && !visit(key, value)) return;
    }
  }
  std::string folder() const override { return folder_; }

 private:
  const Entries entries_;
  const std::string folder_;
};

std::string Hex(absl::string_view digits) { return absl::HexStringToBytes(digits); }

// Returns the value's JSON, or an empty string if it is not decoded.
std::string Json(const EntryDecoder& decoder, absl::string_view key, absl::string_view value) {
  return decoder.Decode(key, value).value.Json();
}

struct ValueCase {
  const char* name;
  std::unique_ptr<EntryDecoder> (*decoder)();
  std::string key, value;
  std::string json;
};

class EntryDecoderTest : public testing::TestWithParam<ValueCase> {};

TEST_P(EntryDecoderTest, Decodes) {
  EXPECT_EQ(Json(*GetParam().decoder(), GetParam().key, GetParam().value), GetParam().json);
}

// Returns NBT: a compound with these elements and no name.
std::string Compound(absl::string_view hex) { return Hex(absl::StrCat("0a0000", hex, "00")); }

// Decoded, 2^20 NBT numbers exceed the size limit of a value.
std::string ManyNumbers() {
  return absl::StrCat(Hex("0b0000"), std::string("\0\0\x10\0", 4), std::string(4u << 20, '\0'));
}

// So do 2^18 fields of a message.
std::string ManyFields() {
  std::string fields;
  for (int i = 0; i < 1 << 18; ++i) fields += Hex("0801");
  return fields;
}

// Returns nested lists.
std::string Lists(int depth) {
  std::string lists = Hex("090000");
  for (int i = 1; i < depth; ++i) lists += Hex("0901000000");
  return lists + Hex("0000000000");
}

// Returns the JSON of a value that is shown as bytes because its tree would be too large.
std::string TooLarge(absl::string_view value) {
  return absl::StrCat(R"({"$undecoded":"more than 8 MiB, decoded","bytes":{"$buffer":")",
                      absl::Base64Escape(value), "\"}}");
}

const ValueCase kCases[] = {
    {"JsonNumbers", NewJsonValuesDecoder, "k",
     "[123456789012345678901234567890,-0,0,1.10,-7,18446744073709551615,1e5]",
     "[123456789012345678901234567890,-0,0,1.10,-7,18446744073709551615,1e5]"},
    {"JsonNamesTwice", NewJsonValuesDecoder, "k", R"({"a":1,"b":[],"\u0061":2})", ""},
    {"JsonNamesOfTwoObjects", NewJsonValuesDecoder, "k", R"([{"a":1},{"a":2}])",
     R"([{"a":1},{"a":2}])"},
    {"JsonTooLarge", NewJsonValuesDecoder, "k", absl::StrCat("1", std::string(6 << 20, ' ')), ""},
    {"JsonTooDeep", NewJsonValuesDecoder, "k",
     absl::StrCat(std::string(10'001, '['), std::string(10'001, ']')), ""},
    {"NbtTooDeep", NewBedrockDecoder, "portals", Lists(10'001), ""},
    {"KeyTooLarge", NewJsonValuesDecoder, std::string((1 << 20) + 1, 'k'), "1", ""},
    {"NbtText", NewBedrockDecoder, "portals", Compound("080100740100ff"),
     R"({"t":{"$buffer":"/w=="}})"},
    {"NbtName", NewBedrockDecoder, "portals", Compound("010100ff01"), ""},
    {"NbtOuterName", NewBedrockDecoder, "portals", Hex("010100ff01"), ""},
    {"NbtNamesTwice", NewBedrockDecoder, "portals", Compound("010100610101010061 02"), ""},
    {"NbtManyNumbers", NewBedrockDecoder, "portals", ManyNumbers(), TooLarge(ManyNumbers())},
    {"MessageManyFields", NewChromiumStoresDecoder, "REG:1", ManyFields(), TooLarge(ManyFields())},
    {"ManyActors", NewBedrockDecoder, std::string("digp\0\0\0\0\0\0\0\0", 12),
     std::string(8u << 20, '\0'), ""},
    {"DictionaryTwice", NewBedrockDecoder, "LevelChunkMetaDataDictionary",
     Hex("0200000001020304050607080a00000001020304050607080a000000"), ""},
    {"AreaTwice", NewLocalStorageDecoder, "META:a", Hex("08050806"), ""},
};

INSTANTIATE_TEST_SUITE_P(Values, EntryDecoderTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

// Scripts of coins of height 1. Different forms must have different JSON.
TEST(BitcoinScriptTest, EachFormHasItsOwnJson) {
  const std::string hash(20, '\x11'), x(32, '\x22');
  const struct {
    std::string stored;
    const char* form;
    std::string hex;
  } kForms[] = {
      {'\0' + hash, "pay to public key hash", hash},
      {'\1' + hash, "pay to script hash", hash},
      {'\2' + x, "pay to public key", '\2' + x},
      {'\3' + x, "pay to public key", '\3' + x},
      {'\4' + x, "pay to uncompressed public key", '\2' + x},
      {'\5' + x, "pay to uncompressed public key", '\3' + x},
      {"\6", "script", ""},
      {"\7\2", "script", "\2"},
  };
  Entries coins;
  for (const auto& form : kForms) {
    coins.push_back({absl::StrCat("C", x, std::string(1, static_cast<char>(coins.size()))),
                     absl::StrCat("\2\1", form.stored)});
  }
  const auto decoder = NewBitcoinDecoder();
  decoder->Learn(std::make_shared<Source>(coins));  // learns that values are not obfuscated
  for (size_t i = 0; i < coins.size(); ++i) {
    EXPECT_EQ(Json(*decoder, coins[i].first, coins[i].second),
              absl::StrCat(R"({"height":1,"coinbase":false,"satoshis":1,"script":{"form":")",
                           kForms[i].form, R"(","hex":")", absl::BytesToHexString(kForms[i].hex),
                           "\"}}"));
  }
}

// IndexedDB records with a blob of index 0, in Blink's versions 21 and 13.
const std::string kKey = Hex("0001020103000000000000f03f");
const std::string kRowKey = Hex("0001020303000000000000f03f");
constexpr char kBlob[] = "ff15fe000000000000000000000000ff105c6900";
const std::string kOld = Hex(absl::StrCat("05", kBlob)), kNew = Hex(absl::StrCat("06", kBlob));
const std::string kOldRow = Hex("000201006f01"), kNewRow = Hex("000301006e01");
constexpr char kWithout[] = R"({"$blob":{"index":0}})";
constexpr char kWithNew[] = R"({"$blob":{"index":0,"type":"n","size":1,"path":"1/00/3"}})";

std::string JsonOfRecord(const std::string& value, Entries entries) {
  const auto decoder = NewIndexedDbDecoder();
  decoder->Learn(std::make_shared<Source>(std::move(entries)));
  return Json(*decoder, kKey, value);
}

TEST(IndexedDbRecordTest, ExternalObjectsAreOfTheSameVersion) {
  const Entries all = {{kKey, kNew}, {kKey, kOld}, {kRowKey, kNewRow}, {kRowKey, kOldRow}};
  EXPECT_EQ(JsonOfRecord(kNew, all), kWithNew);
  EXPECT_EQ(JsonOfRecord(kOld, all), kWithout);
  EXPECT_EQ(JsonOfRecord(kNew, {{kKey, kNew}, {kRowKey, kNewRow}}), kWithNew);
  EXPECT_EQ(JsonOfRecord(kOld, {{kKey, ""}, {kKey, kOld}, {kRowKey, kNewRow}}), kWithout);
  EXPECT_EQ(JsonOfRecord(kNew, {{kKey, kNew}, {kKey, kNew}, {kRowKey, kNewRow}}), kWithout);
  EXPECT_EQ(JsonOfRecord(kNew, {{kKey, kNew}, {kRowKey, ""}, {kRowKey, kOldRow}}), kWithout);
  EXPECT_EQ(JsonOfRecord(kNew, {}), kWithout);
}

// The output must be proportional to the size of the value and its row.
TEST(IndexedDbRecordTest, FieldsOfABlobAreAddedOnce) {
  std::string value = Hex("05ff15fe000000000000000000000000ff1041");
  constexpr int kCount = 100;
  value += kCount;
  for (int i = 0; i < kCount; ++i) value += Hex("5c6900");
  value += Hex("2400") + std::string(1, kCount);
  const std::string type(60, 'n');
  std::string row = Hex("00023c");
  for (const char c : type) row += {'\0', c};
  row += '\1';
  const std::string json = JsonOfRecord(value, {{kKey, value}, {kRowKey, row}});
  EXPECT_LT(json.size(), kCount * sizeof(kWithout) + 200);
  EXPECT_NE(json.find(type), json.npos);
}

// The folder of blobs is next to the database's, whatever that is called.
TEST(IndexedDbRecordTest, BlobsAreFoundFromTheFolderItself) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "a.leveldb";
  std::filesystem::create_directories(folder);
  std::filesystem::create_directories(folder / "../a.blob/1/00");
  std::ofstream(folder / "../a.blob/1/00/3", std::ios::binary) << Hex("ff0f54");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  const std::string value = Hex("05ff11010300"), row = Hex("000301006e03");
  for (const std::string& name :
       {std::string("."), std::string("./"), std::string("../a.leveldb/."), folder.string(),
        folder.string() + "/"}) {
    const auto decoder = NewIndexedDbDecoder();
    decoder->Learn(std::make_shared<Source>(Entries{{kKey, value}, {kRowKey, row}}, name));
    EXPECT_EQ(Json(*decoder, kKey, value), "true") << name;
  }
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace sstable::test
