// Reads the records that `sst build` takes and `sst dump` writes.
//
// tsv:    key TAB value; of internal keys: key TAB sequence TAB type TAB value. Keys and values are
//         encoded (tools/records/text_encoding.h), so a TAB or a line end inside of one is \t or
//         \n.
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

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "table/block/key_order.h"
#include "tools/cli/console.h"
#include "tools/records/text_encoding.h"

namespace sstable::tools {

enum class RecordFormat { kText, kTsv, kJsonl, kCsv };

// Where a record was read.
struct RecordPlace {
  uint32_t input = 0;  // number of the input
  uint64_t line = 0;   // from 1
};

struct Record {
  std::string key;  // as in the table: with a tag if keys are internal
  std::string value;
  RecordPlace place;
};

struct RecordReaderOptions {
  RecordFormat format = RecordFormat::kTsv;        // or kJsonl: the others are not read
  TextEncoding encoding = TextEncoding::kEscaped;  // of tsv
  KeyKind key_kind = KeyKind::kPlain;
};

// Parses a line, without its line end. Errors: InvalidArgument saying what is wrong with it.
absl::Status ParseRecord(absl::string_view line, const RecordReaderOptions& options,
                         Record* record);

// Reads inputs one after the other, line by line.
class RecordReader {
 public:
  // `inputs` are paths; "-" is standard input. Reading moves the progress bar of `console`.
  RecordReader(std::vector<std::string> inputs, const RecordReaderOptions& options,
               Console* console);
  ~RecordReader();

  // The next record in `*record`; false at the end. Errors name input and line: InvalidArgument for
  // a line that is not a record; Cancelled after a signal to stop; those of the files.
  absl::StatusOr<bool> Next(Record* record);

  // "data.tsv:12", for messages.
  std::string Name(const RecordPlace& place) const;

 private:
  absl::Status OpenInput();
  void CloseInput();
  // The next line of the current input in line_; false at its end.
  absl::StatusOr<bool> ReadLine();
  void WarnOfCarriageReturn();

  const std::vector<std::string> inputs_;
  const RecordReaderOptions options_;
  Console* console_;
  RecordPlace place_;
  FILE* file_ = nullptr;
  char* line_buffer_ = nullptr;  // getline(3)'s
  size_t line_capacity_ = 0;
  absl::string_view line_;
  bool warned_ = false;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_RECORD_READER_H_
