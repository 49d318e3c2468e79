// `sst build`: builds a table from records.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "db/folder.h"
#include "sstable/bloom_filter_policy.h"
#include "sstable/comparator.h"
#include "sstable/file_name.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "tools/built_table.h"
#include "tools/cli/interrupt.h"
#include "tools/cli/words.h"
#include "tools/commands.h"
#include "tools/record_input.h"
#include "tools/records/json.h"
#include "tools/records/key_range.h"
#include "tools/records/record_reader.h"
#include "tools/sort/record_sorter.h"
#include "tools/table_output.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kDefaultMemory = uint64_t{256} << 20;  // for --sort
// The lowest that LevelDB gives to a write.
constexpr uint64_t kSequenceOfPlainRecords = 1;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "build",
      "build a table from records",
      "OUT [INPUT...]",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Builds the table OUT (- for standard output) from the records in the INPUTs, or
on standard input (-). OUT appears when it is complete and replaces a table of
that name. A file that is not a table, is read-only or belongs to another user
is only replaced with --force.

tsv: one record per line: key, TAB, value. \t, \n, \r, \\ and \xHH stand for a
tab, the line ends, a backslash and any byte.
jsonl: one object per line, {"key": "...", "value": "..."}. Bytes that are not
text are given as "key_hex", "key_base64" or "key_escaped"; likewise "value_".
Internal keys: key, sequence, type ("value" or "deletion") and value, in four
columns of tsv, or with "sequence" and "type" in jsonl.

The tsv or jsonl output of `sst dump` gives a table with the same entries. If
they have another order than that of their bytes, name it; if it has no name
here, use --comparator as-is, which keeps the order of the records and shortens
no index key.

The defaults are LevelDB's, except for the filter: LevelDB writes none unless
the program asks for one. The same records and options give LevelDB's bytes,
except that zstd, zlib and deflate blocks depend on the version of the library.

With --number, OUT is a folder, and the table is one of a database's: it gets
the name that LevelDB gives table N there, and internal keys. Records of plain
keys become values of sequence 1. A JSON line on standard output has what `sst
manifest`, which completes the database, must know of the table. Without records
there is no table, and the line says so; one that is there is not removed. A
process that is killed and run again makes the same file.)",
      R"(  printf 'apple\tred\nbanana\tyellow\n' | sst build fruit.ldb
  sst build --from jsonl --sort --compression zstd:3 out.ldb records.jsonl
  sst dump --format tsv in.ldb | sst build --filter bloom:14 out.ldb
  sst build --sort --number 7 --range a:b db part-*.tsv >>lines)"};
  return *info;
}

class BuildCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status CheckOutput(const std::string& out, const Console& console) const;
  absl::StatusOr<std::unique_ptr<TableBuilder>> NewBuilder(const std::string& out,
                                                           Console* console) const;
  absl::Status OrderError(const RecordReader& reader, const Record& last,
                          const Record& record) const;
  absl::StatusOr<bool> NextInRange(RecordReader* reader, Record* record);
  absl::Status Add(const Record& record, TableBuilder* builder);
  absl::Status AddRecords(RecordReader* reader, TableBuilder* builder);
  absl::Status Sort(RecordReader* reader, RecordSorter* sorter, Console* console);
  absl::Status BuildAsRead(const std::string& out, RecordReader* reader, Console* console);
  absl::Status BuildSorted(const std::string& out, RecordReader* reader, Console* console);
  absl::Status Finish(const std::string& out, TableBuilder* builder, Console* console);
  absl::Status Build(const std::string& out, std::vector<std::string> inputs, Console* console);
  absl::Status CheckOptions() const;
  std::string Summary(const std::string& out, const TableBuilder& builder) const;

  RecordInputOptions input_;
  TableBuilderOptions options_;
  TableOutputOptions output_;
  const std::unique_ptr<const FilterPolicy> default_filter_policy_ = NewBloomFilterPolicy(10);
  bool sort_ = false;
  std::optional<Duplicates> duplicates_;
  std::optional<uint64_t> memory_;
  std::optional<std::string> encoded_range_;
  KeyRange range_;
  BuiltTable built_;          // with --number; else its number is 0
  std::string internal_key_;  // of a plain record for built_
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
      "Order of the keys; idb_cmp1 is that of Chromium's IndexedDB, and as-is keeps that of the "
      "records, where no key may follow itself. Default: bytewise");
  command_line->AddFlag("--sort", &sort_,
                        "Sort the records first. What does not fit into memory waits in temporary "
                        "files beside OUT");
  command_line->AddNumber("--memory", "BYTES", {64 << 10, uint64_t{1} << 40, /*size=*/true},
                          &memory_, "Memory for --sort. Default: 256M");
  command_line->AddChoice<std::optional<Duplicates>>(
      "--duplicates",
      {{"error", Duplicates::kRefuse},
       {"first", Duplicates::kKeepFirst},
       {"last", Duplicates::kKeepLast}},
      &duplicates_,
      "What --sort does with records of the same key: fail, or keep the one that comes first or "
      "last in the INPUTs. Default: error");
  command_line->AddNumber("--threads", "N", {1, 64}, &options_.compression_threads,
                          "Threads that compress. The table does not depend on it. Default: 1");
  command_line->AddText(
      "--range", "LO:HI", &encoded_range_,
      "Only records with keys from LO on and below HI, each encoded as --encoding "
      "says, with a colon in a key as \\x3a; without LO or HI there is no bound");
  command_line->AddNumber("--number", "N", {1, kMaxTableNumber}, &built_.file.number,
                          "Make table N of the database that OUT is to be the folder of");
  output_.AddTo(command_line, TableOutputOptions::Replaces::kTables,
                {"bloom:10", "snappy", "4K", "16"});
}

// Protects a file that was meant to be an INPUT.
absl::Status BuildCommand::CheckOutput(const std::string& out, const Console& console) const {
  if (out == "-") {
    return console.output_is_terminal()
               ? absl::InvalidArgumentError(
                     "a table is not written to a terminal; redirect standard output")
               : absl::OkStatus();
  }
  return output_.CheckReplaceable(out);
}

absl::StatusOr<std::unique_ptr<TableBuilder>> BuildCommand::NewBuilder(const std::string& out,
                                                                       Console* console) const {
  if (out == "-") return TableBuilder::Create(options_, console->OutputFile());
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateTableOutput(out, console));
  return TableBuilder::Create(options_, std::move(file));
}

// Why `record` may not follow `last`.
absl::Status BuildCommand::OrderError(const RecordReader& reader, const Record& last,
                                      const Record& record) const {
  const KeyOrder order(options_.comparator, options_.key_kind);
  const std::string key =
      absl::StrCat(reader.Name(record.place), ": key ", ShowKey(order, record.key));
  const std::string place = reader.Name(last.place);
  if (last.key == record.key) {
    return absl::InvalidArgumentError(absl::StrCat(key, " was already given, at ", place));
  }
  if (options_.keep_input_order) {
    return absl::InvalidArgumentError(
        absl::StrCat(key, " is a newer version of the key before it, at ", place));
  }
  return absl::InvalidArgumentError(absl::StrCat(key, " comes before ", ShowKey(order, last.key),
                                                 " of ", place, " by ", options_.comparator->Name(),
                                                 "; --sort sorts the records; --comparator as-is "
                                                 "keeps their order, for a table in an order of "
                                                 "its own"));
}

// The next record whose user key is in the range, as the table will have it.
absl::StatusOr<bool> BuildCommand::NextInRange(RecordReader* reader, Record* record) {
  const bool has_tag = input_.reader.key_kind == KeyKind::kInternal;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_record, reader->Next(record));
    if (!has_record) return false;
    const absl::string_view user_key = has_tag ? ExtractUserKey(record->key) : record->key;
    if (range_.Contains(*options_.comparator, user_key)) break;
  }
  if (!has_tag && options_.key_kind == KeyKind::kInternal) {
    internal_key_ = MakeInternalKey(record->key, kSequenceOfPlainRecords, ValueType::kValue);
    record->key = internal_key_;
  }
  return true;
}

absl::Status BuildCommand::Add(const Record& record, TableBuilder* builder) {
  if (built_.file.number > 0) built_.Add(record.key);
  return builder->Add(record.key, record.value);
}

// Adds records in their order. TableBuilder would refuse disorder as well, but does not know lines.
absl::Status BuildCommand::AddRecords(RecordReader* reader, TableBuilder* builder) {
  const KeyOrder order(options_.comparator, options_.key_kind);
  Record record, last;
  std::string last_key;
  for (bool has_last = false;; has_last = true) {
    ASSIGN_OR_RETURN(const bool has_record, NextInRange(reader, &record));
    if (!has_record) return absl::OkStatus();
    const bool may_follow =
        !has_last || (options_.keep_input_order ? MayFollow(order.kind(), last_key, record.key)
                                                : order.Compare(last_key, record.key) < 0);
    if (!may_follow) return OrderError(*reader, last, record);
    RETURN_IF_ERROR(Add(record, builder));
    last_key.assign(record.key.data(), record.key.size());
    last = {last_key, {}, record.place};
  }
}

// Where --sort keeps what does not fit into memory.
std::string TemporaryFolder(const std::string& out) {
  if (out == "-") {
    const char* const folder = std::getenv("TMPDIR");
    return folder == nullptr || *folder == '\0' ? "/tmp" : folder;
  }
  const std::string folder = std::filesystem::path(out).parent_path();
  return folder.empty() ? "." : folder;
}

absl::Status BuildCommand::Sort(RecordReader* reader, RecordSorter* sorter, Console* console) {
  for (Record record;;) {
    ASSIGN_OR_RETURN(const bool has_record, NextInRange(reader, &record));
    if (!has_record) break;
    RETURN_IF_ERROR(sorter->Add(record));
  }
  console->progress().Begin(absl::StrCat("sorting ", Count(sorter->record_count(), "record")), 0);
  return sorter->Sort();
}

// The filters that the options ask for.
std::string DescribeFilters(const TableBuilderOptions& options) {
  std::vector<std::string> filters;
  if (const FilterPolicy* const policy = options.filter_policy; policy != nullptr) {
    const BloomTraits* const bloom = policy->bloom();
    filters.push_back(absl::StrCat(
        "filter ", policy->Name(),
        bloom == nullptr  ? ""
        : bloom->rate > 0 ? absl::StrCat(" for a rate of ", 100 * bloom->rate, " %")
                          : absl::StrCat(" with ", bloom->bits_per_key, " bits per key")));
  }
  if (const TableFilterPolicy* const policy = options.table_filter_policy; policy != nullptr) {
    filters.push_back(absl::StrCat("table filter ", policy->Name()));
  }
  return filters.empty() ? "no filter" : absl::StrJoin(filters, ", ");
}

std::string BuildCommand::Summary(const std::string& out, const TableBuilder& builder) const {
  return absl::StrCat(out == "-" ? "standard output" : out, ": ",
                      Count(builder.NumEntries(), "entry"), ", ", builder.FileSize(), " bytes, ",
                      DescribeFilters(options_));
}

absl::Status BuildCommand::Finish(const std::string& out, TableBuilder* builder, Console* console) {
  // LevelDB has no table without entries.
  const bool has_table = built_.file.number == 0 || built_.entry_count > 0;
  if (has_table) RETURN_IF_ERROR(builder->Finish());
  console->progress().End();
  console->Say(has_table ? Summary(out, *builder) : absl::StrCat(out, ": no record, so no table"));
  if (built_.file.number == 0) return absl::OkStatus();
  built_.file.size = builder->FileSize();
  built_.comparator = std::string(options_.comparator->Name());
  WriteJson(BuiltTableJson(built_), console);
  return absl::OkStatus();
}

absl::Status BuildCommand::BuildAsRead(const std::string& out, RecordReader* reader,
                                       Console* console) {
  const InterruptGuard guard;
  ASSIGN_OR_RETURN(const std::unique_ptr<TableBuilder> builder, NewBuilder(out, console));
  RETURN_IF_ERROR(AddRecords(reader, builder.get()));
  return Finish(out, builder.get(), console);
}

// Reading and sorting may take minutes, so whether OUT can be written is checked before. Until all
// records are sorted there is no file to remove, since those of the sorter have no name; so signals
// end the program at once.
absl::Status BuildCommand::BuildSorted(const std::string& out, RecordReader* reader,
                                       Console* console) {
  if (out != "-") {
    const InterruptGuard guard;
    RETURN_IF_ERROR(NewBuilder(out, console).status());
  }
  const KeyOrder order(options_.comparator, options_.key_kind);
  RecordSorter sorter({&order, duplicates_.value_or(Duplicates::kRefuse),
                       memory_.value_or(kDefaultMemory), TemporaryFolder(out),
                       [reader](const LinePlace& place) { return reader->Name(place); }});
  RETURN_IF_ERROR(Sort(reader, &sorter, console));
  const InterruptGuard guard;
  ASSIGN_OR_RETURN(const std::unique_ptr<TableBuilder> builder, NewBuilder(out, console));
  console->progress().Begin(absl::StrCat("writing ", out), 0);
  for (Record record;;) {
    ASSIGN_OR_RETURN(const bool has_record, sorter.Next(&record));
    if (!has_record) break;
    RETURN_IF_ERROR(Add(record, builder.get()));
  }
  return Finish(out, builder.get(), console);
}

absl::Status BuildCommand::CheckOptions() const {
  RETURN_IF_ERROR(output_.CheckOptions());
  if (!sort_ && (memory_.has_value() || duplicates_.has_value())) {
    return absl::InvalidArgumentError("--memory and --duplicates are options of --sort");
  }
  if (!options_.keep_input_order) return absl::OkStatus();
  const absl::string_view needs_order = sort_                        ? "--sort"
                                        : encoded_range_.has_value() ? "--range"
                                        : built_.file.number > 0     ? "--number"
                                                                     : "";
  if (needs_order.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--comparator as-is and ", needs_order, " exclude each other"));
}

absl::Status BuildCommand::Build(const std::string& out, std::vector<std::string> inputs,
                                 Console* console) {
  RETURN_IF_ERROR(CheckOptions());
  if (encoded_range_.has_value()) {
    absl::StatusOr<KeyRange> range = ParseKeyRange(*encoded_range_, input_.reader.encoding);
    if (!range.ok()) return AtPlace("option --range", range.status());
    range_ = *std::move(range);
    if (range_.from.has_value() && range_.to.has_value() &&
        options_.comparator->Compare(*range_.from, *range_.to) >= 0) {
      return absl::InvalidArgumentError("option --range: LO is not below HI");
    }
  }
  RETURN_IF_ERROR(CheckOutput(out, *console));
  RecordReader reader(std::move(inputs), input_.reader, console);
  return sort_ ? BuildSorted(out, &reader, console) : BuildAsRead(out, &reader, console);
}

ExitCode BuildCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  std::vector<std::string> inputs = input_.TakeInputs(arguments, 1);
  options_.key_kind = built_.file.number > 0 ? KeyKind::kInternal : input_.reader.key_kind;
  options_.filter_policy = default_filter_policy_.get();
  options_.keep_input_order = options_.comparator == nullptr;
  if (options_.keep_input_order) options_.comparator = BytewiseComparator();
  output_.ApplyTo(&options_);
  const std::string out = built_.file.number > 0
                              ? PathIn(arguments[0], TableFileName(built_.file.number))
                              : arguments[0];
  return console->Fail(Build(out, std::move(inputs), console));
}

}  // namespace

std::unique_ptr<Command> NewBuildCommand() { return std::make_unique<BuildCommand>(); }

}  // namespace sstable::tools
