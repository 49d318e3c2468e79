// Writes entries of tables as text. tools/records/record_reader.h reads tsv and jsonl back.
//
// text:  key => value; internal keys: key @sequence : value => value, or
//        key @sequence : deletion. For people: a key may itself contain " => ".
// csv:   RFC 4180, with a header: key,sequence,type,value; sequence and type are empty for plain
//        keys. Bytes are encoded as utf8 unless another encoding is given.
//
// With `select`, the parts at its paths replace key and value: path=JSON in text, one field each in
// jsonl, one column each in csv. Their text is encoded as utf8 (report/text/text_encoding.h). A
// part that could not be decoded is {"$undecoded":...}. An absent part is omitted, or empty in csv.
//
// Optional columns follow: live (true or false), file, offset. They are fields of jsonl and columns
// of tsv and csv; text shows them in parentheses before the value.
#ifndef SSTABLE_REPORT_RECORD_WRITER_H_
#define SSTABLE_REPORT_RECORD_WRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "decode/entry_query.h"
#include "report/text/style.h"
#include "report/text/text_encoding.h"
#include "table/block/key_order.h"

namespace sstable {

enum class RecordFormat { kText, kTsv, kJsonl, kCsv };

struct RecordWriterOptions {
  RecordFormat format = RecordFormat::kText;
  // Default: utf8 for csv; for jsonl, text if the bytes are UTF-8, else hex; otherwise escaped.
  std::optional<TextEncoding> encoding;
  KeyKind key_kind = KeyKind::kPlain;
  bool values = true;
  // Which members of RecordOrigin to show.
  bool live = false;
  bool file = false;
  bool offset = false;
  bool decoded = false;  // csv has columns for decoded data
  // For csv: prefixes ' to text that a spreadsheet would interpret as a formula.
  bool guard_formulas = false;
  // If not null, text shows decoded keys and values instead of bytes, and jsonl and csv have the
  // additional fields "decoded_key" and "decoded_value". Borrowed.
  const EntryDecoder* decoder = nullptr;
  // If not empty, shown instead of keys and values; needs a decoder. Not for tsv.
  std::vector<EntryPath> select;
  Style style = Style(false);
};

// Where an entry was found.
struct RecordOrigin {
  absl::string_view file;  // path
  uint64_t offset = 0;     // file offset of the block or log record
  bool live = false;       // not hidden by a newer version
};

class RecordWriter {
 public:
  explicit RecordWriter(const RecordWriterOptions& options) : options_(options) {}

  // Appends the entry as a line to `*out`. Returns false if the table has internal keys and this is
  // not one, because it is too short or has a type unknown to LevelDB. Such a line shows the whole
  // key, but cannot be read back.
  bool Append(absl::string_view key, absl::string_view value, std::string* out) const {
    return Append(key, value, {}, out);
  }
  bool Append(absl::string_view key, absl::string_view value, const RecordOrigin& origin,
              std::string* out) const;

  // Returns the first line of csv; empty for other formats.
  void AppendHeader(std::string* out) const;

 private:
  struct KeyParts;
  struct Entry;
  DecodedEntry Decode(const Entry& entry) const;
  // Returns the parts that options_.select names as JSON; nullopt for an absent part.
  std::vector<std::optional<std::string>> SelectedParts(const Entry& entry) const;
  void AppendText(const Entry& entry, std::string* out) const;
  void AppendTsv(const Entry& entry, std::string* out) const;
  void AppendJson(const Entry& entry, std::string* out) const;
  void AppendCsv(const Entry& entry, std::string* out) const;
  TextEncoding LineEncoding() const { return options_.encoding.value_or(TextEncoding::kEscaped); }

  RecordWriterOptions options_;
};

// Appends `"name":"bytes"`; the name gets the suffix for the encoding, as in
// tools/records/record_reader.h.
void AppendJsonBytes(absl::string_view name, absl::string_view bytes,
                     std::optional<TextEncoding> encoding, std::string* out);

}  // namespace sstable

#endif  // SSTABLE_REPORT_RECORD_WRITER_H_
