// The option --decode.
#ifndef SSTABLE_TOOLS_FILES_DECODER_OPTION_H_
#define SSTABLE_TOOLS_FILES_DECODER_OPTION_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "sstable/table_reader.h"
#include "tools/cli/command_line.h"
#include "tools/cli/console.h"

namespace sstable::tools {

void AddDecodeTo(CommandLine* command_line, DecodedProgram* program);

// Reports the format that kAuto has chosen, or that none fits; nothing for kNone. `name` is what is
// decoded.
void SayChoice(DecodedProgram program, absl::string_view name, const ChosenDecoder& chosen,
               Console* console);

// Calls ChooseDecoder() and SayChoice(). Null if there is no decoder.
std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, absl::string_view name,
                                         std::shared_ptr<const EntrySource> source,
                                         Console* console);
// For the entries of a table, which must outlive the decoder.
std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, const TableReader& reader,
                                         Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_DECODER_OPTION_H_
