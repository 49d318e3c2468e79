// Bitcoin Core's databases, after its sources txdb.cpp, node/blockstorage.cpp, coins.h and
// compressor.h.
//
// chainstate:   C txid (32) varint output    coin: varint code, varint amount, script
//               B                            block (32) up to which coins are those of the chain
//               H                            blocks of an update that has begun
//               0e 00 "obfuscate_key"        08, and 8 bytes that all other values are xor'd with
// block index:  b hash (32) | f number (4) | l | R | F size name
// A varint is of 7 bits a byte, the highest first; each byte that is not the last adds one to what
// is before the next. Hashes are shown as Bitcoin does, last byte first.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/text.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr size_t kHashSize = 32;
constexpr absl::string_view kObfuscationName("\x0e\0obfuscate_key", 15);

std::string Hash(absl::string_view bytes) {
  return HexOf(std::string(bytes.rbegin(), bytes.rend()));
}

// Removes a varint from the front of `*input`. Returns false, and leaves `*input` undefined, if
// there is none below 2^63.
bool ConsumeBitcoinVarint(absl::string_view* input, uint64_t* number) {
  *number = 0;
  while (!input->empty()) {
    const auto byte = static_cast<unsigned char>(input->front());
    input->remove_prefix(1);
    if (*number >> 56 != 0) return false;
    *number = *number << 7 | (byte & 0x7f);
    if (byte < 0x80) return true;
    ++*number;
  }
  return false;
}

// Expands an amount, which is stored as its digits and the number of zeros after them; nullopt if
// it exceeds all bitcoins.
std::optional<uint64_t> ExpandAmount(uint64_t number) {
  constexpr uint64_t kMaxAmount = 21'000'000ull * 100'000'000;
  if (number == 0) return 0;
  --number;
  uint64_t zeros = number % 10;
  number /= 10;
  uint64_t amount = number + 1;
  if (zeros < 9) amount = number / 9 * 10 + number % 9 + 1;
  for (; zeros > 0; --zeros) {
    if (amount > kMaxAmount) return std::nullopt;
    amount *= 10;
  }
  return amount <= kMaxAmount ? std::optional<uint64_t>(amount) : std::nullopt;
}

// Decodes the stored part of a script; its size field gives the form.
DecodedJson Script(uint64_t form, absl::string_view bytes) {
  constexpr const char* kForms[] = {"pay to public key hash", "pay to script hash",
                                    "pay to public key",      "pay to public key",
                                    "pay to public key",      "pay to public key"};
  constexpr uint64_t kFormCount = 6;
  const uint64_t size = form < 2 ? 20 : form < kFormCount ? 32 : form - kFormCount;
  if (bytes.size() != size) return {};
  return {{"form", form < kFormCount ? kForms[form] : "script"}, {"hex", HexOf(bytes)}};
}

DecodedJson Coin(absl::string_view value) {
  uint64_t code = 0, amount = 0, form = 0;
  if (!ConsumeBitcoinVarint(&value, &code) || !ConsumeBitcoinVarint(&value, &amount) ||
      !ConsumeBitcoinVarint(&value, &form)) {
    return {};
  }
  const std::optional<uint64_t> satoshis = ExpandAmount(amount);
  DecodedJson script = Script(form, value);
  if (!satoshis.has_value() || script.is_null()) return {};
  return {{"height", code / 2},
          {"coinbase", code % 2 == 1},
          {"satoshis", *satoshis},
          {"script", std::move(script)}};
}

// Decodes varints with these names; null if one is missing or, with `is_whole`, if anything follows
// them.
DecodedJson Varints(std::initializer_list<const char*> names, absl::string_view* value) {
  DecodedJson json = DecodedJson::object();
  for (const char* name : names) {
    uint64_t number = 0;
    if (!ConsumeBitcoinVarint(value, &number)) return {};
    json[name] = number;
  }
  return json;
}

// Decodes where a block is, and of its header of 80 bytes the hash of the previous block.
DecodedJson BlockIndexEntry(absl::string_view value) {
  constexpr uint64_t kHasData = 8, kHasUndo = 16;
  constexpr size_t kHeaderSize = 80, kPreviousOffset = 4;
  DecodedJson json = Varints({"client_version", "height", "status", "transactions"}, &value);
  if (json.is_null()) return {};
  const uint64_t status = json["status"];
  DecodedJson place = DecodedJson::object();
  if ((status & (kHasData | kHasUndo)) != 0) place.update(Varints({"file"}, &value));
  if ((status & kHasData) != 0) place.update(Varints({"data_offset"}, &value));
  if ((status & kHasUndo) != 0) place.update(Varints({"undo_offset"}, &value));
  if (value.size() != kHeaderSize) return {};
  json.update(place);
  json["previous"] = Hash(value.substr(kPreviousOffset, kHashSize));
  return json;
}

DecodedJson BlockFile(absl::string_view value) {
  DecodedJson json = Varints(
      {"blocks", "size", "undo_size", "first_height", "last_height", "first_time", "last_time"},
      &value);
  return value.empty() ? json : DecodedJson();
}

class BitcoinDecoder final : public EntryDecoder {
 public:
  // An obfuscated value can be decoded as a coin only by accident, in about one of 128 cases.
  void Examine(absl::string_view key, absl::string_view value) override {
    if (key == kObfuscationName && value.size() > 1 &&
        static_cast<unsigned char>(value[0]) == value.size() - 1) {
      obfuscation_ = std::string(value.substr(1));
    }
    if (value.empty() || !IsHidden(key)) return;
    const DecodedEntry entry = DecodeClear(key, value);
    if (entry.key.is_null()) return;
    has_hidden_ = true;
    if (key.front() != 'C') return;
    ++coins_;
    if (!entry.value.is_null()) ++clear_coins_;
  }

  std::string doubt() const override {
    if (!has_hidden_ || knows_obfuscation()) return "";
    return "the obfuscation key is not among the entries examined, and the values of coins and the "
           "best block do not show that they need none, so these are shown as they are";
  }

  absl::string_view format() const override {
    return obfuscation_.empty() ? "Bitcoin Core's, without an obfuscation key"
                                : "Bitcoin Core's, with the obfuscation key of the table";
  }

  DecodedEntry Decode(absl::string_view key, absl::string_view value) const override {
    if (key == kObfuscationName) {
      return {{{"kind", "obfuscation key"}},
              value.empty() ? DecodedJson() : DecodedJson{{"hex", HexOf(value.substr(1))}}};
    }
    const std::string clear = Reveal(value);
    DecodedEntry entry = DecodeClear(key, clear);
    if (value.empty() || (IsHidden(key) && !knows_obfuscation())) entry.value = nullptr;
    return entry;
  }

 private:
  // True for keys of the chainstate, whose values may be obfuscated.
  static bool IsHidden(absl::string_view key) {
    return !key.empty() && (key.front() == 'C' || key.front() == 'B');
  }
  bool knows_obfuscation() const {
    return !obfuscation_.empty() || (coins_ >= 2 && clear_coins_ == coins_);
  }

  std::string Reveal(absl::string_view value) const {
    std::string clear(value);
    for (size_t i = 0; i < clear.size() && !obfuscation_.empty(); ++i) {
      clear[i] = static_cast<char>(clear[i] ^ obfuscation_[i % obfuscation_.size()]);
    }
    return clear;
  }

  static DecodedEntry DecodeClear(absl::string_view key, absl::string_view value) {
    if (key.empty()) return {};
    const char type = key.front();
    key.remove_prefix(1);
    const bool has_hash = value.size() == kHashSize;
    switch (type) {
      case 'C':
        return DecodeCoin(key, value);
      case 'B':
        if (!key.empty()) return {};
        return {{{"kind", "best block"}}, has_hash ? DecodedJson(Hash(value)) : DecodedJson()};
      case 'H':
        if (!key.empty()) return {};
        return {{{"kind", "head blocks"}}, {}};
      case 'b':
        if (key.size() != kHashSize) return {};
        return {{{"kind", "block"}, {"hash", Hash(key)}}, BlockIndexEntry(value)};
      case 'f':
        if (key.size() != 4) return {};
        return {{{"kind", "block file"}, {"file", DecodeFixed32(key.data())}}, BlockFile(value)};
      case 'l':
        if (!key.empty()) return {};
        return {{{"kind", "last block file"}},
                value.size() == 4 ? DecodedJson(DecodeFixed32(value.data())) : DecodedJson()};
      case 'R':
        if (!key.empty()) return {};
        return {{{"kind", "reindexing"}}, {}};
      case 'F':
        if (key.empty() || static_cast<unsigned char>(key[0]) != key.size() - 1 ||
            !IsUtf8(key.substr(1))) {
          return {};
        }
        return {{{"kind", "flag"}, {"name", std::string(key.substr(1))}},
                value == "1" || value == "0" ? DecodedJson(value == "1") : DecodedJson()};
    }
    return {};
  }

  static DecodedEntry DecodeCoin(absl::string_view key, absl::string_view value) {
    if (key.size() <= kHashSize) return {};
    absl::string_view rest = key.substr(kHashSize);
    uint64_t output = 0;
    if (!ConsumeBitcoinVarint(&rest, &output) || !rest.empty() || output >> 32 != 0) return {};
    return {{{"kind", "coin"}, {"txid", Hash(key.substr(0, kHashSize))}, {"output", output}},
            Coin(value)};
  }

  std::string obfuscation_;   // empty: none, or not known
  bool has_hidden_ = false;   // there are values that may be obfuscated
  uint64_t coins_ = 0;        // coins examined
  uint64_t clear_coins_ = 0;  // those that can be decoded as stored
};

}  // namespace

std::unique_ptr<EntryDecoder> NewBitcoinDecoder() { return std::make_unique<BitcoinDecoder>(); }

}  // namespace sstable
