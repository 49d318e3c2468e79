// Decodes keys and values in every format that decode/ knows. Whatever the bytes, the output must
// be JSON of at most a multiple of their size. With SST_FUZZ_DECODER=N, all inputs are for decoder
// N, so that each gets as many executions.
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "decode/entry_decoder.h"
#include "decode/entry_query.h"
#include "nlohmann/json.hpp"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"

namespace sstable::fuzz {
namespace {

constexpr char kRecord[] = "0001020103000000000000f03f";

// A database with one entry, and kRecord's external objects: a blob and a file.
class OneEntry final : public EntrySource {
 public:
  using Pair = std::pair<absl::string_view, absl::string_view>;
  void Visit(absl::string_view from, EntryVisitor visit) const override {
    for (const auto& [key, value] : {Pair(key_, value_), Pair(row_key_, row_)}) {
      if (key >= from && !visit(key, value)) return;
    }
  }
  // The bytes must outlive their use.
  void Set(absl::string_view key, absl::string_view value) {
    key_ = key;
    value_ = value;
  }

 private:
  const std::string row_key_ = absl::HexStringToBytes("0001020303000000000000f03f");
  const std::string row_ = absl::HexStringToBytes("000201007405010301007407010061c0bcf2a7ced4dd17");
  absl::string_view key_, value_;
};

const std::shared_ptr<OneEntry>& Source() {
  static const auto* const kSource = new std::shared_ptr<OneEntry>(std::make_shared<OneEntry>());
  return *kSource;
}

const std::vector<std::unique_ptr<EntryDecoder>>& Decoders() {
  static const auto* const kDecoders = [] {
    auto* const decoders = new std::vector<std::unique_ptr<EntryDecoder>>;  // never destroyed
    decoders->push_back(NewIndexedDbDecoder());
    decoders->back()->Learn(Source());
    decoders->push_back(NewLocalStorageDecoder());
    decoders->push_back(NewSessionStorageDecoder());
    decoders->push_back(NewChromiumStoresDecoder());
    decoders->push_back(NewBedrockDecoder());
    decoders->push_back(NewBitcoinDecoder());
    // Coins are decoded only with an obfuscation key. This one is all zeros.
    Source()->Set(absl::string_view("\x0e\0obfuscate_key", 15),
                  absl::string_view("\x08\0\0\0\0\0\0\0\0", 9));
    decoders->back()->Learn(Source());
    decoders->push_back(NewJsonValuesDecoder());
    decoders->push_back(NewYLeveldbDecoder());
    decoders->push_back(NewTensorflowDecoder());
    return decoders;
  }();
  return *kDecoders;
}

// Returns the decoder for an input that begins with `byte`.
const EntryDecoder& DecoderAt(unsigned char byte) {
  static const char* const kOnly = std::getenv("SST_FUZZ_DECODER");
  const auto number = kOnly != nullptr ? static_cast<size_t>(std::atoi(kOnly)) : byte;
  return *Decoders()[number % Decoders().size()];
}

// Returns an input: decoder, key size, key, value.
std::string Seed(int decoder, absl::string_view key, absl::string_view value) {
  const std::string key_bytes = absl::HexStringToBytes(key);
  return absl::StrCat(std::string(1, static_cast<char>(decoder)),
                      std::string(1, static_cast<char>(key_bytes.size())), key_bytes,
                      absl::HexStringToBytes(value));
}

void CheckTree(const ValueTree& tree, size_t size) {
  if (tree.empty()) return;
  const std::string json = tree.Json();
  Require(nlohmann::json::accept(json), "the output is JSON");
  // A subchunk may have 256 storages with one palette entry each.
  Require(json.size() <= 2000 + 200 * size, "the output is in proportion to the input");
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = {
      Seed(0,
           "00010203010100"
           "61",
           "0003016100"
           "74"
           "0501020061"
           "07"
           "0206080112020a00"),
      Seed(0,
           "000100003202"
           "01",
           "00000202"
           "0100610000"),
      Seed(0, "00000000320139", "0a0812060a046d61696c0a16080112120a10"),
      Seed(0, "0000000003", "01020304"),
      Seed(0, "0001021e010100610003000000000000f03f", "0503000000000000f03f"),
      Seed(0, kRecord,
           "05ff110210"
           "24ff106f22016149027b01"),
      Seed(0, kRecord, "05ff11010a00"),
      Seed(1, "4d4554413a61", "0805108101"),
      Seed(1, "5f6100016e", "003dd800de"),
      Seed(2, "6d61702d312d61", "6100"),
      Seed(3, "5245473a31", "0a046d61696c0a16080112120a10"),
      Seed(4, "7e6c6f63616c5f706c61796572",
           "0a00000301006105000000090200"
           "6c6c01020000000102"
           "00"),
      Seed(4, "01000000ffffffff2ffc",
           "0901fc00"
           "0a000008040006e616d6500"),
      Seed(4, "01000000ffffffff2d", std::string(2 * 768, '0')),
      Seed(4,
           "6469677002000000"
           "03000000",
           "0000000100000002"),
      Seed(5, "43" + std::string(64, '0') + "00", "05320000" + std::string(40, 'a')),
      Seed(5, "63" + std::string(64, '0'),
           "0104835800816115944e077fe7c803cfa57f29b36bf87c1d358bb85e"),
      Seed(5, "62" + std::string(64, '0'), "01021d01000809" + std::string(160, '0')),
      Seed(6,
           "216121216221"
           "6b",
           "7b2261223a5b312c6e756c6c2c22c3a9225d7d"),
      Seed(3, "444154413a61",
           "221b42"
           "19ff15fe000000000000000000000000ff106f22016149027b01"),
      Seed(5, "780102030405804800ff51", ""),
      Seed(5, "0d626573745f626c6f636b5f7632", "8011010001" + std::string(64, '0')),
      Seed(7, "0002763100016100046d657461000162",
           "7604016975027d007dffffffff0f01667c3fc00000017474027f01036269677affffffffffffffee"),
      Seed(7, "000576315f737600026161", "000401ac020b"),
      Seed(8, "", "08011a020801"),
      Seed(8, "61", "08011209120308c801120208642880f1043522675886"),
      Seed(8, "0061000101018080", "080112040a0208023a080a04080010020a00"),
  };
  for (const char* value : {
           "6f2201e949026302ac2049047b02",
           "6108490a4902400108",
           "410249024904220178220179240102",
           "6f2201615e007b01",
           "410579786e000000000000f83f732201617a100100000000000000240005",
           "522204615c2f62bf01",
           "3b22016b49026f7b002749022c013a04",
           "726d22016d636f22016149027b01732201732e",
           "7e0408000000005642000003",
           "6f2201764208010203040506070856420101002201625e012201775e027b03",
           "5a2000000000000000000100000000000000",
           "41035c69005c69015c6502240003",
           "5c23010103000001010401020304",
           "5c4b01091006101f3c832bc6d6a7ec3b150391c67d18a1",
           "5c4e0000",
           "440000000000000000",
       }) {
    seeds.push_back(Seed(0, kRecord, absl::StrCat("05ff15fe000000000000000000000000ff10", value)));
    seeds.push_back(Seed(0, kRecord, absl::StrCat("05ff0c", value)));
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  fuzz::FuzzBytes bytes(fuzz::View(data, size));
  const EntryDecoder& decoder = fuzz::DecoderAt(bytes.Byte());
  const absl::string_view key = bytes.String(255);
  const absl::string_view value = bytes.rest();
  fuzz::Source()->Set(key, value);
  decoder.Recognizes(key, value);
  const DecodedEntry entry = decoder.Decode(key, value);
  fuzz::CheckTree(entry.key, key.size());
  fuzz::CheckTree(entry.value, value.size());
  static const auto* const kCondition = new EntryCondition(
      *EntryCondition::Parse("not key.key[0] < 2.5 and value.a[1] != 7 or value = \"x\""));
  kCondition->Judge(entry, !value.empty());
  if (!entry.key.empty()) {
    std::string text;
    entry.key.AppendSummary(&text);
  }
  return 0;
}
