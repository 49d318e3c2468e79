// Finds the program that wrote a table by the form of its keys.
#ifndef SSTABLE_DECODE_CHOOSE_DECODER_H_
#define SSTABLE_DECODE_CHOOSE_DECODER_H_

#include <cstddef>
#include <memory>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "decode/entry_decoder.h"
#include "sstable/table_reader.h"

namespace sstable {

enum class DecodedProgram { kNone, kAuto, kChromium, kBedrock, kBitcoin };

struct ChosenDecoder {
  std::unique_ptr<EntryDecoder> decoder;  // null: none fits
  size_t known = 0;                       // keys examined that it decodes
  size_t examined = 0;
};

// Receives a plain or user key and its value; returns false if no more are wanted.
using EntryVisitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;
// Calls `visit` with entries, in order of keys, while it returns true.
using EntrySource = absl::FunctionRef<void(EntryVisitor visit)>;

// Examines the first 1,000 entries. Chooses, from the program's formats, the one that decodes the
// most keys, if it decodes any; with kAuto, from those of all programs, if it decodes three
// quarters.
ChosenDecoder ChooseDecoder(DecodedProgram program, EntrySource entries);
// ChooseDecoder() for a table. Skips entries that can't be read.
ChosenDecoder ChooseDecoder(DecodedProgram program, const TableReader& reader);

}  // namespace sstable

#endif  // SSTABLE_DECODE_CHOOSE_DECODER_H_
