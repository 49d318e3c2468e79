// Writes the entries of tables as text; tsv and jsonl as tools/records/record_reader.h reads them.
//
// text:  key => value; of internal keys: key @sequence : value => value, or
//        key @sequence : deletion. For people: a key may contain what separates key and value.
#ifndef SSTABLE_TOOLS_RECORDS_RECORD_WRITER_H_
#define SSTABLE_TOOLS_RECORDS_RECORD_WRITER_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "table/block/key_order.h"
#include "tools/cli/style.h"
#include "tools/records/record_reader.h"
#include "tools/records/text_encoding.h"

namespace sstable::tools {

struct RecordWriterOptions {
  RecordFormat format = RecordFormat::kText;
  // Default: escaped; in jsonl the text itself if the bytes are UTF-8, else hex.
  std::optional<TextEncoding> encoding;
  KeyKind key_kind = KeyKind::kPlain;
  bool values = true;
  Style style = Style(false);
};

class RecordWriter {
 public:
  explicit RecordWriter(const RecordWriterOptions& options) : options_(options) {}

  // Appends the entry as a line to `*out`. False if the table has internal keys and this is not
  // one: too short, or of a type that LevelDB does not have. Its line shows everything, but can't
  // be read back.
  bool Append(absl::string_view key, absl::string_view value, std::string* out) const;

 private:
  struct KeyParts;
  void AppendText(const KeyParts& key, absl::string_view value, std::string* out) const;
  void AppendTsv(const KeyParts& key, absl::string_view value, std::string* out) const;
  void AppendJson(const KeyParts& key, absl::string_view value, std::string* out) const;
  TextEncoding LineEncoding() const { return options_.encoding.value_or(TextEncoding::kEscaped); }

  RecordWriterOptions options_;
};

// Appends `"name":"bytes"`; the name gets the suffix that says how the bytes are given, as
// tools/records/record_reader.h has it.
void AppendJsonBytes(absl::string_view name, absl::string_view bytes,
                     std::optional<TextEncoding> encoding, std::string* out);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_RECORD_WRITER_H_
