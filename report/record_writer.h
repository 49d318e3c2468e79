// Writes the entries of tables as text; tsv and jsonl as tools/records/record_reader.h reads them.
//
// text:  key => value; internal keys: key @sequence : value => value, or
//        key @sequence : deletion. For people: a key may contain what separates key and value.
// csv:   RFC 4180, with a header: key,sequence,type,value; sequence and type are empty for plain
//        keys. Bytes are encoded as utf8 unless another encoding is given.
//
// With paths to select, their parts take the place of key and value: path=JSON in text, a field of
// jsonl and a column of csv each, in which text is in utf8 as of text_encoding.h. What could not be
// decoded is shown as {"$undecoded":...}; an absent part is omitted, or empty in csv.
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
  // Default: escaped; for csv utf8; for jsonl the text itself if the bytes are UTF-8, else hex.
  std::optional<TextEncoding> encoding;
  KeyKind key_kind = KeyKind::kPlain;
  bool values = true;
  // The parts of RecordOrigin to show.
  bool live = false;
  bool file = false;
  bool offset = false;
  bool decoded = false;         // csv has columns for decoded data
  bool guard_formulas = false;  // for csv: puts ' before text that a spreadsheet would take for a
                                // formula
  // If not null, text shows decoded data instead of the bytes, and jsonl and csv have it in the
  // additional fields "decoded_key" and "decoded_value". Borrowed.
  const EntryDecoder* decoder = nullptr;
  // Not empty: what is shown instead of keys and values, which needs a decoder. Not for tsv.
  std::vector<EntryPath> select;
  Style style = Style(false);
};

// Where an entry was found.
struct RecordOrigin {
  absl::string_view file;  // path
  uint64_t offset = 0;     // in the file, of the block or of the log's record
  bool live = false;       // not hidden by a newer version
};

class RecordWriter {
 public:
  explicit RecordWriter(const RecordWriterOptions& options) : options_(options) {}

  // Appends the entry as a line to `*out`. Returns false if the table has internal keys and this is
  // not one: too short, or of a type that LevelDB does not have. Its line shows everything, but
  // can't be read back.
  bool Append(absl::string_view key, absl::string_view value, std::string* out) const {
    return Append(key, value, {}, out);
  }
  bool Append(absl::string_view key, absl::string_view value, const RecordOrigin& origin,
              std::string* out) const;

  // The first line in csv; other formats have none.
  void AppendHeader(std::string* out) const;

 private:
  struct KeyParts;
  struct Entry;
  DecodedEntry Decode(const Entry& entry) const;
  // The parts that options_.select names, as they are written; null: absent.
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
