// Runs `--decode` on the corpus' real files.
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

// Empty if no format applies.
std::string FormatOf(absl::string_view name) {
  if (absl::StartsWith(name, "chromium/indexeddb")) return "Chromium's IndexedDB";
  if (absl::StrContains(name, "localstorage")) return "Chromium's Local Storage";
  if (absl::StrContains(name, "sessionstorage")) return "Chromium's Session Storage";
  if (absl::StartsWith(name, "minecraft-bedrock/")) return "Minecraft Bedrock";
  return "";
}

class CorpusDecodeTest : public CorpusTableTest {};

TEST_P(CorpusDecodeTest, FormatsAreFoundByThemselves) {
  const ChosenDecoder chosen = ChooseDecoder(DecodedProgram::kAuto, *table_);
  const std::string expected = FormatOf(file().name);
  EXPECT_EQ(chosen.decoder == nullptr ? "" : std::string(chosen.decoder->format()), expected)
      << chosen.known << " of " << chosen.examined;
}

// Every key of Chromium's is documented.
TEST_P(CorpusDecodeTest, EveryKeyOfChromiumsIsDecoded) {
  if (!absl::StartsWith(file().name, "chromium/")) return;
  const ChosenDecoder chosen = ChooseDecoder(DecodedProgram::kChromium, *table_);
  ASSERT_NE(chosen.decoder, nullptr);
  size_t decoded_count = 0;
  const auto it = table_->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const DecodedEntry decoded =
        chosen.decoder->Decode(KeyOrderOf(*table_).UserKey(it->key()), it->value());
    if (!decoded.key.is_null()) ++decoded_count;
  }
  EXPECT_EQ(decoded_count, facts().at("n_entries"));
}

// Chromium writes a record's version twice, in two forms: as a varint before the record, and as the
// value of its "exists" entry.
TEST_P(CorpusDecodeTest, VersionsOfIndexedDbAreThoseOfTheirRecords) {
  if (!absl::StartsWith(file().name, "chromium/indexeddb")) return;
  const ChosenDecoder chosen = ChooseDecoder(DecodedProgram::kChromium, *table_);
  ASSERT_NE(chosen.decoder, nullptr);
  std::map<std::string, uint64_t> versions;  // by database, store and key; the newest
  size_t compared = 0;
  const auto it = table_->NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    if (it->value().empty()) continue;
    DecodedEntry decoded =
        chosen.decoder->Decode(KeyOrderOf(*table_).UserKey(it->key()), it->value());
    const std::string kind = decoded.key.at("kind");
    decoded.key.erase("kind");
    if (kind == "record") {
      absl::string_view value = it->value();
      uint64_t version = 0;
      ASSERT_TRUE(ConsumeVarint64(&value, &version));
      versions.emplace(decoded.key.dump(), version);
    } else if (kind == "exists") {
      ASSERT_FALSE(decoded.value.is_null()) << decoded.key;
      const auto record = versions.find(decoded.key.dump());
      if (record == versions.end()) continue;
      EXPECT_EQ(decoded.value.at("version"), record->second) << decoded.key;
      versions.erase(record);
      ++compared;
    }
  }
  EXPECT_EQ(compared, absl::StrContains(file().name, "000300")   ? 1280
                      : absl::StrContains(file().name, "000312") ? 49
                                                                 : 0);
}

INSTANTIATE_FOR_READABLE_FILES(CorpusDecodeTest);

}  // namespace
}  // namespace sstable::test
