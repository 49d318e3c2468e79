// `sst build`: builds a table from records.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "report/text/words.h"
#include "sstable/comparator.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "tools/bulk/build_input.h"
#include "tools/bulk/built_table.h"
#include "tools/bulk/record_input.h"
#include "tools/bulk/table_sequence.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/commands/commands.h"
#include "tools/files/table_output.h"
#include "tools/records/key_range.h"
#include "tools/records/record_reader.h"
#include "tools/sort/record_sorter.h"
#include "tools/sort/unique_records.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kDefaultMemory = uint64_t{256} << 20;  // for --sort

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "build",
      "build a table from records",
      "OUT [INPUT...]",
      /*min_arguments=*/0,
      /*max_arguments=*/SIZE_MAX,
      R"(Builds the table OUT (- for standard output) from the records in the INPUTs, or
on standard input (-). OUT appears when it is complete. An existing OUT is only
replaced with --force, or with --number if the folder has no CURRENT.

Each INPUT must be sorted, unless --sort is given. Several INPUTs are merged as
they are read, so all are open at once; with --comparator as-is, they are read one
after the other.

tsv: one record per line: key, TAB, value. \t, \n, \r, \\ and \xHH stand for a
tab, the line ends, a backslash and any byte.
csv: RFC 4180, with a first line that names the columns key and value, unless
--no-header is given. Keys and values are encoded as in tsv; with --encoding raw,
they are taken as they are.
jsonl: one object per line, {"key": "...", "value": "..."}. Bytes that are not
text are given as "key_hex", "key_base64" or "key_escaped"; values likewise. A
value may also be a number, an object or an array: its JSON text is stored.
INPUTs compressed with gzip or zstd are uncompressed, whatever their names.
Internal keys: key, sequence, type ("value" or "deletion") and value, in four
columns of tsv or csv, or with "sequence" and "type" in jsonl.

The tsv, jsonl or csv output of `sst dump`, but not with --csv-guard, yields a
table with the same entries. If their order is not bytewise, name it with
--comparator. For an order without a name, use --comparator as-is, which keeps the
order of the records and does not shorten index keys.

The defaults are LevelDB's, except for the filter: LevelDB writes none unless
the program asks for one. The same records and options give LevelDB's bytes,
except that zstd, zlib and deflate blocks depend on the version of the library.

With --number, OUT is a folder, and the table is part of a database: it gets
LevelDB's name for table N, and internal keys. Records with plain keys become
values with sequence 1. A JSON line on standard output describes the table to
`sst manifest`, which completes the database. Without records there is no table,
and the line says so; an existing one is not removed. A process that is killed
and run again makes the same file.

With --split-size, there are as many tables as the records need: OUT with a
number before its extension (out-000001.ldb, out-000002.ldb), or with --number
table N and those after it, with a line for each. All versions of a user key are
in one table. After an error or a signal, complete tables stay, and a message
names them.)",
      R"(  printf 'apple\tred\nbanana\tyellow\n' | sst build fruit.ldb
  sst build --format jsonl --sort --compression zstd:3 out.ldb records.jsonl
  sst dump --format tsv in.ldb | sst build --filter bloom:14 out.ldb
  sst build --sort --number 7 --range a:b db part-*.tsv >>lines
  sst build --split-size 64M --number 1 db all.tsv >lines)"};
  return *info;
}

class BuildCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status OrderError(const BuildInput& input, const Record& last, const Record& record) const;
  absl::Status AddAsRead(BuildInput* input, TableSequence* tables);
  absl::Status Sort(BuildInput* input, RecordSorter* sorter, Console* console);
  absl::Status BuildAsRead(std::vector<std::string> inputs, Console* console);
  absl::Status BuildMerged(const std::vector<std::string>& inputs, Console* console);
  absl::Status BuildSorted(std::vector<std::string> inputs, Console* console);
  absl::Status Build(std::vector<std::string> inputs, Console* console);
  Duplicates duplicates() const { return duplicates_.value_or(Duplicates::kRefuse); }
  absl::Status CheckOptions() const;
  std::string TemporaryFolder() const;

  RecordInputOptions input_;
  TableBuilderOptions options_;
  TableOutputOptions output_;
  TableSequenceOptions tables_;
  const std::unique_ptr<const FilterPolicy> default_filter_policy_ = NewBloomFilterPolicy(10);
  bool sort_ = false;
  std::optional<Duplicates> duplicates_;
  std::optional<uint64_t> memory_;
  std::optional<std::string> encoded_range_;
  std::optional<std::string> out_;
  BuildInputOptions records_;
};

void BuildCommand::AddOptions(CommandLine* command_line) {
  input_.AddTo(command_line);
  command_line->AddChoice<const Comparator*>(
      "--comparator",
      {{"bytewise", BytewiseComparator()},
       {"reverse", ReverseBytewiseComparator()},
       {"idb_cmp1", IndexedDbComparator()},
       {"as-is", nullptr}},
      &options_.comparator,
      "Order of the keys. idb_cmp1: that of Chromium's IndexedDB; as-is: that of the records, no "
      "two of which in a row may have the same key. Default: bytewise");
  command_line->AddFlag("--sort", &sort_,
                        "Sort the records first. Those that do not fit in memory are kept in "
                        "temporary files in the folder of OUT");
  command_line->AddNumber("--memory", "BYTES", {64 << 10, uint64_t{1} << 40, /*size=*/true},
                          &memory_, "Memory for --sort. Default: 256M");
  command_line->AddChoice<std::optional<Duplicates>>(
      "--duplicates",
      {{"error", Duplicates::kRefuse},
       {"first", Duplicates::kKeepFirst},
       {"last", Duplicates::kKeepLast}},
      &duplicates_,
      "What to do with records of one key. Fail, or keep the one that comes first or last in the "
      "INPUTs. Default: error");
  command_line->AddNumber("-j,--jobs", "N", {1, 64}, &options_.compression_threads,
                          kJobsHelp + std::string(" They compress blocks. Default: 1"));
  command_line->AddOldName("--threads", "--jobs");
  command_line->AddText("-o,--output", "OUT", &out_,
                        kOutputHelp + std::string(". The arguments are then INPUTs"));
  command_line->AddText(
      "--range", "LO:HI", &encoded_range_,
      "Only records with keys from LO up to, but not including, HI. Both are encoded as given by "
      "--encoding, with a colon as \\x3a. An empty LO or HI is no bound");
  command_line->AddNumber("--number", "N", {1, kMaxTableNumber}, &tables_.number,
                          "Make table N of a database in the folder OUT");
  command_line->AddNumber("--split-size", "BYTES", {1, uint64_t{1} << 40, /*size=*/true},
                          &tables_.split_size, kSplitSizeHelp);
  output_.AddTo(command_line, {"bloom:10", "snappy", "4K", "16"});
}

// Returns why `record` may not follow `last`.
absl::Status BuildCommand::OrderError(const BuildInput& input, const Record& last,
                                      const Record& record) const {
  const KeyOrder& order = *records_.order;
  const std::string place = input.Name(record.place), last_place = input.Name(last.place);
  if (last.key == record.key) return DuplicateKeyError(order, record.key, place, last_place);
  if (options_.keep_input_order) {
    return absl::InvalidArgumentError(absl::StrCat(place, ": key ", ShowKey(order, record.key),
                                                   " is a newer version of the key before it, at ",
                                                   last_place));
  }
  return KeyOrderError(order, record.key, place, last.key, last_place);
}

// Adds records in their order. TableBuilder would also refuse disorder, but can't name the lines.
absl::Status BuildCommand::AddAsRead(BuildInput* input, TableSequence* tables) {
  const KeyOrder& order = *records_.order;
  Record record, last;
  std::string last_key;
  for (bool has_last = false;; has_last = true) {
    ASSIGN_OR_RETURN(const bool has_record, input->Next(&record));
    if (!has_record) return absl::OkStatus();
    const bool may_follow =
        !has_last || (options_.keep_input_order ? MayFollow(order.kind(), last_key, record.key)
                                                : order.Compare(last_key, record.key) < 0);
    if (!may_follow) return OrderError(*input, last, record);
    RETURN_IF_ERROR(tables->Add(record.key, record.value));
    last_key.assign(record.key.data(), record.key.size());
    last = {last_key, {}, record.place};
  }
}

// Adds records that are known to be in order.
absl::Status AddOrdered(RecordSource* records, TableSequence* tables) {
  for (Record record;;) {
    ASSIGN_OR_RETURN(const bool has_record, records->Next(&record));
    if (!has_record) return absl::OkStatus();
    RETURN_IF_ERROR(tables->Add(record.key, record.value));
  }
}

// The folder for records that --sort can't keep in memory.
std::string BuildCommand::TemporaryFolder() const {
  if (tables_.number > 0) return tables_.out;
  if (tables_.out == "-") return sys::TemporaryFolder();
  const std::string folder = sys::FromPath(sys::ToPath(tables_.out).parent_path());
  return folder.empty() ? "." : folder;
}

absl::Status BuildCommand::Sort(BuildInput* input, RecordSorter* sorter, Console* console) {
  for (Record record;;) {
    ASSIGN_OR_RETURN(const bool has_record, input->Next(&record));
    if (!has_record) break;
    RETURN_IF_ERROR(sorter->Add(record));
  }
  console->progress().Begin(absl::StrCat("sorting ", Count(sorter->record_count(), "record")), 0);
  return sorter->Sort();
}

// Ends the sequence; after an error, reports the tables that are complete.
absl::Status FinishTables(absl::Status status, TableSequence* tables) {
  if (status.ok()) status = tables->Finish();
  if (!status.ok()) tables->SayComplete();
  return status;
}

absl::Status BuildCommand::BuildAsRead(std::vector<std::string> inputs, Console* console) {
  const InterruptGuard guard;
  TableSequence tables(&tables_, console);
  RETURN_IF_ERROR(tables.Begin());
  BuildInput input(std::move(inputs), &records_, console);
  return FinishTables(AddAsRead(&input, &tables), &tables);
}

absl::Status BuildCommand::BuildMerged(const std::vector<std::string>& inputs, Console* console) {
  const InterruptGuard guard;
  TableSequence tables(&tables_, console);
  RETURN_IF_ERROR(tables.Begin());
  ASSIGN_OR_RETURN(const std::unique_ptr<MergedBuildInput> input,
                   MergedBuildInput::Create(inputs, &records_, duplicates(), console));
  return FinishTables(AddOrdered(input.get(), &tables), &tables);
}

// Reading and sorting may take minutes, so this first checks that OUT can be written. The sorter's
// files have no name, so until all records are sorted there is no file to remove, and signals may
// end the program at once.
absl::Status BuildCommand::BuildSorted(std::vector<std::string> inputs, Console* console) {
  {
    const InterruptGuard guard;
    RETURN_IF_ERROR(TableSequence(&tables_, console).Begin());
  }
  BuildInput input(std::move(inputs), &records_, console);
  RecordSorter sorter({records_.order, duplicates(), memory_.value_or(kDefaultMemory),
                       TemporaryFolder(),
                       [&input](const LinePlace& place) { return input.Name(place); }});
  RETURN_IF_ERROR(Sort(&input, &sorter, console));
  const InterruptGuard guard;
  TableSequence tables(&tables_, console);
  RETURN_IF_ERROR(tables.Begin());
  console->progress().Begin(absl::StrCat("writing ", tables_.out), 0);
  return FinishTables(AddOrdered(&sorter, &tables), &tables);
}

absl::Status BuildCommand::CheckOptions() const {
  RETURN_IF_ERROR(output_.CheckOptions());
  RETURN_IF_ERROR(tables_.Check());
  if (!sort_ && memory_.has_value()) {
    return absl::InvalidArgumentError("--memory is an option of --sort");
  }
  if (!options_.keep_input_order) return absl::OkStatus();
  const absl::string_view needs_order = sort_                        ? "--sort"
                                        : encoded_range_.has_value() ? "--range"
                                        : tables_.number > 0         ? "--number"
                                        : duplicates_.has_value()    ? "--duplicates"
                                                                     : "";
  if (needs_order.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--comparator as-is and ", needs_order, " can't be combined"));
}

absl::Status BuildCommand::Build(std::vector<std::string> inputs, Console* console) {
  RETURN_IF_ERROR(CheckOptions());
  if (encoded_range_.has_value()) {
    absl::StatusOr<KeyRange> range =
        ParseKeyRange(*encoded_range_, OutsideOfCsv(input_.reader.encoding));
    if (!range.ok()) return AtPlace("option --range", range.status());
    if (range->from.has_value() && range->to.has_value() &&
        options_.comparator->Compare(*range->from, *range->to) >= 0) {
      return absl::InvalidArgumentError("option --range: LO is not below HI");
    }
    records_.range = *std::move(range);
  }
  const KeyOrder order(options_.comparator, options_.key_kind);
  records_.order = &order;
  records_.reader = input_.reader;
  if (sort_) return BuildSorted(std::move(inputs), console);
  // A single sorted input, or records in an order without a name, need no merge, which would copy
  // each record.
  if (options_.keep_input_order || (inputs.size() == 1 && duplicates() == Duplicates::kRefuse)) {
    return BuildAsRead(std::move(inputs), console);
  }
  return BuildMerged(inputs, console);
}

ExitCode BuildCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (arguments.empty() && !out_.has_value()) {
    console->Say("build: OUT is missing; `sst build --help` explains more");
    return ExitCode::kCannot;
  }
  absl::StatusOr<std::vector<std::string>> inputs =
      input_.TakeInputs(arguments, out_.has_value() ? 0 : 1);
  if (!inputs.ok()) return console->Fail(inputs.status());
  options_.key_kind = tables_.number > 0 ? KeyKind::kInternal : input_.reader.key_kind;
  options_.filter_policy = default_filter_policy_.get();
  options_.keep_input_order = options_.comparator == nullptr;
  if (options_.keep_input_order) options_.comparator = BytewiseComparator();
  output_.ApplyTo(&options_);
  tables_.out_is_first = !out_.has_value();
  tables_.out = out_.has_value() ? *out_ : arguments[0];
  tables_.builder = &options_;
  tables_.output = &output_;
  return console->Fail(Build(*std::move(inputs), console));
}

}  // namespace

std::unique_ptr<Command> NewBuildCommand() { return std::make_unique<BuildCommand>(); }

}  // namespace sstable::tools
