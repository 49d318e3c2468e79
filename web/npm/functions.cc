// Functions that the npm package needs besides sstable/c.h: decoding keys and values, and salvage
// of a table.
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "report/table_json.h"
#include "sstable/c.h"
#include "sstable/experimental/table_salvage.h"
#include "web/core/call.h"

namespace sstable::tools {
namespace {

std::unique_ptr<EntryDecoder> decoder;

void AppendField(absl::string_view name, const ValueTree& tree, std::string* out) {
  if (tree.empty()) return;
  absl::StrAppend(out, out->size() > 1 ? "," : "", "\"", name, "\":");
  tree.AppendJson(out);
}

}  // namespace
}  // namespace sstable::tools

using namespace sstable;         // NOLINT: the names below are C's
using namespace sstable::tools;  // NOLINT

// Salvages the table, see SalvageTable(); argument 0 is the name of its file. The result is that of
// `sst salvage --format json`.
SST_EXPORT int sst_salvage_report() {
  return Guarded([]() -> absl::Status {
    return SalvageTable([](const Salvager& salvager, bool is_written, const EntryDecoder* decoder) {
      SetResult(SalvageJson(salvager, arguments[0], "", is_written, decoder));
    });
  });
}

// Finds the decoder for the entries of `reader`, or of `database` if `reader` is null; the object
// must outlive the decoder. The result is DecoderJson().
SST_EXPORT int sst_choose_decoder(const sstable_reader* reader, const sstable_database* database) {
  return Guarded([&]() -> absl::Status {
    decoder = ChooseDecoder(DecodedProgram::kAuto, reader != nullptr
                                                       ? NewTableSource(reader->reader.get())
                                                       : NewDatabaseSource(database->view.get()))
                  .decoder;
    SetResult(DecoderJson(decoder.get()));
    return absl::OkStatus();
  });
}

// Decodes the user key in argument 0 and the value in argument 1. The result is an object with the
// fields "key" and "value", without those that can't be decoded.
SST_EXPORT int sst_decode() {
  return Guarded([]() -> absl::Status {
    if (decoder == nullptr) return absl::FailedPreconditionError("no decoder was chosen");
    const DecodedEntry entry = decoder->Decode(arguments[0], arguments[1]);
    std::string object = "{";
    AppendField("key", entry.key, &object);
    AppendField("value", entry.value, &object);
    result = absl::StrCat(object, "}");
    return absl::OkStatus();
  });
}
