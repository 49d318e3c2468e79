// Colours for text on a terminal.
#ifndef SSTABLE_REPORT_TEXT_STYLE_H_
#define SSTABLE_REPORT_TEXT_STYLE_H_

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sstable {

// Adds ANSI codes to text, or leaves it unchanged.
class Style {
 public:
  explicit Style(bool colored) : colored_(colored) {}

  std::string Bold(absl::string_view text) const { return Paint("1", text); }
  std::string Dim(absl::string_view text) const { return Paint("2", text); }
  std::string Red(absl::string_view text) const { return Paint("31", text); }
  std::string Green(absl::string_view text) const { return Paint("32", text); }
  std::string Cyan(absl::string_view text) const { return Paint("36", text); }

 private:
  std::string Paint(absl::string_view code, absl::string_view text) const {
    if (!colored_ || text.empty()) return std::string(text);
    return absl::StrCat("\x1b[", code, "m", text, "\x1b[0m");
  }

  bool colored_;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_STYLE_H_
