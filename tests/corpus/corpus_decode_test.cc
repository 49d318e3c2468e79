// Decodes the corpus' real files as `--decode` does.
#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "tests/corpus/corpus.h"
#include "tests/corpus/corpus_table_test.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

// Returns an empty string if no format applies.
std::string FormatOf(absl::string_view name) {
  if (absl::StartsWith(name, "chromium/indexeddb")) return "Chromium's IndexedDB";
  if (absl::StrContains(name, "localstorage")) return "Chromium's Local Storage";
  if (absl::StrContains(name, "sessionstorage")) return "Chromium's Session Storage";
  if (absl::StartsWith(name, "minecraft-bedrock/")) return "Minecraft Bedrock";
  if (name == "classic-level/default-json.ldb") return "text with values in JSON";
  if (name == "tensorflow/variables.index") return "an index of a checkpoint of TensorFlow";
  return "";
}

class CorpusDecodeTest : public CorpusTableTest {};

TEST_P(CorpusDecodeTest, FormatsAreFoundByThemselves) {
  const ChosenDecoder chosen = ChooseDecoder(DecodedProgram::kAuto, NewTableSource(table_.get()));
  const std::string expected = FormatOf(file().name);
  EXPECT_EQ(chosen.decoder == nullptr ? "" : std::string(chosen.decoder->format()), expected)
      << chosen.known << " of " << chosen.examined;
}

// Tests both keys and values.
TEST_P(CorpusDecodeTest, EveryEntryOfChromiumsIsDecoded) {
  if (!absl::StartsWith(file().name, "chromium/")) return;
  const ChosenDecoder chosen =
      ChooseDecoder(DecodedProgram::kChromium, NewTableSource(table_.get()));
  ASSERT_NE(chosen.decoder, nullptr);
  size_t decoded_count = 0, undecoded_values = 0;
  const auto it = table_->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const DecodedEntry decoded =
        chosen.decoder->Decode(KeyOrderOf(*table_).UserKey(it->key()), it->value());
    if (!decoded.key.empty()) ++decoded_count;
    const bool is_undecoded =
        decoded.value.empty() || absl::StrContains(decoded.value.Json(), "\"$undecoded\"");
    if (!it->value().empty() && is_undecoded) ++undecoded_values;
  }
  EXPECT_EQ(decoded_count, facts().at("n_entries"));
  EXPECT_EQ(undecoded_values, 0u);
}

// Chromium writes a record's version twice: as a varint before the record, and as the value of its
// "exists" entry.
TEST_P(CorpusDecodeTest, VersionsOfIndexedDbAreThoseOfTheirRecords) {
  if (!absl::StartsWith(file().name, "chromium/indexeddb")) return;
  const ChosenDecoder chosen =
      ChooseDecoder(DecodedProgram::kChromium, NewTableSource(table_.get()));
  ASSERT_NE(chosen.decoder, nullptr);
  std::map<std::string, uint64_t> versions;  // the newest version, by database, store and key
  size_t compared = 0;
  const auto it = table_->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (it->value().empty()) continue;
    const DecodedEntry decoded =
        chosen.decoder->Decode(KeyOrderOf(*table_).UserKey(it->key()), it->value());
    nlohmann::json key = nlohmann::json::parse(decoded.key.Json());
    const std::string kind = key.at("kind");
    key.erase("kind");
    if (kind == "record") {
      absl::string_view value = it->value();
      uint64_t version = 0;
      ASSERT_TRUE(ConsumeVarint64(&value, &version));
      versions.emplace(key.dump(), version);
    } else if (kind == "exists") {
      ASSERT_FALSE(decoded.value.empty()) << key;
      const auto record = versions.find(key.dump());
      if (record == versions.end()) continue;
      EXPECT_EQ(nlohmann::json::parse(decoded.value.Json()).at("version"), record->second) << key;
      versions.erase(record);
      ++compared;
    }
  }
  EXPECT_EQ(compared, absl::StrContains(file().name, "000300")   ? 1280
                      : absl::StrContains(file().name, "000312") ? 49
                                                                 : 0);
}

// Four kinds of chunk data are not documented, such as "CheckSums".
TEST_P(CorpusDecodeTest, ValuesOfBedrockAreDecodedButForFourKinds) {
  if (!absl::StartsWith(file().name, "minecraft-bedrock/")) return;
  const ChosenDecoder chosen =
      ChooseDecoder(DecodedProgram::kBedrock, NewTableSource(table_.get()));
  ASSERT_NE(chosen.decoder, nullptr);
  const auto it = table_->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const DecodedEntry decoded =
        chosen.decoder->Decode(KeyOrderOf(*table_).UserKey(it->key()), it->value());
    if (it->value().empty() || !decoded.value.empty()) continue;
    const std::string tag = nlohmann::json::parse(decoded.key.Json()).value("tag_name", "");
    EXPECT_TRUE(tag == "BiomeState" || tag == "CheckSums" || tag == "BlendingData" ||
                tag == "GeneratedPreCavesAndCliffsBlending")
        << decoded.key.Json();
  }
}

INSTANTIATE_FOR_READABLE_FILES(CorpusDecodeTest);

}  // namespace
}  // namespace sstable::test
