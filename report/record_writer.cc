#include "report/record_writer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/internal_key.h"
#include "util/escape.h"
#include "util/portable_json.h"

namespace sstable {
namespace {

// Appends a csv field: in quotes if it contains a separator, or a space at an end. Spreadsheets
// interpret a field that begins with =, +, - or @ as a formula, even in quotes.
void AppendCsvField(std::string text, bool guard_formulas, std::string* out) {
  if (guard_formulas && text.find_first_of("=+-@") == 0) text.insert(0, 1, '\'');
  const bool needs_quotes = text.find_first_of(",\"\r\n") != text.npos ||
                            (!text.empty() && (text.front() == ' ' || text.back() == ' '));
  if (!needs_quotes) {
    *out += text;
    return;
  }
  out->push_back('"');
  for (const char c : text) out->append(c == '"' ? 2 : 1, c);
  out->push_back('"');
}

}  // namespace

struct RecordWriter::KeyParts {
  absl::string_view user_key;  // the whole key if it is not an internal key
  bool has_tag = false;
  bool valid = true;  // the key is of the table's kind
  uint64_t sequence = 0;
  uint8_t type = 0;

  static KeyParts Of(absl::string_view key, KeyKind kind) {
    KeyParts parts;
    parts.user_key = key;
    if (kind == KeyKind::kPlain) return parts;
    parts.valid = ParseInternalKey(key).has_value();
    if (key.size() < kTagSize) return parts;
    parts.has_tag = true;
    parts.user_key = ExtractUserKey(key);
    const uint64_t tag = ExtractTag(key);
    parts.sequence = tag >> 8;
    parts.type = tag & 0xff;
    return parts;
  }

  bool IsDeletion() const { return has_tag && type == static_cast<uint8_t>(ValueType::kDeletion); }

  std::string TypeName() const {
    if (!valid) return absl::StrCat("type ", type);
    return IsDeletion() ? "deletion" : "value";
  }
};

struct RecordWriter::Entry {
  KeyParts key;
  absl::string_view value;
  RecordOrigin origin;

  bool HasValue() const { return !key.IsDeletion() || !value.empty(); }
};

bool RecordWriter::Append(absl::string_view key, absl::string_view value,
                          const RecordOrigin& origin, std::string* out) const {
  const Entry entry = {KeyParts::Of(key, options_.key_kind), value, origin};
  switch (options_.format) {
    case RecordFormat::kText:
      AppendText(entry, out);
      break;
    case RecordFormat::kTsv:
      AppendTsv(entry, out);
      break;
    case RecordFormat::kJsonl:
      AppendJson(entry, out);
      break;
    case RecordFormat::kCsv:
      AppendCsv(entry, out);
      break;
  }
  out->push_back('\n');
  return entry.key.valid;
}

void RecordWriter::AppendHeader(std::string* out) const {
  if (options_.format != RecordFormat::kCsv) return;
  for (const EntryPath& path : options_.select) {
    if (&path != &options_.select.front()) out->push_back(',');
    AppendCsvField(path.text, options_.guard_formulas, out);
  }
  absl::StrAppend(out, options_.select.empty() ? "key" : "", ",sequence,type",
                  options_.values ? ",value" : "", options_.live ? ",live" : "",
                  options_.file ? ",file" : "", options_.offset ? ",offset" : "",
                  options_.decoded ? ",decoded_key" : "",
                  options_.decoded && options_.values ? ",decoded_value" : "", "\r\n");
}

DecodedEntry RecordWriter::Decode(const Entry& entry) const {
  if (options_.decoder == nullptr) return {};
  const bool needs_value = options_.values || !options_.select.empty();
  return options_.decoder->Decode(entry.key.user_key, needs_value ? entry.value : "");
}

std::vector<std::optional<std::string>> RecordWriter::SelectedParts(const Entry& entry) const {
  std::vector<std::optional<std::string>> parts;
  if (options_.select.empty()) return parts;
  const DecodedEntry decoded = Decode(entry);
  for (const EntryPath& path : options_.select) {
    const EntryPath::Part part = path.Find(decoded, !entry.value.empty());
    std::string& text = parts.emplace_back("").value();
    if (part.presence == EntryPath::Presence::kAbsent) {
      parts.back().reset();
    } else if (part.tree->empty()) {
      ValueTree unknown;
      unknown.Undecoded("format not known", path.starts_at_key ? entry.key.user_key : entry.value);
      unknown.AppendJson(&text);
    } else if (options_.format == RecordFormat::kCsv &&
               part.tree->kind(part.node) == ValueTree::Kind::kString) {
      AppendEncoded(
          options_.encoding == TextEncoding::kRaw ? TextEncoding::kRaw : TextEncoding::kUtf8,
          part.tree->text(part.node), &text);
    } else {
      part.tree->AppendJson(&text, part.node);
    }
  }
  return parts;
}

void RecordWriter::AppendText(const Entry& entry, std::string* out) const {
  const KeyParts& key = entry.key;
  const bool is_selected = !options_.select.empty();
  const DecodedEntry decoded = is_selected ? DecodedEntry() : Decode(entry);
  std::string key_text;
  if (is_selected) {
    const auto parts = SelectedParts(entry);
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].has_value()) continue;
      absl::StrAppend(&key_text, key_text.empty() ? "" : " ",
                      EscapeControls(options_.select[i].text), "=", *parts[i]);
    }
  } else if (decoded.key.empty()) {
    AppendEncoded(LineEncoding(), key.user_key, &key_text);
  } else {
    decoded.key.AppendSummary(&key_text);
  }
  absl::StrAppend(out, options_.style.Bold(key_text));
  if (key.has_tag) {
    absl::StrAppend(out,
                    options_.style.Cyan(absl::StrCat(" @", key.sequence, " : ", key.TypeName())));
  } else if (!key.valid) {
    absl::StrAppend(out, options_.style.Red(" (not an internal key)"));
  }
  const RecordOrigin& origin = entry.origin;
  std::string place = options_.live ? (origin.live ? "live" : "hidden") : "";
  if (options_.file) {
    absl::StrAppend(&place, place.empty() ? "" : ", ", "in ", EscapeControls(origin.file));
  }
  if (options_.offset) absl::StrAppend(&place, place.empty() ? "at " : " at ", origin.offset);
  if (!place.empty()) absl::StrAppend(out, options_.style.Dim(absl::StrCat(" (", place, ")")));
  if (!options_.values || !entry.HasValue()) return;
  absl::StrAppend(out, options_.style.Dim(" =>"), " ");
  if (decoded.value.empty()) {
    AppendEncoded(LineEncoding(), entry.value, out);
  } else {
    decoded.value.AppendJson(out);
  }
}

void RecordWriter::AppendTsv(const Entry& entry, std::string* out) const {
  const KeyParts& key = entry.key;
  AppendEncoded(LineEncoding(), key.user_key, out);
  if (options_.key_kind == KeyKind::kInternal) {
    if (key.has_tag) {
      absl::StrAppend(out, "\t", key.sequence, "\t", key.TypeName());
    } else {
      absl::StrAppend(out, "\t\t");
    }
  }
  if (options_.values) {
    out->push_back('\t');
    AppendEncoded(LineEncoding(), entry.value, out);
  }
  if (options_.live) absl::StrAppend(out, entry.origin.live ? "\ttrue" : "\tfalse");
  if (options_.file) {
    out->push_back('\t');
    AppendEncoded(TextEncoding::kUtf8, entry.origin.file, out);
  }
  if (options_.offset) absl::StrAppend(out, "\t", entry.origin.offset);
}

void RecordWriter::AppendJson(const Entry& entry, std::string* out) const {
  const KeyParts& key = entry.key;
  out->push_back('{');
  const size_t start = out->size();
  const auto parts = SelectedParts(entry);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].has_value()) continue;
    if (out->size() > start) out->push_back(',');
    AppendJsonString(options_.select[i].text, out);
    absl::StrAppend(out, ":", *parts[i]);
  }
  if (options_.select.empty()) AppendJsonBytes("key", key.user_key, options_.encoding, out);
  if (key.has_tag) {
    absl::StrAppend(out, ",\"sequence\":", PortableNumber(key.sequence), ",\"type\":");
    if (key.valid) {
      absl::StrAppend(out, "\"", key.TypeName(), "\"");
    } else {
      absl::StrAppend(out, key.type);
    }
  }
  if (options_.values && entry.HasValue()) {
    out->push_back(',');
    AppendJsonBytes("value", entry.value, options_.encoding, out);
  }
  if (options_.live) absl::StrAppend(out, ",\"live\":", entry.origin.live ? "true" : "false");
  if (options_.file) {
    absl::StrAppend(out, ",\"file\":");
    const absl::string_view file = entry.origin.file;
    AppendJsonString(IsUtf8(file) ? std::string(file) : Encode(TextEncoding::kUtf8, file), out);
  }
  if (options_.offset) absl::StrAppend(out, ",\"offset\":", PortableNumber(entry.origin.offset));
  const DecodedEntry decoded = options_.select.empty() ? Decode(entry) : DecodedEntry();
  if (!decoded.key.empty()) {
    absl::StrAppend(out, ",\"decoded_key\":");
    decoded.key.AppendJson(out);
  }
  if (!decoded.value.empty()) {
    absl::StrAppend(out, ",\"decoded_value\":");
    decoded.value.AppendJson(out);
  }
  if ((*out)[start] == ',') out->erase(start, 1);  // all parts are absent
  out->push_back('}');
}

void RecordWriter::AppendCsv(const Entry& entry, std::string* out) const {
  const KeyParts& key = entry.key;
  const TextEncoding encoding = options_.encoding.value_or(TextEncoding::kUtf8);
  const auto append = [&](std::string text) {
    AppendCsvField(std::move(text), options_.guard_formulas, out);
  };
  const auto parts = SelectedParts(entry);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out->push_back(',');
    append(parts[i].value_or(""));
  }
  if (parts.empty()) append(Encode(encoding, key.user_key));
  if (key.has_tag) {
    absl::StrAppend(out, ",", key.sequence, ",");
    append(key.TypeName());
  } else {
    absl::StrAppend(out, ",,");
  }
  if (options_.values) {
    out->push_back(',');
    append(Encode(encoding, entry.value));
  }
  if (options_.live) absl::StrAppend(out, entry.origin.live ? ",true" : ",false");
  if (options_.file) {
    out->push_back(',');
    append(Encode(TextEncoding::kUtf8, entry.origin.file));
  }
  if (options_.offset) absl::StrAppend(out, ",", entry.origin.offset);
  if (options_.decoded) {
    const DecodedEntry decoded = Decode(entry);
    std::string key_text, value_text;
    if (!decoded.key.empty()) decoded.key.AppendSummary(&key_text);
    if (!decoded.value.empty()) decoded.value.AppendJson(&value_text);
    out->push_back(',');
    append(std::move(key_text));
    if (options_.values) {
      out->push_back(',');
      append(std::move(value_text));
    }
  }
  out->push_back('\r');  // line end of RFC 4180
}

void AppendJsonBytes(absl::string_view name, absl::string_view bytes,
                     std::optional<TextEncoding> encoding, std::string* out) {
  const TextEncoding chosen = encoding.value_or(TextEncoding::kUtf8);
  if (chosen == TextEncoding::kUtf8 && IsUtf8(bytes)) {
    absl::StrAppend(out, "\"", name, "\":");
    AppendJsonString(bytes, out);
    return;
  }
  const bool escaped = chosen == TextEncoding::kEscaped;
  const bool base64 = chosen == TextEncoding::kBase64;
  absl::StrAppend(out, "\"", name, escaped ? "_escaped" : base64 ? "_base64" : "_hex", "\":");
  AppendJsonString(Encode(escaped || base64 ? chosen : TextEncoding::kHex, bytes), out);
}

}  // namespace sstable
