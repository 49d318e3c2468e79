// Reads the records that `sst build` reads and `sst dump` writes.
//
// tsv:    key TAB value; internal keys: key TAB sequence TAB type TAB value. Keys and values are
//         encoded (report/text/text_encoding.h), so a TAB or a line end inside one is \t or \n.
// jsonl:  one JSON object a line. A field's name says how its bytes are given:
//
//         | field                       | its string is                        |
//         |-----------------------------|--------------------------------------|
//         | key, value                  | the text itself, as UTF-8            |
//         | key_escaped, value_escaped  | printable ASCII, \\ \t \n \r and \xHH |
//         | key_hex, value_hex          | hex digits                           |
//         | key_base64, value_base64    | base64                               |
//
//         of internal keys also "sequence" (a number) and "type" ("value" or "deletion"). "file",
//         "offset" and "live", which `sst dump` writes of a folder's entries, are ignored.
// Type:   "value" or "deletion"; a deletion needs no value.
#ifndef SSTABLE_TOOLS_RECORDS_RECORD_READER_H_
#define SSTABLE_TOOLS_RECORDS_RECORD_READER_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "report/record_writer.h"
#include "report/text/text_encoding.h"
#include "table/block/key_order.h"
#include "tools/cli/console.h"
#include "tools/records/line_reader.h"

namespace sstable::tools {

struct Record {
  absl::string_view key;  // as in the table: with a tag if keys are internal
  absl::string_view value;
  LinePlace place;  // where it was read
};

struct RecordReaderOptions {
  RecordFormat format = RecordFormat::kTsv;        // or kJsonl: the others are not read
  TextEncoding encoding = TextEncoding::kEscaped;  // for tsv
  KeyKind key_kind = KeyKind::kPlain;
};

// Parses lines. A record's key and value are views into the line, or into the parser's memory,
// which the next call overwrites.
class RecordParser {
 public:
  explicit RecordParser(const RecordReaderOptions& options) : options_(options) {}

  // Parses a line, without its line end; does not change the record's place. Errors:
  // InvalidArgument, which says what is wrong with the line.
  absl::Status Parse(absl::string_view line, Record* record);

 private:
  absl::Status ParseTsv(absl::string_view line, Record* record);
  absl::Status ParseInternalTsv(absl::string_view line, Record* record);
  absl::Status ParseJson(absl::string_view line, Record* record);

  const RecordReaderOptions options_;
  std::string key_;
  std::string value_;
};

// A sequence of records.
class RecordSource {
 public:
  virtual ~RecordSource() = default;
  // Sets `*record` to the next record, whose key and value are valid until the next call; returns
  // false after the last one.
  virtual absl::StatusOr<bool> Next(Record* record) = 0;
};

// Reads inputs one after the other, line by line.
class RecordReader final : public RecordSource {
 public:
  // `inputs` are paths; "-" is standard input. Reading moves the progress bar of `console`.
  RecordReader(std::vector<std::string> inputs, const RecordReaderOptions& options,
               Console* console)
      : lines_(std::move(inputs), console),
        parser_(options),
        is_tsv_(options.format == RecordFormat::kTsv),
        console_(console) {}

  // Errors name input and line: InvalidArgument for a line that is not a record; those of
  // LineReader.
  absl::StatusOr<bool> Next(Record* record) override;

  // "data.tsv:12", for messages.
  std::string Name(const LinePlace& place) const { return lines_.Name(place); }

 private:
  void WarnOfCarriageReturn();

  LineReader lines_;
  RecordParser parser_;
  const bool is_tsv_;
  Console* const console_;
  bool warned_ = false;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_RECORD_READER_H_
