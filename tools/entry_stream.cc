#include "tools/entry_stream.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/live_iterator.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "tools/input_files.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {

absl::StatusOr<EntryStream> EntryStream::Open(const std::string& path,
                                              const TableInputOptions& options, Console* console) {
  EntryStream stream;
  stream.name_ = InputName(path);
  if (IsFolder(path)) {
    ASSIGN_OR_RETURN(stream.database_, DatabaseInput::Open(path, options, console));
    if (stream.database_->code() != ExitCode::kOk) {
      return absl::DataLossError(absl::StrCat(path, ": is damaged, so not all of it is known"));
    }
    const DatabaseView& view = stream.database_->view();
    stream.order_ = view.comparator();
    if (stream.order_ == nullptr) {
      return absl::UnimplementedError(absl::StrCat(path, ": its order, ", view.comparator_name(),
                                                   ", is not known; --comparator gives one"));
    }
    stream.it_ = view.NewIterator();
  } else {
    ASSIGN_OR_RETURN(stream.table_, OpenTable(path, options, console));
    const TableReader& reader = *stream.table_->reader;
    RETURN_IF_ERROR(reader.LoadIndex());
    if (!stream.table_->searchable()) {
      return absl::UnimplementedError(
          absl::StrCat(stream.name_, ": ", stream.table_->why_not_searchable));
    }
    stream.order_ = &KeyOrderOf(reader).user_comparator();
    stream.it_ = reader.NewIterator();
    if (KeyOrderOf(reader).kind() == KeyKind::kInternal) {
      stream.it_ = NewLiveIterator(std::move(stream.it_), stream.order_);
    }
  }
  stream.it_->SeekToFirst();
  return stream;
}

void EntryStream::Next() {
  last_key_.assign(key().data(), key().size());
  it_->Next();
  if (!it_->Valid() || order_->Compare(last_key_, key()) < 0) return;
  status_ = absl::DataLossError(absl::StrCat(name_, ": key ", ShowBytes(key()),
                                             " follows, but is not above, ", ShowBytes(last_key_)));
}

}  // namespace sstable::tools
