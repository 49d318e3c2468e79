#include "tools/files/decoder_option.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/file.h"

namespace sstable::tools {

void AddDecodeTo(CommandLine* command_line, DecodedProgram* program) {
  command_line->AddChoice<DecodedProgram>(
      "--decode", NamedPrograms(), program,
      "Decode keys and values. As this program means them; auto detects it");
}

void SayChoice(DecodedProgram program, absl::string_view name, const ChosenDecoder& chosen,
               Console* console) {
  if (program == DecodedProgram::kNone) return;
  if (chosen.decoder == nullptr) {
    console->Say(absl::StrCat(name, ": none of the programs that --decode ",
                              program == DecodedProgram::kAuto ? "knows" : "names",
                              " has such keys, so they are not decoded"));
  } else if (program == DecodedProgram::kAuto) {
    console->Say(absl::StrCat(name, ": the format is ", chosen.decoder->format(), " (",
                              chosen.known, " of ", chosen.examined, " keys examined)"));
  }
  if (chosen.decoder != nullptr && !chosen.decoder->doubt().empty()) {
    console->Say(absl::StrCat(name, ": ", chosen.decoder->doubt()));
  }
}

std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, absl::string_view name,
                                         std::shared_ptr<const EntrySource> source,
                                         Console* console) {
  if (program == DecodedProgram::kNone) return nullptr;
  ChosenDecoder chosen = ChooseDecoder(program, std::move(source));
  SayChoice(program, name, chosen, console);
  return std::move(chosen.decoder);
}

std::unique_ptr<EntryDecoder> DecoderFor(DecodedProgram program, const TableReader& reader,
                                         Console* console) {
  return DecoderFor(program, reader.file().name(), NewTableSource(&reader), console);
}

}  // namespace sstable::tools
