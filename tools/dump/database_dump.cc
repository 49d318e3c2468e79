#include "tools/dump/database_dump.h"

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tools/cli/progress.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"

namespace sstable::tools {
namespace {

// Prints the entries of an iterator over live entries, from one end or the other.
absl::Status PrintLive(const DatabaseView& view, Iterator* it, EntryPrinter* printer,
                       Progress* progress) {
  const Comparator& order = *view.comparator();
  const bool reverse = printer->options().reverse;
  const RecordOrigin origin = {view.folder()};  // the iterator does not show in which file it is
  const KeyRange& range = printer->options().range;
  const std::optional<std::string> start = reverse ? range.End(order) : range.SeekTarget(order);
  if (start.has_value()) {
    it->Seek(*start);
    if (reverse && it->Valid()) {
      it->Prev();
    } else if (reverse && it->status().ok()) {
      it->SeekToLast();
    }
  } else if (reverse) {
    it->SeekToLast();
  } else {
    it->SeekToFirst();
  }
  for (; it->Valid() && printer->Wanted(); reverse ? it->Prev() : it->Next()) {
    progress->Advance(it->key().size() + it->value().size());
    const int side = range.Side(order, it->key());
    if (reverse ? side < 0 : side > 0) break;
    if (range.Contains(order, it->key())) printer->Print(it->key(), it->key(), it->value(), origin);
  }
  return it->status();
}

// Prints all versions, or the live version of each key.
absl::Status PrintVersions(const DatabaseView& view, Versions versions, HistoryIterator* it,
                           EntryPrinter* printer, Progress* progress) {
  const Comparator& order = *view.comparator();
  const KeyRange& range = printer->options().range;
  if (const auto start = range.SeekTarget(order)) {
    it->Seek(*start);
  } else {
    it->SeekToFirst();
  }
  for (; it->Valid() && printer->Wanted(); it->Next()) {
    const HistoryIterator::Entry& entry = it->entry();
    progress->Advance(entry.key.size() + entry.value.size());
    if (range.Side(order, entry.key) > 0) break;
    if (!range.Contains(order, entry.key)) continue;
    const std::string path = PathIn(view.folder(), entry.file);
    const RecordOrigin origin = {path, entry.offset, entry.is_live};
    if (versions == Versions::kAll) {
      const std::string key = MakeInternalKey(entry.key, entry.sequence, entry.type);
      printer->Print(key, entry.key, entry.value, origin);
    } else if (entry.is_live) {
      printer->Print(entry.key, entry.key, entry.value, origin);
    }
  }
  return it->status();
}

absl::Status PrintEntries(const DatabaseView& view, Versions versions,
                          const ViewReadOptions& read_options, EntryPrinter* printer,
                          Progress* progress) {
  if (view.comparator() == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        view.folder(), ": its order, ", view.comparator_name(),
        ", is not known; --comparator gives one, and `sst dump` of each table needs none"));
  }
  const EntryOptions& options = printer->options();
  if (options.snapshot.has_value() && versions == Versions::kAll) {
    return absl::InvalidArgumentError("--snapshot can't be combined with --history");
  }
  if (options.snapshot.has_value() || (versions == Versions::kLive && !options.writer.file)) {
    ViewReadOptions at_snapshot = read_options;
    at_snapshot.snapshot = options.snapshot.value_or(kMaxSequence);
    const std::unique_ptr<Iterator> it = view.NewIterator(at_snapshot);
    return PrintLive(view, it.get(), printer, progress);
  }
  if (options.reverse) {
    return absl::InvalidArgumentError(
        "--reverse can't be combined with --history or --files for a database");
  }
  const std::unique_ptr<HistoryIterator> it = view.NewHistoryIterator(read_options);
  return PrintVersions(view, versions, it.get(), printer, progress);
}

}  // namespace

DumpResult DumpDatabase(const std::string& folder, const TableInputOptions& input,
                        const EntryOptions& options, Versions versions, Console* console) {
  absl::StatusOr<DatabaseInput> database = DatabaseInput::Open(folder, input, console);
  if (!database.ok()) return {console->Fail(database.status()), 0};
  console->progress().Begin(folder, 0);  // unknown: entries may be larger or smaller than files
  EntryPrinter printer(options, versions == Versions::kAll ? KeyKind::kInternal : KeyKind::kPlain,
                       console, DecoderFor(options.decode, database->view(), console));
  const absl::Status status = PrintEntries(database->view(), versions, database->ReadOptions(),
                                           &printer, &console->progress());
  return {Worst(database->code(), console->Fail(status)), printer.printed()};
}

}  // namespace sstable::tools
