#include "tools/dump/database_dump.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "report/text/words.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "tools/cli/progress.h"
#include "tools/dump/sample.h"
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

// Prints the live entries at or after `keys`, each once.
absl::Status PrintLiveAt(const std::vector<std::string>& keys, const DatabaseView& view,
                         Iterator* it, EntryPrinter* printer) {
  const Comparator& order = *view.comparator();
  std::string last;
  bool has_last = false;
  for (const std::string& key : keys) {
    if (!printer->Wanted()) break;
    if (has_last && order.Compare(key, last) <= 0) continue;
    it->Seek(key);
    if (!it->Valid()) break;
    printer->Print(it->key(), it->key(), it->value(), {view.folder()});
    last.assign(it->key().data(), it->key().size());
    has_last = true;
  }
  return it->status();
}

// Prints the entry, with an internal key, or only if it is live, with the user key.
void PrintVersion(const DatabaseView& view, Versions versions, const HistoryIterator::Entry& entry,
                  EntryPrinter* printer) {
  const std::string path = PathIn(view.folder(), entry.file);
  const RecordOrigin origin = {path, entry.offset, entry.is_live};
  if (versions == Versions::kAll) {
    const std::string key = MakeInternalKey(entry.key, entry.sequence, entry.type);
    printer->Print(key, entry.key, entry.value, origin);
  } else if (entry.is_live) {
    printer->Print(entry.key, entry.key, entry.value, origin);
  }
}

// Prints all versions of each of `keys`.
absl::Status PrintVersionsOf(const std::vector<std::string>& keys, const DatabaseView& view,
                             HistoryIterator* it, EntryPrinter* printer) {
  for (const std::string& key : keys) {
    it->Seek(key);
    for (; it->Valid() && printer->Wanted() && it->entry().key == key; it->Next()) {
      PrintVersion(view, Versions::kAll, it->entry(), printer);
    }
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
    if (range.Contains(order, entry.key)) PrintVersion(view, versions, entry, printer);
  }
  return it->status();
}

// With `keys`, prints the live entries at them or all versions of them, else what the options say.
absl::Status PrintEntries(const DatabaseView& view, Versions versions,
                          const ViewReadOptions& read_options, const std::vector<std::string>* keys,
                          EntryPrinter* printer, Progress* progress) {
  if (view.comparator() == nullptr) {
    return absl::UnimplementedError(absl::StrCat(
        view.folder(), ": its order, ", view.comparator_name(),
        ", is not known; --comparator gives one, and `sst dump` of each table needs none"));
  }
  const EntryOptions& options = printer->options();
  if (options.snapshot.has_value() && versions == Versions::kAll) {
    return absl::InvalidArgumentError("--snapshot can't be combined with --history");
  }
  if (options.snapshot.has_value() ||
      (versions == Versions::kLive && (keys != nullptr || !options.writer.file))) {
    ViewReadOptions at_snapshot = read_options;
    at_snapshot.snapshot = options.snapshot.value_or(kMaxSequence);
    const std::unique_ptr<Iterator> it = view.NewIterator(at_snapshot);
    return keys != nullptr ? PrintLiveAt(*keys, view, it.get(), printer)
                           : PrintLive(view, it.get(), printer, progress);
  }
  if (options.reverse) {
    return absl::InvalidArgumentError(
        "--reverse can't be combined with --history or --files for a database");
  }
  const std::unique_ptr<HistoryIterator> it = view.NewHistoryIterator(read_options);
  if (keys != nullptr) return PrintVersionsOf(*keys, view, it.get(), printer);
  return PrintVersions(view, versions, it.get(), printer, progress);
}

}  // namespace

DumpResult DumpDatabase(const std::string& folder, const TableInputOptions& input,
                        const EntryOptions& options, Versions versions, Console* console) {
  absl::StatusOr<DatabaseInput> database = DatabaseInput::Open(folder, input, console);
  if (!database.ok()) return {console->Fail(database.status()), 0};
  console->progress().Begin(folder, 0);  // unknown: entries may be larger or smaller than files
  const DatabaseView& view = database->view();
  SampledKeys sampled;
  EntryOptions shown = options;
  if (options.sample && view.comparator() != nullptr) {
    sampled = SampleKeys(view, input, options.limit, console);
    shown.limit = UINT64_MAX;  // a key may have several versions
  }
  EntryPrinter printer(shown, versions == Versions::kAll ? KeyKind::kInternal : KeyKind::kPlain,
                       console, DecoderFor(options.decode, view, console));
  const absl::Status status =
      PrintEntries(view, versions, database->ReadOptions(),
                   options.sample ? &sampled.keys : nullptr, &printer, &console->progress());
  ExitCode code = Worst(database->code(), console->Fail(status));
  for (const absl::Status& error : sampled.errors) {
    if (!database->HasReported(error)) code = Worst(code, console->Fail(error));
  }
  if (options.sample && status.ok()) {
    console->Say(absl::StrCat(folder, ": ", Count(printer.printed(), "entry"),
                              " at keys spread evenly over the ", sampled.size, " bytes of ",
                              Count(view.ListTables().size(), "table"), " and ",
                              Count(view.logs().size(), "log")));
  }
  return {code, printer.printed()};
}

}  // namespace sstable::tools
