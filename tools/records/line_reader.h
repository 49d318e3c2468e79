// Reads the lines of text files.
#ifndef SSTABLE_TOOLS_RECORDS_LINE_READER_H_
#define SSTABLE_TOOLS_RECORDS_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/cli/console.h"
#include "tools/records/decompressor.h"

namespace sstable::tools {

// Where a line was read.
struct LinePlace {
  uint32_t input = 0;  // index of the input
  uint64_t line = 0;   // from 1
};

// Reads inputs one after another, a block at a time. Lines are views into the block. An input
// that begins like gzip or Zstandard data is uncompressed.
class LineReader {
 public:
  // `inputs` are paths; "-" is standard input. Reading moves the progress bar of `console`.
  LineReader(std::vector<std::string> inputs, Console* console);
  ~LineReader() { Close(); }
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Sets `*line` to the next line, without its line end, valid until the next call; returns false
  // after the last one. The end of an input also ends a line. A byte order mark (U+FEFF in UTF-8)
  // at the start of an input is skipped, with a message. Errors name the input: Cancelled after a
  // signal to stop; DataLoss for damage in a compressed input; errors from opening and reading
  // files.
  absl::StatusOr<bool> Next(absl::string_view* line);

  // Where the last line was read.
  const LinePlace& place() const { return place_; }
  // Returns "data.tsv:12", for messages.
  std::string Name(const LinePlace& place) const;

 private:
  // Takes the next line from unread_, if it is complete.
  bool TakeLine(absl::string_view* line);
  // Reads more of the current input, or finds its end.
  absl::Status ReadMore();
  // Reads up to `size` bytes of the file; 0 at its end.
  absl::StatusOr<size_t> ReadFile(char* dst, size_t size);
  // Reads up to `size` bytes, uncompressed if the file is compressed.
  absl::StatusOr<size_t> ReadUncompressed(char* dst, size_t size);
  absl::Status MakeRoom();
  absl::Status Open();
  void Close();

  const std::vector<std::string> inputs_;
  Console* const console_;
  LinePlace place_;
  int descriptor_ = -1;   // negative: the current input is not open
  bool at_start_ = true;  // nothing of the current input has been read
  bool at_end_ = false;   // the current input has ended

  std::unique_ptr<char[]> buffer_;
  size_t capacity_;
  std::unique_ptr<Decompressor> decompressor_;  // null: the input is not compressed
  std::string compressed_;                      // bytes of the file
  absl::string_view compressed_unread_;         // the part of it that has not been uncompressed
  absl::string_view unread_;                    // in the buffer
  size_t searched_ = 0;                         // bytes of unread_ that have no line end
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_LINE_READER_H_
