#include "decode/entry_decoder.h"

#include "absl/strings/str_cat.h"
#include "util/escape.h"

namespace sstable {
namespace {

void AppendField(const DecodedJson& json, std::string* out) {
  if (json.is_string()) {
    absl::StrAppend(out, "\"");
    AppendEscapedUtf8(json.get_ref<const std::string&>(), out);
    absl::StrAppend(out, "\"");
  } else {
    AppendDecodedJson(json, out);
  }
}

}  // namespace

void EntryDecoder::Examine(absl::string_view, absl::string_view) {}

void AppendDecodedText(const DecodedJson& json, std::string* out) {
  if (json.is_string()) return AppendEscapedUtf8(json.get_ref<const std::string&>(), out);
  if (!json.is_object()) return AppendDecodedJson(json, out);
  bool is_first = true;
  for (const auto& [name, value] : json.items()) {
    if (!is_first) out->push_back(' ');
    is_first = false;
    if (name == "kind") {
      absl::StrAppend(out, value.get_ref<const std::string&>());
    } else {
      absl::StrAppend(out, name, "=");
      AppendField(value, out);
    }
  }
}

void AppendDecodedJson(const DecodedJson& json, std::string* out) {
  out->append(
      EscapeControlsOfJson(json.dump(-1, ' ', false, DecodedJson::error_handler_t::replace)));
}

}  // namespace sstable
