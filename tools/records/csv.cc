#include "tools/records/csv.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace sstable::tools {

bool HasOpenQuote(absl::string_view line) {
  return std::count(line.begin(), line.end(), '"') % 2 == 1;
}

absl::Status SplitCsv(absl::string_view record, std::vector<std::string>* fields) {
  fields->clear();
  size_t at = 0;
  for (;;) {
    std::string field;
    if (at < record.size() && record[at] == '"') {
      for (++at;; ++at) {
        const size_t end = std::min(record.find('"', at), record.size());
        field.append(record.data() + at, end - at);
        at = end + 1;
        if (at >= record.size() || record[at] != '"') break;
        field.push_back('"');  // two quotes stand for one
      }
      if (at > record.size())
        return absl::InvalidArgumentError("a quoted field has no closing quote");
      if (at < record.size() && record[at] != ',') {
        return absl::InvalidArgumentError(
            absl::StrCat("expected a comma after the quoted field ", fields->size() + 1));
      }
    } else {
      const size_t end = std::min(record.find(',', at), record.size());
      field.assign(record.data() + at, end - at);
      at = end;
      if (field.find('"') != field.npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("field ", fields->size() + 1,
                         " has a quote, so it must be in quotes, with \"\" for \""));
      }
    }
    fields->push_back(std::move(field));
    if (at >= record.size()) return absl::OkStatus();
    ++at;  // the comma
  }
}

}  // namespace sstable::tools
