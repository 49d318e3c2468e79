// Worlds of Minecraft's Bedrock edition. Sources: the Minecraft Wiki's "Bedrock Edition level
// format" and Microsoft's documentation of its actor storage. Keys:
//   x (4) | z (4) | dimension (4; not in the overworld) | tag (1) | subchunk (1; only tag 47)
//   "digp" | x | z | dimension, as above          actors of a chunk
//   "actorprefix" | unique id (8)                 an actor
//   text                                          anything else
// All numbers are signed and little-endian, except the tag and the unique id.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/nbt.h"
#include "util/coding.h"
#include "util/escape.h"

namespace sstable {
namespace {

constexpr uint8_t kSubchunkTag = 47;

// Returns null for a tag that is not documented.
const char* TagName(uint8_t tag) {
  switch (tag) {
    case 43:
      return "Data3D";
    case 44:
      return "Version";
    case 45:
      return "Data2D";
    case 46:
      return "Data2DLegacy";
    case kSubchunkTag:
      return "SubChunkPrefix";
    case 48:
      return "LegacyTerrain";
    case 49:
      return "BlockEntity";
    case 50:
      return "Entity";
    case 51:
      return "PendingTicks";
    case 52:
      return "LegacyBlockExtraData";
    case 53:
      return "BiomeState";
    case 54:
      return "FinalizedState";
    case 55:
      return "ConversionData";
    case 56:
      return "BorderBlocks";
    case 57:
      return "HardcodedSpawners";
    case 58:
      return "RandomTicks";
    case 59:
      return "CheckSums";
    case 60:
      return "GenerationSeed";
    case 61:
      return "GeneratedPreCavesAndCliffsBlending";
    case 62:
      return "BlendingBiomeHeight";
    case 63:
      return "MetaDataHash";
    case 64:
      return "BlendingData";
    case 65:
      return "ActorDigestVersion";
    case 118:
      return "LegacyVersion";
  }
  return nullptr;
}

int32_t SignedAt(absl::string_view bytes, size_t offset) {
  return static_cast<int32_t>(DecodeFixed32(bytes.data() + offset));
}

// Adds a chunk's position (8 or 12 bytes). Returns false if it is out of range, as most text is:
// blocks have 32-bit coordinates, and a chunk spans 16 of them.
bool AddPlace(absl::string_view bytes, ObjectBuilder* object) {
  constexpr int32_t kMaxChunk = 1 << 27;
  constexpr const char* kDimensions[] = {"overworld", "nether", "end"};
  const int32_t x = SignedAt(bytes, 0), z = SignedAt(bytes, 4);
  const int32_t dimension = bytes.size() == 12 ? SignedAt(bytes, 8) : 0;
  if (x < -kMaxChunk || x >= kMaxChunk || z < -kMaxChunk || z >= kMaxChunk || dimension < 0 ||
      dimension > 2) {
    return false;
  }
  object->Add("x", x).Add("z", z).Add("dimension", kDimensions[dimension]);
  return true;
}

// Returns the offset of the tag in the key of a chunk's part; 0 for any other key.
size_t TagOffset(absl::string_view key) {
  const size_t offset = key.size() >= 13 ? 12 : 8;
  if (key.size() != offset + 1 && key.size() != offset + 2) return 0;
  const auto tag = static_cast<uint8_t>(key[offset]);
  const bool has_subchunk = key.size() == offset + 2;
  return TagName(tag) != nullptr && has_subchunk == (tag == kSubchunkTag) ? offset : 0;
}

// Returns true for text keys whose meaning is documented.
bool IsKnownText(absl::string_view key) {
  for (const char* known :
       {"~local_player", "AutonomousEntities", "BiomeData", "LevelChunkMetaDataDictionary",
        "Nether", "Overworld", "TheEnd", "game_flatworldlayers", "mobevents", "mVillages",
        "portals", "schedulerWT", "scoreboard"}) {
    if (key == known) return true;
  }
  for (const char* prefix : {"map_", "player_", "structuretemplate_", "tickingarea_", "VILLAGE_"}) {
    if (absl::StartsWith(key, prefix)) return true;
  }
  return false;
}

// Decodes consecutive NBT values.
bool NbtList(absl::string_view value, ValueTree* tree) {
  const size_t list = tree->Open(ValueTree::Kind::kArray);
  while (!value.empty()) {
    if (!ConsumeNbt(&value, tree)) return false;
  }
  tree->Close(list);
  return true;
}

bool ActorIds(absl::string_view value, ValueTree* tree) {
  if (value.size() % 8 != 0) return false;
  const size_t ids = tree->Open(ValueTree::Kind::kArray);
  for (; !value.empty(); value.remove_prefix(8)) tree->Hex(value.substr(0, 8));
  tree->Close(ids);
  return true;
}

// Decodes a count, then that many pairs of a hash and NBT. Tag 63 refers to these hashes.
bool Dictionary(absl::string_view value, ValueTree* tree) {
  constexpr size_t kHashSize = 8;
  uint32_t count = 0;
  if (!ConsumeFixed(&value, &count)) return false;
  const size_t entries = tree->Open(ValueTree::Kind::kObject);
  for (; count > 0; --count) {
    if (value.size() < kHashSize) return false;
    tree->Hex(value.substr(0, kHashSize));
    value.remove_prefix(kHashSize);
    if (!ConsumeNbt(&value, tree)) return false;
  }
  tree->Close(entries);
  return value.empty() && !tree->HasRepeatedName(entries);
}

template <typename T>
bool WholeNumber(absl::string_view value, ValueTree* tree) {
  T number;
  if (!ConsumeFixed(&value, &number) || !value.empty()) return false;
  tree->Int(number);
  return true;
}

template <typename T>
bool ConsumeNumbers(size_t count, absl::string_view* value, ValueTree* tree) {
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  for (; count > 0; --count) {
    T number;
    if (!ConsumeFixed(value, &number)) return false;
    tree->Int(number);
  }
  tree->Close(array);
  return true;
}

// Removes a storage, 4,096 indices into a palette, from the front of `*value`:
//   header (1)   bits per index << 1, plus 1 if the palette has ids of the running game, not names
//   indices      in 32-bit words, the lowest bits first; none if there are 0 bits per index
//   size (4)     number of palette entries; with 0 bits per index, absent and taken to be 1
//   palette      NBT; numbers if it has ids of the running game, or with `has_ids`
// Adds the bits per index and, for each entry of the palette, how often it occurs.
bool ConsumeStorage(bool has_ids, absl::string_view* value, ValueTree* tree) {
  constexpr size_t kIndices = 4096, kWordBits = 32, kMaxBits = 16;
  uint8_t header = 0;
  if (!ConsumeFixed(value, &header)) return false;
  const size_t bits = header >> 1;
  if (bits > kMaxBits) return false;
  const size_t per_word = bits == 0 ? kIndices : kWordBits / bits;
  const size_t words = bits == 0 ? 0 : (kIndices + per_word - 1) / per_word;
  if (words * sizeof(uint32_t) > value->size()) return false;
  std::vector<uint32_t> counts(size_t{1} << bits);
  if (bits == 0) counts[0] = kIndices;
  for (size_t i = 0; i < kIndices && bits > 0; ++i) {
    const uint32_t word = DecodeFixed32(value->data() + i / per_word * sizeof(uint32_t));
    ++counts[(word >> (i % per_word * bits)) & (counts.size() - 1)];
  }
  value->remove_prefix(words * sizeof(uint32_t));
  int32_t size = 1;
  if (bits > 0 && (!ConsumeFixed(value, &size) || size < 0)) return false;
  ObjectBuilder storage(tree);
  storage.Add("bits", bits).Add("runtime_ids", (header & 1) != 0).Name("palette");
  const size_t palette = tree->Open(ValueTree::Kind::kArray);
  for (size_t i = 0; i < static_cast<size_t>(size); ++i) {
    ObjectBuilder entry(tree);
    entry.Add("count", i < counts.size() ? counts[i] : 0);
    int32_t id = 0;
    if (!has_ids && (header & 1) == 0) {
      if (!ConsumeNbt(value, entry.Name("block"))) return false;
    } else if (ConsumeFixed(value, &id)) {
      entry.Add("id", id);
    } else {
      return false;
    }
  }
  tree->Close(palette);
  return true;
}

// Decodes the blocks of a subchunk. Versions 1, 8 and 9 have storages. Other versions have an id
// (1) for each block, then further data; the blocks are counted by id.
bool Subchunk(absl::string_view value, ValueTree* tree) {
  constexpr size_t kBlocks = 4096;
  uint8_t version = 0, storages = 1;
  int8_t y = 0;
  if (!ConsumeFixed(&value, &version)) return false;
  ObjectBuilder subchunk(tree);
  subchunk.Add("version", version);
  if (version == 0 || (version >= 2 && version <= 7)) {
    if (value.size() < kBlocks) return false;
    uint32_t counts[256] = {};
    for (size_t i = 0; i < kBlocks; ++i) ++counts[static_cast<uint8_t>(value[i])];
    ObjectBuilder blocks(subchunk.Name("blocks_of_ids"));
    for (size_t id = 0; id < std::size(counts); ++id) {
      if (counts[id] > 0) blocks.Add(absl::StrCat(id), counts[id]);
    }
    return true;
  }
  if (version != 1 && version != 8 && version != 9) return false;
  if (version >= 8 && !ConsumeFixed(&value, &storages)) return false;
  if (version == 9) {
    if (!ConsumeFixed(&value, &y)) return false;
    subchunk.Add("y", y);
  }
  subchunk.Name("storages");
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  for (; storages > 0; --storages) {
    if (!ConsumeStorage(/*has_ids=*/false, &value, tree)) return false;
  }
  tree->Close(array);
  return value.empty();
}

// Decodes heights, then a storage of biomes for each subchunk from the bottom up. A byte FF means
// the same biomes as in the subchunk below.
bool Biomes(absl::string_view value, ValueTree* tree) {
  ObjectBuilder data(tree);
  data.Name("heights");
  if (!ConsumeNumbers<uint16_t>(256, &value, tree)) return false;
  data.Name("biomes");
  const size_t array = tree->Open(ValueTree::Kind::kArray);
  while (!value.empty()) {
    if (absl::ConsumePrefix(&value, "\xff")) {
      tree->Null();
    } else if (!ConsumeStorage(/*has_ids=*/true, &value, tree)) {
      return false;
    }
  }
  tree->Close(array);
  return true;
}

bool HeightsAndBiomes(absl::string_view value, ValueTree* tree) {
  ObjectBuilder data(tree);
  data.Name("heights");
  if (!ConsumeNumbers<uint16_t>(256, &value, tree)) return false;
  data.Name("biomes");
  return ConsumeNumbers<uint8_t>(256, &value, tree) && value.empty();
}

bool DecodeChunkPart(uint8_t tag, absl::string_view value, ValueTree* tree) {
  switch (tag) {
    case 43:
      return Biomes(value, tree);
    case 44:
    case 118:
      return WholeNumber<uint8_t>(value, tree);
    case 45:
      return HeightsAndBiomes(value, tree);
    case kSubchunkTag:
      return Subchunk(value, tree);
    case 49:
    case 50:
    case 51:
    case 58:
      return NbtList(value, tree);
    case 54:
      return WholeNumber<int32_t>(value, tree);
    case 63:
      tree->Hex(value);
      return value.size() == 8;
    case 65:
      return WholeNumber<uint8_t>(value, tree) || WholeNumber<int32_t>(value, tree);
  }
  return false;
}

class BedrockDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Minecraft Bedrock"; }

 protected:
  bool DecodeKey(absl::string_view key, ValueTree* tree) const override {
    ObjectBuilder object(tree);
    if (IsKnownText(key)) {
      object.Add("kind", "named").Add("name", key);
      return IsUtf8(key);
    }
    if (absl::ConsumePrefix(&key, "actorprefix")) {
      object.Add("kind", "actor").Name("unique_id_hex")->Hex(key);
      return key.size() == 8;
    }
    if (absl::ConsumePrefix(&key, "digp")) {
      object.Add("kind", "actors of chunk");
      return (key.size() == 8 || key.size() == 12) && AddPlace(key, &object);
    }
    const size_t offset = TagOffset(key);
    object.Add("kind", "chunk");
    if (offset == 0 || !AddPlace(key.substr(0, offset), &object)) return false;
    const auto tag = static_cast<uint8_t>(key[offset]);
    object.Add("tag", tag).Add("tag_name", TagName(tag));
    if (tag == kSubchunkTag) object.Add("subchunk", static_cast<int8_t>(key.back()));
    return true;
  }

  bool DecodeValue(absl::string_view key, absl::string_view value, ValueTree* tree) const override {
    if (absl::StartsWith(key, "digp")) return ActorIds(value, tree);
    if (key == "LevelChunkMetaDataDictionary") return Dictionary(value, tree);
    if (IsKnownText(key) || absl::StartsWith(key, "actorprefix")) {
      const absl::string_view all = value;
      if (ConsumeNbt(&value, tree) && value.empty()) return true;
      tree->Truncate(0);
      return NbtList(all, tree);
    }
    return DecodeChunkPart(static_cast<uint8_t>(key[TagOffset(key)]), value, tree);
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewBedrockDecoder() { return std::make_unique<BedrockDecoder>(); }

}  // namespace sstable
