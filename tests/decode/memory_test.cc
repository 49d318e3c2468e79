// Decoding an entry and writing its JSON must take at most 64 MiB besides the entry itself,
// whatever its bytes. Large valid values must be decoded completely.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "decode/entry_decoder.h"
#include "gtest/gtest.h"
#include "tests/support/allocations.h"

namespace sstable::test {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kLargest = kMaxDecodedSize;
constexpr int64_t kMaxMemory = int64_t{64} << 20;

std::string Hex(absl::string_view digits) { return absl::HexStringToBytes(digits); }

// Returns as many copies of `unit` as fit into `size` bytes.
std::string Repeated(absl::string_view unit, size_t size) {
  std::string bytes;
  bytes.reserve(size);
  while (bytes.size() + unit.size() <= size) bytes.append(unit.data(), unit.size());
  return bytes;
}

std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) bytes += static_cast<char>(number | 0x80);
  return bytes + static_cast<char>(number);
}

// Returns the key of an IndexedDB record.
const std::string& RecordKey() {
  static const auto* const kKey = new std::string(Hex("0001020103000000000000f03f"));
  return *kKey;
}
std::string V8(absl::string_view bytes) {
  return absl::StrCat(Hex("05ff15fe000000000000000000000000ff10"), bytes);
}
std::string V8Text(char tag, absl::string_view bytes) {
  return V8(absl::StrCat(std::string(1, tag), Varint(bytes.size()), bytes));
}
// Returns a dense array of copies of `element`, about `size` bytes in all.
std::string V8Array(absl::string_view element, size_t size) {
  const size_t count = size / element.size();
  return V8(absl::StrCat("A", Varint(count), Repeated(element, count * element.size()),
                         absl::string_view("$\0", 2), Varint(count)));
}
std::string V8ObjectOfNames(size_t count) {
  std::string names;
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&names, "U", Varint(i), "0");
  return V8(absl::StrCat("o", names, "{", Varint(count)));
}
// Returns a compressed record whose script value repeats its first 64 bytes.
std::string SnappyRecord(absl::string_view first_64, size_t size) {
  std::string block = absl::StrCat(Varint(size), "\xf0\x3f", first_64);
  for (size_t at = 64; at < size; at += 64) block += Hex("fe4000");
  return absl::StrCat(Hex("05ff1102"), block);
}

std::string Fixed32(size_t number) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(number >> (8 * i));
  return bytes;
}

// Returns a message nested as deeply as the decoder allows.
std::string NestedMessages(std::string inner) {
  for (int i = 0; i < 22; ++i) inner = absl::StrCat("\x0a", Varint(inner.size()), inner);
  return inner;
}

using NewDecoder = std::unique_ptr<EntryDecoder> (*)();
struct Case {
  const char* name;
  NewDecoder decoder;
  std::string key;
  std::function<std::string()> value;  // called when needed, since some values are large
};

// Returns a key of y-leveldb's metadata.
const std::string& MetaKey() {
  static const auto* const kKey = new std::string(Hex("0002763100016100046d657461000162"));
  return *kKey;
}
const std::string& TxidKey() {
  static const auto* const kKey = new std::string("c" + std::string(32, '0'));
  return *kKey;
}

class OneEntry final : public EntrySource {
 public:
  OneEntry(absl::string_view key, absl::string_view value) : key_(key), value_(value) {}
  void Visit(absl::string_view, EntryVisitor visit) const override { visit(key_, value_); }

 private:
  const std::string key_, value_;
};

// Coins are decoded only with an obfuscation key. This one is all zeros.
std::unique_ptr<EntryDecoder> NewCoinDecoder() {
  std::unique_ptr<EntryDecoder> decoder = NewBitcoinDecoder();
  decoder->Learn(std::make_shared<OneEntry>(absl::string_view("\x0e\0obfuscate_key", 15),
                                            absl::string_view("\x08\0\0\0\0\0\0\0\0", 9)));
  return decoder;
}

const Case kHostile[] = {
    {"Nulls", NewIndexedDbDecoder, RecordKey(), [] { return V8Array("0", kLargest - 100); }},
    {"Objects", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Array(absl::string_view("o{\0", 3), kLargest - 100); }},
    {"ObjectsOfALittleLess", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Array(absl::string_view("o{\0", 3), 3 * 520'000); }},
    {"Names", NewIndexedDbDecoder, RecordKey(), [] { return V8ObjectOfNames(220'000); }},
    {"Dates", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Array(absl::string_view("D\0\0\0\0\0\0\0\0", 9), 9 * 520'000); }},
    {"References", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Array(absl::string_view("^\0", 2), 2 * 520'000); }},
    {"Latin1", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('"', std::string(4 * kMiB - 100, '\xe9')); }},
    {"Controls", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('"', std::string(4 * kMiB / 3 - 100, '\1')); }},
    {"LatinControls", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('"', std::string(4 * kMiB - 100, '\x80')); }},
    {"LineSeparators", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('c', Repeated(Hex("2820"), kLargest - 100)); }},
    {"Surrogates", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('c', Repeated(Hex("00d8"), 4 * kMiB - 100)); }},
    {"SurrogatesOfALittleMore", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('c', Repeated(Hex("00d8"), kLargest - 100)); }},
    {"NoUtf8", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('S', std::string(8 * kMiB / 3 - 100, '\xff')); }},
    {"ManyTexts", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Array(Hex("630228204922"), kLargest - 100); }},
    {"Bigint", NewIndexedDbDecoder, RecordKey(),
     [] {
       return V8(absl::StrCat("Z", Varint(2 * (4 * kMiB - 100)), std::string(4 * kMiB, '\1')));
     }},
    {"Buffer", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('C', std::string(kLargest - 100, '\1')); }},
    {"Blobs", NewIndexedDbDecoder, RecordKey(),
     [] {
       std::string blobs;
       for (size_t i = 0; i < 80'000; ++i) absl::StrAppend(&blobs, "\\i", Varint(i));
       return V8(
           absl::StrCat("A", Varint(80'000), blobs, absl::string_view("$\0", 2), Varint(80'000)));
     }},
    {"Snappy", NewIndexedDbDecoder, RecordKey(),
     [] {
       return SnappyRecord(absl::StrCat(Hex("ff0f41ffffff03"), std::string(57, '0')), kLargest);
     }},
    {"SnappySwapped", NewIndexedDbDecoder, RecordKey(),
     [] {
       return SnappyRecord(absl::StrCat("\1\xff\xff", "A\3\xff", std::string(58, '0')), kLargest);
     }},
    {"ExternalObjects", NewIndexedDbDecoder, Hex("0001020303000000000000f03f"),
     [] { return std::string(4 * 520'000, '\0'); }},
    {"NotificationOfNulls", NewChromiumStoresDecoder, "DATA:a",
     [] {
       const std::string value = V8Array("0", 5 * kMiB).substr(1);
       const std::string field = absl::StrCat("\x42", Varint(value.size()), value);
       return absl::StrCat("\x22", Varint(field.size()), field);
     }},
    {"Messages", NewChromiumStoresDecoder, "REG:1",
     [] { return NestedMessages(Repeated(Hex("0801"), kLargest - 200)); }},
    {"NoMessages", NewChromiumStoresDecoder, "REG:1",
     [] { return NestedMessages(Repeated(Hex("0801"), kLargest - 200) + "\7"); }},
    {"Storage16", NewLocalStorageDecoder, Hex("5f6100016e"),
     [] { return std::string(1, '\0') + Repeated(Hex("00d8"), kLargest - 2); }},
    {"Storage1", NewLocalStorageDecoder, Hex("5f6100016e"),
     [] { return std::string(kLargest, '\1'); }},
    {"Actors", NewBedrockDecoder, std::string("digp\0\0\0\0\0\0\0\0", 12),
     [] { return std::string(kLargest, '\0'); }},
    {"Lists", NewBedrockDecoder, "portals",
     [] { return Hex("090000") + Repeated(Hex("0901000000"), kLargest - 3); }},
    {"Bytes", NewBedrockDecoder, "portals",
     [] {
       return absl::StrCat(Hex("070000"), Fixed32(kLargest - 7), std::string(kLargest - 7, 0));
     }},
    {"Numbers", NewBedrockDecoder, "portals",
     [] { return absl::StrCat(Hex("0b0000"), Fixed32(520'000), std::string(4 * 520'000, 0)); }},
    {"ManyNumbers", NewBedrockDecoder, "portals",
     [] { return absl::StrCat(Hex("0b0000"), Fixed32(1'500'000), std::string(6'000'000, 0)); }},
    {"JsonText", NewJsonValuesDecoder, "k",
     [] { return absl::StrCat("\"", std::string(kLargest - 2, 'a'), "\""); }},
    {"JsonTextWithoutEnd", NewJsonValuesDecoder, "k",
     [] { return absl::StrCat("\"", std::string(kLargest - 1, 'a')); }},
    {"JsonEscapes", NewJsonValuesDecoder, "k",
     [] { return absl::StrCat("\"", Repeated("\\n", kLargest - 2), "\""); }},
    {"JsonDigits", NewJsonValuesDecoder, "k", [] { return std::string(kLargest, '1'); }},
    {"JsonArrays", NewJsonValuesDecoder, "k", [] { return std::string(kLargest, '['); }},
    {"JsonNumbers", NewJsonValuesDecoder, "k",
     [] { return "[0" + Repeated(",0", kLargest - 9) + "]"; }},
    {"JsonObjects", NewJsonValuesDecoder, "k",
     [] { return "[0" + Repeated(",{\"\":\"\"}", 9 * 80'000) + "]"; }},
    {"YArrays", NewYLeveldbDecoder, MetaKey(),
     [] { return absl::StrCat("u", Varint(520'000), std::string(520'000, '~')); }},
    {"YBigints", NewYLeveldbDecoder, MetaKey(),
     [] { return absl::StrCat("u", Varint(200'000), Repeated("zabcdefgh", 9 * 200'000)); }},
    {"Shape", NewTensorflowDecoder, "a",
     [] {
       const std::string shape = Repeated(Hex("12020801"), kLargest - 100);
       return absl::StrCat("\x08\x01\x12", Varint(shape.size()), shape, "\x35", Fixed32(1));
     }},
    {"OldCoins", NewCoinDecoder, TxidKey(),
     [] {
       const std::string masks(4'194'289, '\xff');  // as many as the preceding size says
       return absl::StrCat(Hex("018efefe00"), masks, Repeated(Hex("0006"), 2'000'000));
     }},
};

class MemoryTest : public testing::TestWithParam<Case> {};

TEST_P(MemoryTest, IsBounded) {
  const std::unique_ptr<EntryDecoder> decoder = GetParam().decoder();
  const std::string value = GetParam().value();
  ASSERT_LE(value.size(), kLargest);
  const AllocationCounter counter;
  {
    const DecodedEntry entry = decoder->Decode(GetParam().key, value);
    EXPECT_FALSE(entry.key.empty());
    EXPECT_LE(counter.peak(), kMaxMemory);
    const std::string json = entry.value.Json();
  }
  EXPECT_LE(counter.peak(), kMaxMemory);
  RecordProperty("peak", static_cast<int>(counter.peak()));
}

INSTANTIATE_TEST_SUITE_P(Hostile, MemoryTest, testing::ValuesIn(kHostile),
                         [](const auto& info) { return info.param.name; });

// The largest keys, by bytes and by parts, with the value that takes the most memory.
TEST(MemoryOfKeyTest, IsBounded) {
  const std::string value = V8Text('"', std::string(4 * kMiB - 100, '\x80'));
  const auto arrays = [](size_t count) {
    return absl::StrCat("\4", Varint(count), Repeated(absl::string_view("\4\0", 2), 2 * count));
  };
  const struct {
    std::string key;
    bool is_known;
  } kKeys[] = {
      {absl::StrCat("\1", Varint(500'000), Repeated(Hex("d800"), 1'000'000)), true},
      {arrays(65'000), true},
      {arrays(520'000), false},
  };
  for (const auto& [user_key, is_known] : kKeys) {
    const std::string key = Hex("00010201") + user_key;
    const auto decoder = NewIndexedDbDecoder();
    const AllocationCounter counter;
    const DecodedEntry entry = decoder->Decode(key, value);
    const std::string json = entry.value.Json();
    EXPECT_EQ(entry.key.empty(), !is_known);
    EXPECT_LE(counter.peak(), kMaxMemory);
  }
}

TEST(MemoryOfLearningTest, IsBounded) {
  const auto source = std::make_shared<OneEntry>("s\1", std::string(32 * kMiB, 'a'));
  const auto decoder = NewBitcoinDecoder();
  const AllocationCounter counter;
  decoder->Learn(source);
  EXPECT_LE(counter.peak(), kMaxMemory);
}

// Values that real programs could write: 1 MB of text, or 100,000 numbers.
std::string JsonOfNumbers() { return "[1" + Repeated(",1", 2 * 99'999) + "]"; }
std::string JsonOfText() { return absl::StrCat("\"", std::string(1'000'000, 'a'), "\""); }

struct HonestCase {
  const char* name;
  NewDecoder decoder;
  std::string key;
  std::function<std::string()> value;
  std::string (*json)();
};

const HonestCase kHonest[] = {
    {"V8Numbers", NewIndexedDbDecoder, RecordKey(), [] { return V8Array(Hex("4902"), 200'000); },
     JsonOfNumbers},
    {"V8Text", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('"', std::string(1'000'000, 'a')); }, JsonOfText},
    {"V8Text16", NewIndexedDbDecoder, RecordKey(),
     [] { return V8Text('c', Repeated(absl::string_view("a\0", 2), 2'000'000)); }, JsonOfText},
    {"NbtNumbers", NewBedrockDecoder, "portals",
     [] {
       return absl::StrCat(Hex("0b0000"), Fixed32(100'000),
                           Repeated(absl::string_view("\1\0\0\0", 4), 400'000));
     },
     JsonOfNumbers},
    {"JsonNumbers", NewJsonValuesDecoder, "k", JsonOfNumbers, JsonOfNumbers},
    {"JsonText", NewJsonValuesDecoder, "k", JsonOfText, JsonOfText},
    {"YNumbers", NewYLeveldbDecoder, MetaKey(),
     [] { return absl::StrCat("u", Varint(100'000), Repeated("}\1", 200'000)); }, JsonOfNumbers},
    {"YText", NewYLeveldbDecoder, MetaKey(),
     [] { return absl::StrCat("w", Varint(1'000'000), std::string(1'000'000, 'a')); }, JsonOfText},
};

class HonestTest : public testing::TestWithParam<HonestCase> {};

TEST_P(HonestTest, IsDecodedInFull) {
  const auto decoder = GetParam().decoder();
  EXPECT_TRUE(decoder->Decode(GetParam().key, GetParam().value()).value.Json() ==
              GetParam().json());
}

INSTANTIATE_TEST_SUITE_P(Values, HonestTest, testing::ValuesIn(kHonest),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace sstable::test
