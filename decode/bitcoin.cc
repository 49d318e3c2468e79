// Bitcoin Core's databases. Sources: its txdb.cpp, node/blockstorage.cpp, coins.h, compressor.h and
// index/txindex_key.h.
//
// chainstate:   C txid (32) varint output    coin: varint code, varint amount, script
//               B                            hash (32) of the last block that the coins include
//               H                            hashes of the blocks of an unfinished update
//               c txid (32)                  until 2017: all coins of a transaction
//               0e 00 "obfuscate_key"        08, and 8 bytes that all other values are xor'd with
// block index:  b hash (32) | f number (4) | l | R | F size name
// txindex:      t txid (32)                  until 2026: varints file, offset of the block, in it
//               x hash (5) varint block, offset (3, big-endian)                  empty
//               s varint block               its hash (32); h has the reverse
//               B | 0d "best_block_v2"       version (4), and hashes of blocks, the newest first
//               0e "next_block_seq" | 0e "txid_hash_salt"
// A varint has 7 bits per byte, the highest first; one is added to the number after each byte that
// is not the last. Hashes are shown as Bitcoin shows them, last byte first.
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "decode/bitcoin_coins.h"
#include "decode/entry_decoder.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr size_t kHashSize = 32;
constexpr absl::string_view kObfuscationName("\x0e\0obfuscate_key", 15);

void AddHash(absl::string_view bytes, ValueTree* tree) {
  tree->Hex(std::string(bytes.rbegin(), bytes.rend()));
}

// Decodes a count (1 byte, below 253) and that many hashes.
bool Hashes(absl::string_view value, ValueTree* tree) {
  if (value.empty()) return false;
  const auto count = static_cast<unsigned char>(value[0]);
  value.remove_prefix(1);
  if (count >= 253 || value.size() != count * kHashSize) return false;
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  for (; !value.empty(); value.remove_prefix(kHashSize)) {
    AddHash(value.substr(0, kHashSize), tree);
  }
  tree->Close(array);
  return true;
}

// Removes a varint for each name from the front of `*value`; returns false if one is missing.
bool ConsumeVarints(std::initializer_list<const char*> names, absl::string_view* value,
                    ObjectBuilder* object) {
  for (const char* name : names) {
    uint64_t number = 0;
    if (!ConsumeBitcoinVarint(value, &number)) return false;
    object->Add(name, number);
  }
  return true;
}

// Decodes a block's position in the block files, and its header.
bool BlockIndexEntry(absl::string_view value, ValueTree* tree) {
  constexpr uint64_t kHasData = 8, kHasUndo = 16;
  constexpr size_t kHeaderSize = 80;
  ObjectBuilder block(tree);
  uint64_t status = 0;
  if (!ConsumeVarints({"client_version", "height"}, &value, &block) ||
      !ConsumeBitcoinVarint(&value, &status)) {
    return false;
  }
  block.Add("status", status);
  const bool has_data = (status & kHasData) != 0, has_undo = (status & kHasUndo) != 0;
  if (!ConsumeVarints({"transactions"}, &value, &block) ||
      ((has_data || has_undo) && !ConsumeVarints({"file"}, &value, &block)) ||
      (has_data && !ConsumeVarints({"data_offset"}, &value, &block)) ||
      (has_undo && !ConsumeVarints({"undo_offset"}, &value, &block)) ||
      value.size() != kHeaderSize) {
    return false;
  }
  block.Add("version", static_cast<int32_t>(DecodeFixed32(value.data())));
  AddHash(value.substr(4, kHashSize), block.Name("previous"));
  AddHash(value.substr(36, kHashSize), block.Name("merkle_root"));
  const uint32_t time = DecodeFixed32(value.data() + 68);
  block.Add("time", time).Name("date")->Date(1000.0 * time);
  block.Add("bits", DecodeFixed32(value.data() + 72))
      .Add("nonce", DecodeFixed32(value.data() + 76));
  return true;
}

// Decodes a varint for each name; returns false if there are more or fewer bytes.
bool Varints(std::initializer_list<const char*> names, absl::string_view value, ValueTree* tree) {
  ObjectBuilder object(tree);
  return ConsumeVarints(names, &value, &object) && value.empty();
}

bool AddIfHash(absl::string_view value, ValueTree* tree) {
  AddHash(value, tree);
  return value.size() == kHashSize;
}

bool AddNumber(absl::string_view value, ValueTree* tree) {
  if (value.size() != 4) return false;
  tree->Uint(DecodeFixed32(value.data()));
  return true;
}

// Decodes a hash, in the chainstate, or a locator, in an index.
bool BestBlock(absl::string_view value, ValueTree* tree) {
  if (value.size() == kHashSize) return AddIfHash(value, tree);
  uint32_t version = 0;
  if (!ConsumeFixed(&value, &version)) return false;
  ObjectBuilder locator(tree);
  return Hashes(value, locator.Add("version", version).Name("blocks"));
}

bool OneOrZero(absl::string_view value, ValueTree* tree) {
  tree->Bool(value == "1");
  return value == "1" || value == "0";
}

bool ObfuscationKey(absl::string_view value, ValueTree* tree) {
  if (value.size() < 2 || static_cast<unsigned char>(value[0]) != value.size() - 1) return false;
  ObjectBuilder(tree).Name("hex")->Hex(value.substr(1));
  return true;
}

bool BlockFile(absl::string_view value, ValueTree* tree) {
  ObjectBuilder file(tree);
  if (!ConsumeVarints({"blocks", "size", "undo_size", "first_height", "last_height"}, &value,
                      &file)) {
    return false;
  }
  for (const char* const which : {"first", "last"}) {
    uint64_t time = 0;
    if (!ConsumeBitcoinVarint(&value, &time)) return false;
    file.Add(absl::StrCat(which, "_time"), time)
        .Name(absl::StrCat(which, "_date"))
        ->Date(1000.0 * static_cast<double>(time));
  }
  return value.empty();
}

bool Place(absl::string_view value, ValueTree* tree) {
  return Varints({"file", "block_offset", "offset_after_header"}, value, tree);
}

bool Salt(absl::string_view value, ValueTree* tree) {
  if (value.size() != 16) return false;
  ObjectBuilder(tree).Name("hex")->Hex(value);
  return true;
}

bool NoValue(absl::string_view, ValueTree*) { return false; }

// These decode the rest of a key after its prefix.
bool NoField(absl::string_view rest, ObjectBuilder*) { return rest.empty(); }
bool Txid(absl::string_view rest, ObjectBuilder* key) { return AddIfHash(rest, key->Name("txid")); }
bool Hash(absl::string_view rest, ObjectBuilder* key) { return AddIfHash(rest, key->Name("hash")); }
bool File(absl::string_view rest, ObjectBuilder* key) { return AddNumber(rest, key->Name("file")); }

bool Output(absl::string_view rest, ObjectBuilder* key) {
  if (rest.size() <= kHashSize) return false;
  AddHash(rest.substr(0, kHashSize), key->Name("txid"));
  rest.remove_prefix(kHashSize);
  uint64_t output = 0;
  if (!ConsumeBitcoinVarint(&rest, &output) || !rest.empty() || output >> 32 != 0) return false;
  key->Add("output", output);
  return true;
}

bool Flag(absl::string_view rest, ObjectBuilder* key) {
  if (rest.empty() || static_cast<unsigned char>(rest[0]) != rest.size() - 1) return false;
  key->Add("name", rest.substr(1));
  return IsUtf8(rest.substr(1));
}

bool BlockNumber(absl::string_view rest, ObjectBuilder* key) {
  return ConsumeVarints({"block"}, &rest, key) && rest.empty();
}

bool HashedTransaction(absl::string_view rest, ObjectBuilder* key) {
  constexpr size_t kPrefixSize = 5, kOffsetSize = 3;
  if (rest.size() < kPrefixSize) return false;
  key->Name("txid_hash")->Hex(rest.substr(0, kPrefixSize));
  rest.remove_prefix(kPrefixSize);
  if (!ConsumeVarints({"block"}, &rest, key) || rest.size() != kOffsetSize) return false;
  uint64_t offset = 0;
  for (const char byte : rest) offset = offset << 8 | static_cast<unsigned char>(byte);
  key->Add("offset_in_block", offset);
  return true;
}

// How a row's value is stored. Values of the chainstate may be obfuscated. Indexes also have the
// best block's key, but their value, a locator, is never obfuscated.
enum class Stored { kClear, kObfuscated, kCoins, kBestBlock, kObfuscationKey, kEmpty };

struct Row {
  absl::string_view prefix;
  const char* kind;
  bool (*add_fields)(absl::string_view rest, ObjectBuilder* key);
  bool (*add_value)(absl::string_view value, ValueTree* tree);
  Stored stored = Stored::kClear;
};
constexpr Row kRows[] = {
    {"B", "best block", NoField, BestBlock, Stored::kBestBlock},
    {"C", "coin", Output, DecodeCoin, Stored::kCoins},
    {"F", "flag", Flag, OneOrZero},
    {"H", "head blocks", NoField, Hashes, Stored::kObfuscated},
    {"R", "reindexing", NoField, OneOrZero},
    {"b", "block", Hash, BlockIndexEntry},
    {"c", "coins of a transaction", Txid, DecodeOldCoins, Stored::kCoins},
    {"f", "block file", File, BlockFile},
    {"h", "number of a block", Hash, AddNumber},
    {"l", "last block file", NoField, AddNumber},
    {"s", "block of a number", BlockNumber, AddIfHash},
    {"t", "place of a transaction", Txid, Place},
    {"x", "place of a hashed transaction", HashedTransaction, NoValue, Stored::kEmpty},
    {"\x0d"
     "best_block_v2",
     "best block", NoField, BestBlock},
    {"\x0enext_block_seq", "next number of a block", NoField, AddNumber},
    {"\x0etxid_hash_salt", "salt of the hash of txids", NoField, Salt},
    {kObfuscationName, "obfuscation key", NoField, ObfuscationKey, Stored::kObfuscationKey},
};

// Returns null for an unknown key.
const Row* RowOf(absl::string_view key) {
  for (const Row& row : kRows) {
    if (absl::StartsWith(key, row.prefix)) return &row;
  }
  return nullptr;
}

class BitcoinDecoder final : public EntryDecoder {
 public:
  // Other programs' keys may have these forms, so the value must be decodable, too, unless it may
  // be obfuscated.
  bool Recognizes(absl::string_view key, absl::string_view value) const override {
    ValueTree tree;
    if (!DecodeKey(key, &tree)) return false;
    const Row& row = *RowOf(key);
    if (MayBeObfuscated(row, value)) return true;
    return value.empty() ? row.stored == Stored::kEmpty : row.add_value(value, &tree);
  }

  // An obfuscated value decodes as a coin only by accident, about once in 128 times.
  void Learn(std::shared_ptr<const EntrySource> source) override {
    constexpr size_t kExamined = 1000;
    size_t examined = 0;
    source->Visit("", [&](absl::string_view key, absl::string_view value) {
      ValueTree tree;
      const bool is_small = key.size() <= kMaxDecodedKeySize && value.size() <= kMaxDecodedSize;
      if (!value.empty() && is_small && DecodeKey(key, &tree)) {
        const Row& row = *RowOf(key);
        const bool is_decoded = row.add_value(value, &tree);
        if (row.stored == Stored::kObfuscationKey && is_decoded) {
          obfuscation_ = std::string(value.substr(1));
        }
        has_hidden_ |= MayBeObfuscated(row, value);
        if (row.stored == Stored::kCoins) {
          ++coins_;
          if (is_decoded) ++clear_coins_;
        }
      }
      return ++examined < kExamined;
    });
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

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    const Row* const row = RowOf(key);
    if (row == nullptr) return false;
    ObjectBuilder object(tree);
    return row->add_fields(key.substr(row->prefix.size()), &object.Add("kind", row->kind));
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    const Row& row = *RowOf(key);
    if (row.stored == Stored::kObfuscationKey) return ObfuscationKey(value, tree);
    if (MayBeObfuscated(row, value) && !knows_obfuscation()) return false;
    return row.add_value(Reveal(value), tree);
  }

 private:
  static bool MayBeObfuscated(const Row& row, absl::string_view value) {
    if (row.stored == Stored::kBestBlock) return value.size() == kHashSize;
    return row.stored == Stored::kObfuscated || row.stored == Stored::kCoins;
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

  std::string obfuscation_;   // empty: none, or not known
  bool has_hidden_ = false;   // a value that may be obfuscated was examined
  uint64_t coins_ = 0;        // coins examined
  uint64_t clear_coins_ = 0;  // coins that decode as stored
};

}  // namespace

std::unique_ptr<EntryDecoder> NewBitcoinDecoder() { return std::make_unique<BitcoinDecoder>(); }

}  // namespace sstable
