#include "tools/records/record_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "sstable/internal_key.h"
#include "tools/cli/command_line.h"
#include "tools/cli/interrupt.h"
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

absl::StatusOr<std::string> DecodeColumn(absl::string_view name, TextEncoding encoding,
                                         absl::string_view text) {
  absl::StatusOr<std::string> bytes = Decode(encoding, text);
  if (!bytes.ok()) return AtPlace(name, bytes.status());
  return bytes;
}

absl::Status WrongColumnCount(size_t count, KeyKind kind) {
  if (count == 1) {
    return absl::InvalidArgumentError("there is no TAB after the key");
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "line has ", count, " columns, expected ",
      kind == KeyKind::kInternal ? "4 (key, sequence, type, value; see --keys)"
                                 : "2 (key, value); a TAB inside of a value is \\t, and 4 columns "
                                   "of internal keys need --keys internal"));
}

absl::Status ParseTsv(absl::string_view line, const RecordReaderOptions& options, Record* record) {
  const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
  if (options.key_kind == KeyKind::kPlain) {
    if (columns.size() != 2) return WrongColumnCount(columns.size(), options.key_kind);
    ASSIGN_OR_RETURN(record->key, DecodeColumn("key", options.encoding, columns[0]));
    ASSIGN_OR_RETURN(record->value, DecodeColumn("value", options.encoding, columns[1]));
    return absl::OkStatus();
  }
  if (columns.size() < 3 || columns.size() > 4) {
    return WrongColumnCount(columns.size(), options.key_kind);
  }
  ASSIGN_OR_RETURN(const std::string user_key, DecodeColumn("key", options.encoding, columns[0]));
  ASSIGN_OR_RETURN(const uint64_t sequence, ParseSequence(columns[1]));
  ASSIGN_OR_RETURN(const ValueType type, ParseType(columns[2]));
  if (columns.size() == 3 && type == ValueType::kValue) {
    return WrongColumnCount(columns.size(), options.key_kind);
  }
  record->key = MakeInternalKey(user_key, sequence, type);
  record->value.clear();
  if (columns.size() == 3) return absl::OkStatus();
  ASSIGN_OR_RETURN(record->value, DecodeColumn("value", options.encoding, columns[3]));
  return absl::OkStatus();
}

// The fields of a JSON object, as they are found.
struct JsonFields {
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::optional<uint64_t> sequence;
  std::optional<ValueType> type;
};

// Takes "key", "key_hex" and so on into `*bytes`. False if `field` is none of `name`'s.
absl::StatusOr<bool> TakeBytes(absl::string_view name, absl::string_view field,
                               const nlohmann::json& json, std::optional<std::string>* bytes) {
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
  if (!json.is_string()) {
    return absl::InvalidArgumentError(
        absl::StrCat(field, " is a JSON ", json.type_name(), ", expected a string"));
  }
  const std::string& text = json.get_ref<const std::string&>();
  if (!encoding.has_value()) {
    *bytes = text;
    return true;
  }
  ASSIGN_OR_RETURN(*bytes, DecodeColumn(field, *encoding, text));
  return true;
}

absl::Status TakeField(const std::string& field, const nlohmann::json& json, KeyKind kind,
                       JsonFields* fields) {
  ASSIGN_OR_RETURN(bool taken, TakeBytes("key", field, json, &fields->key));
  if (taken) return absl::OkStatus();
  ASSIGN_OR_RETURN(taken, TakeBytes("value", field, json, &fields->value));
  if (taken) return absl::OkStatus();
  if (field == "file" || field == "offset" || field == "live") return absl::OkStatus();
  // What `sst dump --decode` adds; the bytes are in the other fields.
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
  if (json.is_structured()) {  // to print it could take more stack than there is
    return absl::InvalidArgumentError(absl::StrCat(field, " is a JSON ", json.type_name(),
                                                   ", expected a ",
                                                   field == "type" ? "string" : "number"));
  }
  if (field == "type") {
    ASSIGN_OR_RETURN(fields->type,
                     ParseType(json.is_string() ? json.get<std::string>() : json.dump()));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(fields->sequence, ParseSequence(json.dump()));
  return absl::OkStatus();
}

// nlohmann's message without what is specific to nlohmann.
absl::Status NotJson(const nlohmann::json::exception& error) {
  absl::string_view message = error.what();
  for (const absl::string_view before : {"] ", "line 1, "}) {
    const size_t start = message.find(before);
    if (start != message.npos) message.remove_prefix(start + before.size());
  }
  return absl::InvalidArgumentError(absl::StrCat("not JSON: ", message));
}

absl::Status ParseJson(absl::string_view line, KeyKind kind, Record* record) {
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
    RETURN_IF_ERROR(TakeField(field, value, kind, &fields));
  }
  const auto missing = [](absl::string_view field) {
    return absl::InvalidArgumentError(absl::StrCat("there is no ", field));
  };
  if (!fields.key.has_value()) return missing("key");
  const bool is_deletion = fields.type == ValueType::kDeletion;
  if (!fields.value.has_value() && !is_deletion) return missing("value");
  record->value = std::move(fields.value).value_or("");
  record->key = *std::move(fields.key);
  if (kind == KeyKind::kPlain) return absl::OkStatus();
  if (!fields.sequence.has_value()) return missing("sequence");
  if (!fields.type.has_value()) return missing("type");
  record->key = MakeInternalKey(record->key, *fields.sequence, *fields.type);
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseRecord(absl::string_view line, const RecordReaderOptions& options,
                         Record* record) {
  return options.format == RecordFormat::kJsonl ? ParseJson(line, options.key_kind, record)
                                                : ParseTsv(line, options, record);
}

RecordReader::RecordReader(std::vector<std::string> inputs, const RecordReaderOptions& options,
                           Console* console)
    : inputs_(std::move(inputs)), options_(options), console_(console) {}

RecordReader::~RecordReader() {
  CloseInput();
  std::free(line_buffer_);
}

void RecordReader::CloseInput() {
  if (file_ != nullptr && file_ != stdin) std::fclose(file_);
  file_ = nullptr;
}

std::string RecordReader::Name(const RecordPlace& place) const {
  return absl::StrCat(InputName(inputs_[place.input]), ":", place.line);
}

absl::Status RecordReader::OpenInput() {
  const std::string& path = inputs_[place_.input];
  file_ = path == "-" ? stdin : std::fopen(path.c_str(), "re");
  if (file_ == nullptr) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't open"));
  struct stat info;
  const bool has_size = ::fstat(::fileno(file_), &info) == 0 && S_ISREG(info.st_mode);
  if (::isatty(::fileno(file_)) == 1) console_->Say("reading records; Ctrl-D ends them");
  console_->progress().Begin(InputName(path), has_size ? static_cast<uint64_t>(info.st_size) : 0);
  return absl::OkStatus();
}

absl::StatusOr<bool> RecordReader::ReadLine() {
  const ssize_t size = ::getline(&line_buffer_, &line_capacity_, file_);
  if (Interrupted()) return absl::CancelledError("interrupted");
  if (std::ferror(file_) != 0) {  // perhaps in the middle of a line
    return absl::ErrnoToStatus(errno,
                               absl::StrCat(InputName(inputs_[place_.input]), ": can't read"));
  }
  if (size < 0) return false;
  ++place_.line;
  console_->progress().Advance(static_cast<uint64_t>(size));
  line_ = absl::string_view(line_buffer_, static_cast<size_t>(size));
  absl::ConsumeSuffix(&line_, "\n");
  return true;
}

void RecordReader::WarnOfCarriageReturn() {
  warned_ = true;
  console_->Say(
      absl::StrCat(Name(place_), ": ends in \\r\\n; the \\r is treated as part of the value"));
}

absl::StatusOr<bool> RecordReader::Next(Record* record) {
  while (place_.input < inputs_.size()) {
    if (file_ == nullptr) RETURN_IF_ERROR(OpenInput());
    ASSIGN_OR_RETURN(const bool has_line, ReadLine());
    if (!has_line) {
      CloseInput();
      place_ = {place_.input + 1, 0};
      continue;
    }
    const bool is_tsv = options_.format == RecordFormat::kTsv;
    if (!is_tsv && absl::StripAsciiWhitespace(line_).empty()) continue;
    if (is_tsv && !warned_ && absl::EndsWith(line_, "\r")) WarnOfCarriageReturn();
    if (absl::Status status = ParseRecord(line_, options_, record); !status.ok()) {
      return AtPlace(Name(place_), status);
    }
    record->place = place_;
    return true;
  }
  return false;
}

}  // namespace sstable::tools
