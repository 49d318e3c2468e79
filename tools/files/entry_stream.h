// Streams of the entries of tables and databases, for `sst diff`, `sst merge` and `sst salvage`.
#ifndef SSTABLE_TOOLS_FILES_ENTRY_STREAM_H_
#define SSTABLE_TOOLS_FILES_ENTRY_STREAM_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "sstable/iterator.h"
#include "tools/cli/console.h"
#include "tools/files/database_input.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

// Iterates over the entries of a table that is in a known order. Returns DataLoss if entries may be
// missing, because the index and the blocks are inconsistent, or if Next() leads to a key that is
// not above the last one. Borrows the reader, whose index must be loaded.
std::unique_ptr<Iterator> NewGuardedIterator(const TableReader* reader);

// The live entries of a database or of a table with internal keys; all entries of a table with
// plain keys.
//
// Pattern:  Open, for (; stream.Valid(); stream.Next()) ...; then check status().
// Errors:   damage ends the stream of a table; in a database it is reported as it is found, and the
//           stream continues (see code()). DataLoss also for keys that do not ascend.
class EntryStream {
 public:
  // `path` is a table or a database folder. Errors: from opening it; Unimplemented if the
  // order of its keys is not known.
  static absl::StatusOr<EntryStream> Open(const std::string& path, const TableInputOptions& options,
                                          Console* console);

  const std::string& name() const { return name_; }  // to show
  const Comparator& order() const { return *order_; }
  // For Open() of DecodedStream.
  ChosenDecoder Choose(DecodedProgram program) const;

  bool Valid() const { return status_.ok() && it_->Valid(); }
  void Next();
  absl::string_view key() const { return it_->key(); }
  absl::string_view value() const { return it_->value(); }
  // The exit code for the damage in a database that has been reported so far. Such damage may hide
  // entries, and bring back old ones.
  ExitCode code() const { return database_ == nullptr ? ExitCode::kOk : database_->code(); }
  absl::Status status() const { return status_.ok() ? it_->status() : status_; }

 private:
  std::string name_;
  std::unique_ptr<DatabaseInput> database_;  // the iterator refers to it
  std::optional<OpenedTable> table_;
  const Comparator* order_ = nullptr;
  std::unique_ptr<Iterator> it_;  // over database_ or table_
  std::string last_key_;
  absl::Status status_;
};

// Entries and their decoder, which is null if there is none.
struct DecodedStream {
  // Does not report the choice; see SayChoice().
  static absl::StatusOr<DecodedStream> Open(const std::string& path,
                                            const TableInputOptions& options,
                                            DecodedProgram program, Console* console);

  const EntryDecoder* decoder() const { return chosen.decoder.get(); }  // null: there is none

  EntryStream entries;
  ChosenDecoder chosen;  // borrows from `entries`
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_ENTRY_STREAM_H_
