#include "tools/decode/entry_decoder.h"

#include "absl/strings/str_cat.h"
#include "util/escape.h"

namespace sstable::tools {
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

// nlohmann's dump() leaves the control characters from U+007F to U+009F as they are.
void AppendDecodedJson(const DecodedJson& json, std::string* out) {
  const std::string dumped = json.dump(-1, ' ', false, DecodedJson::error_handler_t::replace);
  for (size_t i = 0; i < dumped.size(); ++i) {
    const auto byte = static_cast<unsigned char>(dumped[i]);
    const auto next = static_cast<unsigned char>(i + 1 < dumped.size() ? dumped[i + 1] : 0);
    if (byte == 0x7f) {
      absl::StrAppend(out, "\\u007f");
    } else if (byte == 0xc2 && next < 0xa0) {
      absl::StrAppend(out, "\\u", absl::Hex(next, absl::kZeroPad4));
      ++i;
    } else {
      out->push_back(dumped[i]);
    }
  }
}

}  // namespace sstable::tools
