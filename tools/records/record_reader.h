// Reads the records that `sst build` reads and `sst dump` writes.
//
// tsv:    key TAB value; internal keys: key TAB sequence TAB type TAB value. Keys and values are
//         encoded (report/text/text_encoding.h), so a TAB or a line end inside one is \t or \n.
// csv:    RFC 4180. The first record names the columns: key and value; for internal keys also
//         sequence and type. Keys and values are encoded as in tsv. live, file, offset, decoded_key
//         and decoded_value, which `sst dump` writes, are ignored. Without such a record there are
//         two columns, key and value, or four: key, sequence, type and value.
// jsonl:  one JSON object a line. A field's name says how its bytes are given:
//
//         | field                       | its string is                        |
//         |-----------------------------|--------------------------------------|
//         | key, value                  | the text itself, as UTF-8            |
//         | key_escaped, value_escaped  | printable ASCII, \\ \t \n \r and \xHH |
//         | key_hex, value_hex          | hex digits                           |
//         | key_base64, value_base64    | base64                               |
//
//         A value that is a number, an object, an array, true or false is taken as its text.
//         Internal keys also have "sequence" (a number) and "type" ("value" or "deletion"). live,
//         file, offset, decoded_key and decoded_value, which `sst dump` writes, are ignored.
// Type:   "value" or "deletion"; a deletion needs no value.
#ifndef SSTABLE_TOOLS_RECORDS_RECORD_READER_H_
#define SSTABLE_TOOLS_RECORDS_RECORD_READER_H_

#include <cstdint>
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
  RecordFormat format = RecordFormat::kTsv;        // kText is not read
  TextEncoding encoding = TextEncoding::kEscaped;  // for tsv and csv
  bool no_header = false;                          // for csv
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

  // Parses the header of csv, which names the columns.
  absl::Status ParseHeader(absl::string_view line);

 private:
  struct Columns;
  absl::Status ParseTsv(absl::string_view line, Record* record);
  absl::Status ParseInternalTsv(absl::string_view line, Record* record);
  absl::Status ParseCsv(absl::string_view line, Record* record);
  absl::Status MakeInternal(const Columns& columns, Record* record);
  absl::Status ParseJson(absl::string_view line, Record* record);

  const RecordReaderOptions options_;
  std::vector<std::string> names_;   // columns of csv; empty without a header
  std::vector<std::string> fields_;  // fields of the current record of csv
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

// Reads inputs one after another, line by line.
class RecordReader final : public RecordSource {
 public:
  // `inputs` are paths; "-" is standard input. Reading moves the progress bar of `console`.
  RecordReader(std::vector<std::string> inputs, const RecordReaderOptions& options,
               Console* console)
      : lines_(std::move(inputs), console),
        parser_(options),
        format_(options.format),
        has_header_(format_ == RecordFormat::kCsv && !options.no_header),
        console_(console) {}

  // Errors name input and line: InvalidArgument for a line that is not a record; errors of
  // LineReader.
  absl::StatusOr<bool> Next(Record* record) override;

  // Returns "data.tsv:12", for messages.
  std::string Name(const LinePlace& place) const { return lines_.Name(place); }

 private:
  void WarnOfCarriageReturn();
  // Adds lines to `*line` until its quotes are closed, and removes the \r of its end.
  absl::Status CompleteCsv(absl::string_view* line);

  LineReader lines_;
  RecordParser parser_;
  const RecordFormat format_;
  const bool has_header_;
  uint64_t headers_ = 0;  // inputs whose header has been read
  std::string joined_;    // lines of one record
  Console* const console_;
  bool warned_ = false;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_RECORD_READER_H_
