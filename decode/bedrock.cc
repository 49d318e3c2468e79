// Worlds of Minecraft's Bedrock edition, after the Minecraft Wiki's "Bedrock Edition level format"
// and Microsoft's documentation of its actor storage. Keys:
//   x (4) | z (4) | dimension (4; not in the overworld) | tag (1) | subchunk (1; only tag 47)
//   "digp" | x | z | dimension, as above          actors of a chunk
//   "actorprefix" | unique id (8)                 one of them
//   text                                          the others
// All numbers are signed and little-endian, except tag and unique id.
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "decode/entry_decoder.h"
#include "decode/text.h"
#include "util/coding.h"

namespace sstable {
namespace {

constexpr uint8_t kSubchunkTag = 47;

// Null: not documented.
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

// Decodes the position of a chunk, 8 or 12 bytes. Null if there can't be a chunk, as with most
// text: blocks have 32-bit coordinates, and a chunk spans 16 of them.
DecodedJson Place(const char* kind, absl::string_view bytes) {
  constexpr int32_t kMaxChunk = 1 << 27;
  constexpr const char* kDimensions[] = {"overworld", "nether", "end"};
  const int32_t x = SignedAt(bytes, 0), z = SignedAt(bytes, 4);
  const int32_t dimension = bytes.size() == 12 ? SignedAt(bytes, 8) : 0;
  if (x < -kMaxChunk || x >= kMaxChunk || z < -kMaxChunk || z >= kMaxChunk || dimension < 0 ||
      dimension > 2) {
    return {};
  }
  return {{"kind", kind}, {"x", x}, {"z", z}, {"dimension", kDimensions[dimension]}};
}

DecodedJson DecodeChunkKey(absl::string_view key) {
  const bool has_dimension = key.size() >= 13;
  const size_t place_size = has_dimension ? 12 : 8;
  if (key.size() != place_size + 1 && key.size() != place_size + 2) return {};
  const auto tag = static_cast<uint8_t>(key[place_size]);
  const char* const name = TagName(tag);
  const bool has_subchunk = key.size() == place_size + 2;
  if (name == nullptr || has_subchunk != (tag == kSubchunkTag)) return {};
  DecodedJson json = Place("chunk", key.substr(0, place_size));
  if (json.is_null()) return {};
  json["tag"] = tag;
  json["tag_name"] = name;
  if (has_subchunk) json["subchunk"] = static_cast<int8_t>(key.back());
  return json;
}

// True for text keys whose meaning is documented.
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

class BedrockDecoder final : public EntryDecoder {
 public:
  absl::string_view format() const override { return "Minecraft Bedrock"; }

  DecodedEntry Decode(absl::string_view key, absl::string_view value) const override {
    if (IsKnownText(key)) return {{{"kind", "named"}, {"name", std::string(key)}}, {}};
    if (absl::ConsumePrefix(&key, "actorprefix")) {
      if (key.size() != 8) return {};
      return {{{"kind", "actor"}, {"unique_id_hex", HexOf(key)}}, {}};
    }
    if (absl::ConsumePrefix(&key, "digp")) {
      if (key.size() != 8 && key.size() != 12) return {};
      return {Place("actors of chunk", key), ActorIds(value)};
    }
    DecodedJson json = DecodeChunkKey(key);
    const bool is_version = !json.is_null() && (json["tag"] == 44 || json["tag"] == 118);
    DecodedJson version;
    if (is_version && value.size() == 1) version = static_cast<uint8_t>(value[0]);
    return {std::move(json), std::move(version)};
  }

 private:
  static DecodedJson ActorIds(absl::string_view value) {
    if (value.empty() || value.size() % 8 != 0) return {};
    DecodedJson ids = DecodedJson::array();
    for (; !value.empty(); value.remove_prefix(8)) ids.push_back(HexOf(value.substr(0, 8)));
    return ids;
  }
};

}  // namespace

std::unique_ptr<EntryDecoder> NewBedrockDecoder() { return std::make_unique<BedrockDecoder>(); }

}  // namespace sstable
