#include "tools/bulk/built_table.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "report/text/text_encoding.h"
#include "sstable/internal_key.h"
#include "util/portable_json.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

absl::Status NoField(absl::string_view kind, absl::string_view field) {
  return absl::InvalidArgumentError(absl::StrCat("there is no ", kind, " \"", field, "\""));
}

absl::StatusOr<uint64_t> NumberIn(const Json& json, absl::string_view field, uint64_t min,
                                  uint64_t max) {
  const auto it = json.find(std::string(field));
  if (it == json.end()) return NoField("number", field);
  uint64_t number = 0;
  const bool is_text = it->is_string();
  if (!absl::SimpleAtoi(is_text ? it->get<std::string>() : it->dump(), &number) ||
      (is_text && it->dump() != PortableNumber(number))) {
    return NoField("number", field);
  }
  if (number < min || number > max) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " is ", number, ", expected ", min, " to ", max));
  }
  return number;
}

absl::StatusOr<std::string> TextIn(const Json& json, absl::string_view field) {
  const auto it = json.find(std::string(field));
  if (it == json.end() || !it->is_string()) return NoField("text", field);
  return it->get<std::string>();
}

// Parses the fields that SetInternalKey() writes.
absl::StatusOr<std::string> InternalKeyIn(const Json& json, absl::string_view name) {
  std::string user_key;
  if (const std::string hex = absl::StrCat(name, "_hex"); json.contains(hex)) {
    ASSIGN_OR_RETURN(const std::string digits, TextIn(json, hex));
    absl::StatusOr<std::string> bytes = Decode(TextEncoding::kHex, digits);
    if (!bytes.ok()) return AtPlace(hex, bytes.status());
    user_key = *std::move(bytes);
  } else {
    ASSIGN_OR_RETURN(user_key, TextIn(json, name));
  }
  ASSIGN_OR_RETURN(const uint64_t sequence,
                   NumberIn(json, absl::StrCat(name, "_sequence"), 0, kMaxSequence));
  const std::string type_field = absl::StrCat(name, "_type");
  ASSIGN_OR_RETURN(const std::string type, TextIn(json, type_field));
  if (type != "value" && type != "deletion") {
    return absl::InvalidArgumentError(
        absl::StrCat(type_field, " is neither \"value\" nor \"deletion\""));
  }
  return MakeInternalKey(user_key, sequence,
                         type == "value" ? ValueType::kValue : ValueType::kDeletion);
}

}  // namespace

void BuiltTable::Add(absl::string_view internal_key) {
  if (entry_count++ == 0) file.smallest.assign(internal_key.data(), internal_key.size());
  file.largest.assign(internal_key.data(), internal_key.size());
  last_sequence = std::max(last_sequence, ExtractTag(internal_key) >> 8);
}

Json BuiltTableJson(const BuiltTable& table) {
  Json json = {{"number", table.file.number},
               {"comparator", table.comparator},
               {"entries", table.entry_count}};
  if (table.entry_count == 0) return json;
  json["size"] = table.file.size;
  SetInternalKey("smallest", table.file.smallest, &json);
  SetInternalKey("largest", table.file.largest, &json);
  json["last_sequence"] = table.last_sequence;
  if (table.has_more) json["more"] = true;
  return json;
}

absl::StatusOr<BuiltTable> ParseBuiltTable(absl::string_view line) {
  const Json json = Json::parse(line.begin(), line.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return absl::InvalidArgumentError("line is not a JSON object");
  BuiltTable table;
  ASSIGN_OR_RETURN(table.file.number, NumberIn(json, "number", 1, kMaxTableNumber));
  ASSIGN_OR_RETURN(table.comparator, TextIn(json, "comparator"));
  ASSIGN_OR_RETURN(table.entry_count, NumberIn(json, "entries", 0, UINT64_MAX));
  if (table.entry_count == 0) return table;
  ASSIGN_OR_RETURN(table.file.size, NumberIn(json, "size", 0, UINT64_MAX));
  ASSIGN_OR_RETURN(table.file.smallest, InternalKeyIn(json, "smallest"));
  ASSIGN_OR_RETURN(table.file.largest, InternalKeyIn(json, "largest"));
  const uint64_t least_sequence =
      std::max(ExtractTag(table.file.smallest), ExtractTag(table.file.largest)) >> 8;
  ASSIGN_OR_RETURN(table.last_sequence,
                   NumberIn(json, "last_sequence", least_sequence, kMaxSequence));
  table.has_more = json.value("more", Json(false)) == Json(true);
  return table;
}

}  // namespace sstable::tools
