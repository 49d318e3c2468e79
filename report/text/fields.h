// Labelled lines for reports that people read.
#ifndef SSTABLE_REPORT_TEXT_FIELDS_H_
#define SSTABLE_REPORT_TEXT_FIELDS_H_

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "report/text/style.h"

namespace sstable {

// Collects "  label   text" lines. Continuation lines of a text are aligned with its first.
class Fields {
 public:
  // `label_width` is the width of the longest label.
  Fields(size_t label_width, const Style& style) : width_(label_width), style_(style) {}

  void Add(absl::string_view label, absl::string_view lines) {
    const std::string padding(width_ > label.size() ? width_ - label.size() : 0, ' ');
    std::string margin = absl::StrCat("  ", style_.Bold(label), padding, "  ");
    for (const absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
      absl::StrAppend(&text_, margin, line, "\n");
      margin = std::string(width_ + 4, ' ');
    }
  }

  const std::string& text() const { return text_; }

 private:
  size_t width_;
  Style style_;
  std::string text_;
};

}  // namespace sstable

#endif  // SSTABLE_REPORT_TEXT_FIELDS_H_
