#include <algorithm>
#include <cstddef>
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
#include "tools/cli/ordered_jobs.h"
#include "tools/cli/progress.h"
#include "tools/dump/dumps.h"
#include "tools/dump/sample.h"
#include "tools/files/database_input.h"
#include "tools/files/decoder_option.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"

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

// With kAll, prints the entry with its internal key; with kLive, with its user key and only if it
// is live.
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

KeyKind KeyKindOf(Versions versions) {
  return versions == Versions::kAll ? KeyKind::kInternal : KeyKind::kPlain;
}

// Prints the live entries at `keys`, or all versions of them; without `keys`, what the options
// select.
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

// Divides the selected keys into parts that threads can print, in order. Each part begins with a
// table's first key and has about 2 MiB of tables, since its output should fit in memory. If many
// tables overlap, there is only one part, since each thread would have all of these tables open.
std::vector<KeyRange> CutIntoParts(const DatabaseView& view, const KeyRange& range) {
  constexpr uint64_t kPartSize = uint64_t{2} << 20;
  constexpr size_t kMaxOverlapping = 100;
  struct Cut {
    absl::string_view key;
    uint64_t size;  // the size of the table that begins there
  };
  const Comparator& order = *view.comparator();
  std::vector<Cut> cuts;
  size_t overlapping = 0;
  for (const DatabaseTable& table : view.ListTables()) {
    if (table.level <= 0) ++overlapping;
    const absl::string_view key = ExtractUserKey(table.smallest);
    if (range.Side(order, key) != 0) continue;
    cuts.push_back({key, table.size});
  }
  std::vector<KeyRange> parts = {range};
  if (overlapping > kMaxOverlapping) return parts;
  std::sort(cuts.begin(), cuts.end(),
            [&order](const Cut& a, const Cut& b) { return order.Compare(a.key, b.key) < 0; });
  uint64_t size = 0;
  for (const Cut& cut : cuts) {
    if (size >= kPartSize) {
      parts.back().to = std::string(cut.key);
      parts.push_back(range);
      parts.back().from = std::string(cut.key);
      size = 0;
    }
    size += cut.size;
  }
  return parts;
}

// The result of printing a part.
struct DumpedPart {
  absl::Status status;
  uint64_t printed = 0;
  std::vector<DatabaseProblem> problems;
};

// Prints the parts of PrintEntries() in several threads. Reports damage afterwards, each problem
// once.
absl::Status PrintInParts(const DatabaseView& view, Versions versions,
                          const ViewReadOptions& read_options, const std::vector<KeyRange>& parts,
                          uint64_t threads, const EntryOptions& options,
                          const std::shared_ptr<const EntryDecoder>& decoder, Console* console,
                          uint64_t* printed) {
  std::vector<DumpedPart> dumped(parts.size());
  const auto run = [&](const JobContext& job) {
    DumpedPart& part = dumped[job.number];
    EntryOptions of_part = options;
    of_part.range = parts[job.number];
    ViewReadOptions collecting = read_options;
    collecting.on_damage = [&part](const DatabaseProblem& problem) {
      part.problems.push_back(problem);
    };
    EntryPrinter printer(of_part, KeyKindOf(versions), job.console, decoder);
    part.status = PrintEntries(view, versions, collecting, /*keys=*/nullptr, &printer,
                               &job.console->progress());
    part.printed = printer.printed();
    if (!part.status.ok()) job.output->MakeLast();
  };
  RunInOrder(
      parts.size(), threads, [](size_t) { return uint64_t{0}; }, run, console);
  for (const DumpedPart& part : dumped) {
    for (const DatabaseProblem& problem : part.problems) read_options.on_damage(problem);
    *printed += part.printed;
    RETURN_IF_ERROR(part.status);
  }
  return absl::OkStatus();
}

// Names the compacted tables that may still be in the folder: a history does not have their
// entries.
void SayNotSearched(const DatabaseView& view, Console* console) {
  std::vector<std::string> names;
  for (const DatabaseFile& file : view.ListFiles()) {
    const bool is_table = file.parsed.has_value() && file.parsed->kind == DatabaseFileKind::kTable;
    if (is_table && file.use == DatabaseFile::Use::kLeftOver) names.push_back(file.name);
  }
  if (names.empty()) return;
  console->Say(absl::StrCat(
      view.folder(), ": not searched: ", names[0],
      names.size() > 1 ? absl::StrCat(" and ", Count(names.size() - 1, "other table")) : "",
      ", which ", view.manifest_name(),
      " does not name; `sst salvage --include-dropped` makes a database that has their entries"));
}

}  // namespace

DumpResult DumpDatabase(const std::string& folder, const TableInputOptions& input,
                        const EntryOptions& options, Versions versions, uint64_t threads,
                        Console* console) {
  absl::StatusOr<DatabaseInput> database = DatabaseInput::Open(folder, input, console);
  if (!database.ok()) return {console->Fail(database.status()), 0};
  console->progress().Begin(folder, 0);  // the entries and the files differ in size
  const DatabaseView& view = database->view();
  if (versions == Versions::kAll) SayNotSearched(view, console);
  const std::shared_ptr<const EntryDecoder> decoder = DecoderFor(options.decode, view, console);
  std::vector<KeyRange> parts;
  if (threads > 1 && view.comparator() != nullptr && !options.sample && !options.reverse &&
      options.limit == UINT64_MAX) {
    parts = CutIntoParts(view, options.range);
  }
  if (parts.size() > 1) {
    uint64_t printed = 0;
    const absl::Status status = PrintInParts(view, versions, database->ReadOptions(), parts,
                                             threads, options, decoder, console, &printed);
    return {Worst(console->Fail(status), database->code()), printed};
  }
  SampledKeys sampled;
  EntryOptions shown = options;
  if (options.sample && view.comparator() != nullptr) {
    sampled = SampleKeys(view, input, options.limit, console);
    shown.limit = UINT64_MAX;  // a key may have several versions
  }
  EntryPrinter printer(shown, KeyKindOf(versions), console, decoder);
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
