#include "tools/records/record_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "sstable/internal_key.h"
#include "tools/cli/command_line.h"
#include "tools/records/csv.h"
#include "util/portable_json.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

absl::StatusOr<ValueType> ParseType(absl::string_view text) {
  if (text == "value") return ValueType::kValue;
  if (text == "deletion") return ValueType::kDeletion;
  return absl::InvalidArgumentError(
      absl::StrCat("type is \"", absl::CHexEscape(text), "\", expected \"value\" or \"deletion\""));
}

absl::StatusOr<uint64_t> ParseSequence(absl::string_view text) {
  const absl::StatusOr<uint64_t> sequence = ParseNumber(text, {0, kMaxSequence});
  if (!sequence.ok()) return AtPlace("sequence", sequence.status());
  return *sequence;
}

// `*bytes` is a view into `text` or `*buffer`.
absl::Status DecodeColumn(absl::string_view name, TextEncoding encoding, absl::string_view text,
                          std::string* buffer, absl::string_view* bytes) {
  const absl::StatusOr<absl::string_view> decoded = Decode(encoding, text, buffer);
  if (!decoded.ok()) return AtPlace(name, decoded.status());
  *bytes = *decoded;
  return absl::OkStatus();
}

absl::Status WrongColumnCount(absl::string_view line, KeyKind kind) {
  const auto count = 1 + std::count(line.begin(), line.end(), '\t');
  if (count == 1) {
    return absl::InvalidArgumentError(
        "there is no TAB after the key; other formats are --format csv and --format jsonl");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "line has ", count, " columns, expected ",
      kind == KeyKind::kInternal ? "4 (key, sequence, type, value; see --keys)"
                                 : "2 (key, value); a TAB inside of a value is \\t, and 4 columns "
                                   "of internal keys need --keys internal"));
}

// The fields of a JSON object found so far.
struct JsonFields {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::optional<uint64_t> sequence;
  std::optional<ValueType> type;
};

// Returns the text of the value of the last member `name` of a JSON object that is known to be
// valid.
absl::string_view MemberText(absl::string_view object, const std::string& name) {
  size_t at = object.find('{') + 1;
  absl::string_view found;
  for (;;) {
    at = object.find_first_of("\"}", at);
    if (object[at] == '}') return found;
    const size_t size = JsonStringSize(object.substr(at));
    const bool is_found = nlohmann::json::parse(object.substr(at, size)) == name;
    at = object.find(':', at + size) + 1;
    const size_t value = at;
    for (size_t depth = 0; depth > 0 || (object[at] != ',' && object[at] != '}');) {
      const char c = object[at];
      if (c == '"') {
        at += JsonStringSize(object.substr(at));
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at;
    }
    if (is_found) found = absl::StripAsciiWhitespace(object.substr(value, at - value));
  }
}

// Stores "key", "key_hex" and so on in `*bytes`. Returns false if `field` is not a form of `name`.
absl::StatusOr<bool> TakeBytes(absl::string_view name, absl::string_view field,
                               const nlohmann::json& json, absl::string_view line,
                               std::optional<std::string>* bytes) {
  absl::string_view suffix = field;
  if (!absl::ConsumePrefix(&suffix, name)) return false;
  std::optional<TextEncoding> encoding;
  if (suffix == "_escaped") encoding = TextEncoding::kEscaped;
  if (suffix == "_hex") encoding = TextEncoding::kHex;
  if (suffix == "_base64") encoding = TextEncoding::kBase64;
  if (!encoding.has_value() && !suffix.empty()) return false;
  if (bytes->has_value()) {
    return absl::InvalidArgumentError(absl::StrCat("there is more than one ", name));
  }
  // The text of a number may have digits that a double would lose.
  if (field == "value" && !json.is_string() && !json.is_null()) {
    *bytes = std::string(MemberText(line, "value"));
    return true;
  }
  if (!json.is_string()) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " is a JSON ", json.type_name(), ", expected a string"));
  }
  const std::string& text = json.get_ref<const std::string&>();
  if (!encoding.has_value()) {
    *bytes = text;
    return true;
  }
  absl::StatusOr<std::string> decoded = Decode(*encoding, text);
  if (!decoded.ok()) return AtPlace(field, decoded.status());
  *bytes = *std::move(decoded);
  return true;
}

absl::Status TakeField(const std::string& field, const nlohmann::json& json, absl::string_view line,
                       KeyKind kind, JsonFields* fields) {
  ASSIGN_OR_RETURN(bool taken, TakeBytes("key", field, json, line, &fields->key));
  if (taken) return absl::OkStatus();
  ASSIGN_OR_RETURN(taken, TakeBytes("value", field, json, line, &fields->value));
  if (taken) return absl::OkStatus();
  if (field == "file" || field == "offset" || field == "live") return absl::OkStatus();
  // Added by `sst dump --decode`; the bytes are in the other fields.
  if (field == "decoded_key" || field == "decoded_value") return absl::OkStatus();
  if (field != "sequence" && field != "type") {
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown field \"", absl::CHexEscape(field),
        "\"; expected key and value (also with _escaped, _hex or _base64 appended), and for "
        "internal keys sequence and type"));
  }
  if (kind == KeyKind::kPlain) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is a ", field, ", as internal keys have; they need --keys internal"));
  }
  if (json.is_structured()) {  // printing it could overflow the stack
    return absl::InvalidArgumentError(absl::StrCat(field, " is a JSON ", json.type_name(),
                                                   ", expected a ",
                                                   field == "type" ? "string" : "number"));
  }
  if (field == "type") {
    ASSIGN_OR_RETURN(fields->type,
                     ParseType(json.is_string() ? json.get<std::string>() : json.dump()));
    return absl::OkStatus();
  }
  // A sequence above 2^53 is in a string.
  ASSIGN_OR_RETURN(fields->sequence,
                   ParseSequence(json.is_string() ? json.get<std::string>() : json.dump()));
  return absl::OkStatus();
}

// nlohmann's message, without the parts about the library itself.
absl::Status NotJson(const nlohmann::json::exception& error) {
  absl::string_view message = error.what();
  for (const absl::string_view before : {"] ", "line 1, "}) {
    const size_t start = message.find(before);
    if (start != message.npos) message.remove_prefix(start + before.size());
  }
  return absl::InvalidArgumentError(absl::StrCat("not JSON: ", message));
}

absl::StatusOr<JsonFields> ParseFields(absl::string_view line, KeyKind kind) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(line.begin(), line.end());
  } catch (const nlohmann::json::exception& error) {  // a number too large is not a parse_error
    return NotJson(error);
  }
  if (!json.is_object()) {
    return absl::InvalidArgumentError(
        absl::StrCat("line is a JSON ", json.type_name(), ", expected an object"));
  }
  JsonFields fields;
  for (const auto& [field, value] : json.items()) {
    RETURN_IF_ERROR(TakeField(field, value, line, kind, &fields));
  }
  return fields;
}

}  // namespace

absl::Status RecordParser::Parse(absl::string_view line, Record* record) {
  if (options_.format == RecordFormat::kJsonl) return ParseJson(line, record);
  if (options_.format == RecordFormat::kCsv) return ParseCsv(line, record);
  return options_.key_kind == KeyKind::kInternal ? ParseInternalTsv(line, record)
                                                 : ParseTsv(line, record);
}

absl::Status RecordParser::ParseTsv(absl::string_view line, Record* record) {
  const size_t tab = line.find('\t');
  if (tab == line.npos || line.find('\t', tab + 1) != line.npos) {
    return WrongColumnCount(line, KeyKind::kPlain);
  }
  RETURN_IF_ERROR(DecodeColumn("key", options_.encoding, line.substr(0, tab), &key_, &record->key));
  return DecodeColumn("value", options_.encoding, line.substr(tab + 1), &value_, &record->value);
}

// A record's texts, still encoded.
struct RecordParser::Columns {
  absl::string_view key, sequence, type;
  std::optional<absl::string_view> value;
};

absl::Status RecordParser::MakeInternal(const Columns& columns, Record* record) {
  absl::string_view user_key;
  RETURN_IF_ERROR(DecodeColumn("key", options_.encoding, columns.key, &value_, &user_key));
  ASSIGN_OR_RETURN(const uint64_t sequence, ParseSequence(columns.sequence));
  ASSIGN_OR_RETURN(const ValueType type, ParseType(columns.type));
  if (!columns.value.has_value() && type == ValueType::kValue) {
    return absl::InvalidArgumentError("there is no value");
  }
  key_.clear();
  AppendInternalKey(&key_, user_key, sequence, type);
  record->key = key_;
  record->value = {};
  if (!columns.value.has_value()) return absl::OkStatus();
  return DecodeColumn("value", options_.encoding, *columns.value, &value_, &record->value);
}

absl::Status RecordParser::ParseInternalTsv(absl::string_view line, Record* record) {
  const std::vector<absl::string_view> texts = absl::StrSplit(line, '\t');
  if (texts.size() < 3 || texts.size() > 4) return WrongColumnCount(line, KeyKind::kInternal);
  Columns columns = {texts[0], texts[1], texts[2], std::nullopt};
  if (texts.size() == 4) columns.value = texts[3];
  return MakeInternal(columns, record);
}

absl::Status RecordParser::ParseHeader(absl::string_view line) {
  static constexpr absl::string_view kNames[] = {
      "key", "sequence", "type", "value", "live", "file", "offset", "decoded_key", "decoded_value"};
  RETURN_IF_ERROR(SplitCsv(line, &names_));
  for (const std::string& name : names_) {
    if (std::count(std::begin(kNames), std::end(kNames), name) == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the first line should name the columns, such as key,value, but has \"",
                       absl::CHexEscape(name), "\"; if it is a record, give --no-header"));
    }
    if (std::count(names_.begin(), names_.end(), name) > 1) {
      return absl::InvalidArgumentError(absl::StrCat("two columns are named ", name));
    }
  }
  for (const absl::string_view name : {"key", "value"}) {
    if (std::count(names_.begin(), names_.end(), name) == 1) continue;
    return absl::InvalidArgumentError(absl::StrCat("no column is named ", name));
  }
  return absl::OkStatus();
}

absl::Status RecordParser::ParseCsv(absl::string_view line, Record* record) {
  static const auto* const two = new std::vector<std::string>{"key", "value"};
  static const auto* const four = new std::vector<std::string>{"key", "sequence", "type", "value"};
  RETURN_IF_ERROR(SplitCsv(line, &fields_));
  const auto& names = !names_.empty() ? names_ : fields_.size() == 4 ? *four : *two;
  if (fields_.size() != names.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", names.size(), " fields (",
                                                   absl::StrJoin(names, ","), "), found ",
                                                   fields_.size()));
  }
  Columns columns;
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "key") columns.key = fields_[i];
    if (names[i] == "sequence") columns.sequence = fields_[i];
    if (names[i] == "type") columns.type = fields_[i];
    if (names[i] == "value") columns.value = fields_[i];
  }
  if (options_.key_kind == KeyKind::kInternal) return MakeInternal(columns, record);
  if (!columns.sequence.empty() || !columns.type.empty()) {
    return absl::InvalidArgumentError(
        "there is a sequence or type, as internal keys have; they need --keys internal");
  }
  RETURN_IF_ERROR(DecodeColumn("key", options_.encoding, columns.key, &key_, &record->key));
  return DecodeColumn("value", options_.encoding, columns.value.value_or(""), &value_,
                      &record->value);
}

absl::Status RecordParser::ParseJson(absl::string_view line, Record* record) {
  ASSIGN_OR_RETURN(JsonFields fields, ParseFields(line, options_.key_kind));
  const auto missing = [](absl::string_view field) {
    return absl::InvalidArgumentError(absl::StrCat("there is no ", field));
  };
  if (!fields.key.has_value()) return missing("key");
  const bool is_deletion = fields.type == ValueType::kDeletion;
  if (!fields.value.has_value() && !is_deletion) return missing("value");
  value_ = std::move(fields.value).value_or("");
  key_ = *std::move(fields.key);
  if (options_.key_kind == KeyKind::kInternal) {
    if (!fields.sequence.has_value()) return missing("sequence");
    if (!fields.type.has_value()) return missing("type");
    key_ = MakeInternalKey(key_, *fields.sequence, *fields.type);
  }
  record->key = key_;
  record->value = value_;
  return absl::OkStatus();
}

void RecordReader::WarnOfCarriageReturn() {
  warned_ = true;
  console_->Say(absl::StrCat(lines_.Name(lines_.place()),
                             ": ends in \\r\\n; the \\r is treated as part of the value"));
}

absl::Status RecordReader::CompleteCsv(absl::string_view* line) {
  // Limits how much a missing quote can swallow.
  constexpr size_t kMaxSize = size_t{1} << 30;
  if (HasOpenQuote(*line)) {
    const LinePlace first = lines_.place();
    joined_.assign(line->data(), line->size());
    do {
      ASSIGN_OR_RETURN(const bool has_line, lines_.Next(line));
      if (!has_line || lines_.place().input != first.input || joined_.size() > kMaxSize) {
        return absl::InvalidArgumentError(
            absl::StrCat(lines_.Name(first), ": a quoted field has no closing quote"));
      }
      absl::StrAppend(&joined_, "\n", *line);
    } while (!HasOpenQuote(*line));
    *line = joined_;
  }
  absl::ConsumeSuffix(line, "\r");
  return absl::OkStatus();
}

absl::StatusOr<bool> RecordReader::Next(Record* record) {
  absl::string_view line;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_line, lines_.Next(&line));
    if (!has_line) return false;
    if (format_ == RecordFormat::kTsv) break;
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    if (format_ == RecordFormat::kJsonl) break;
    RETURN_IF_ERROR(CompleteCsv(&line));
    if (!has_header_ || headers_ > lines_.place().input) break;
    headers_ = lines_.place().input + 1;
    if (const absl::Status status = parser_.ParseHeader(line); !status.ok()) {
      return AtPlace(lines_.Name(lines_.place()), status);
    }
  }
  const bool is_tsv = format_ == RecordFormat::kTsv;
  if (is_tsv && !warned_ && absl::EndsWith(line, "\r")) WarnOfCarriageReturn();
  if (const absl::Status status = parser_.Parse(line, record); !status.ok()) {
    return AtPlace(lines_.Name(lines_.place()), status);
  }
  record->place = lines_.place();
  return true;
}

}  // namespace sstable::tools
