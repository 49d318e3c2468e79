// Prints the entries of a table, log or folder that a user selects.
#ifndef SSTABLE_TOOLS_DUMP_ENTRY_PRINTER_H_
#define SSTABLE_TOOLS_DUMP_ENTRY_PRINTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "report/record_writer.h"
#include "tools/cli/console.h"
#include "tools/records/key_range.h"

namespace sstable::tools {

// Options for selecting and formatting entries.
struct EntryOptions {
  RecordWriterOptions writer;  // with the key_kind of the source
  KeyRange range;              // plain or user keys
  uint64_t limit = UINT64_MAX;
  bool sample = false;  // `limit` entries spread evenly over the source, not the first ones
  bool reverse = false;
  bool print = true;                 // false: only count them
  std::optional<uint64_t> snapshot;  // databases only; a sequence
  DecodedProgram decode = DecodedProgram::kNone;
  // If set, only entries for which this returns true are printed. It gets the plain or user key,
  // the value, and the decoder or null. Called in several threads at once.
  std::function<bool(absl::string_view key, absl::string_view value, const EntryDecoder* decoder)>
      matches;
};

// Prints the entries of one source. Borrows the options and the console.
class EntryPrinter {
 public:
  EntryPrinter(const EntryOptions& options, KeyKind key_kind, Console* console,
               std::shared_ptr<const EntryDecoder> decoder = nullptr)
      : options_(options),
        decoder_(std::move(decoder)),
        writer_(ForSource(options.writer, key_kind, decoder_.get())),
        console_(console) {}

  const EntryOptions& options() const { return options_; }

  // Returns false if no more entries are wanted.
  bool Wanted() const { return printed_ < options_.limit && !console_->closed(); }

  // Prints the entry if it matches; the caller has checked the range. `key` is of the source's
  // kind, and `user_key`, to which range and matches apply, is a part of it.
  void Print(absl::string_view key, absl::string_view user_key, absl::string_view value,
             const RecordOrigin& origin) {
    if (options_.matches != nullptr && !options_.matches(user_key, value, decoder_.get())) {
      return;
    }
    ++printed_;
    if (!options_.print) return;
    if (!writer_.Append(key, value, origin, console_->out())) ++odd_keys_;
    console_->Wrote();
  }

  uint64_t printed() const { return printed_; }
  uint64_t odd_keys() const { return odd_keys_; }  // printed keys that are not of the source's kind

 private:
  static RecordWriterOptions ForSource(RecordWriterOptions options, KeyKind key_kind,
                                       const EntryDecoder* decoder) {
    options.key_kind = key_kind;
    options.decoder = decoder;
    return options;
  }

  const EntryOptions& options_;
  const std::shared_ptr<const EntryDecoder> decoder_;
  const RecordWriter writer_;
  Console* const console_;
  uint64_t printed_ = 0;
  uint64_t odd_keys_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_ENTRY_PRINTER_H_
