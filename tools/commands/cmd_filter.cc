// `sst filter`: measures how good a table's filter is.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "report/filter_rate.h"
#include "report/json.h"
#include "report/table_json.h"
#include "report/text/fields.h"
#include "report/text/text_encoding.h"
#include "report/text/words.h"
#include "report/trace_text.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/file.h"
#include "table/block/seek_key.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/inspect/lookup_trace.h"
#include "table/inspect/verified_scan.h"
#include "table/table_internals.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/file_runner.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "filter",
      "measure a table's filter",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Shows which filter a table has, whether lookups consult it (if not, why), how
full it is, and how good. Every key of the table is tested, and none may be ruled
out; then keys that are not in the table:

  random      keys of 16 random bytes, N of them
  neighbours  keys of the table with the last byte one higher, unless that is
              also a key. LevelDB's hash is weak on consecutive numbers, so more
              of these may pass
  given       the keys in the file of --probe-keys

Each rate is followed by its 95 % confidence interval. The expected rate is that
of random keys, for exactly these bits.

--probe shows the answers of the filters for one KEY: that of the block that could
have it, bit by bit, and that of the whole table. KEY is a user key if the table
has internal keys.
PATH is a table, or a folder for all tables in it.
The exit code is 1 if the filter is damaged or has a false negative; with --probe,
if filter or index rule KEY out although the table has it.
json: one object per table, each on one line; after many tables, the last one is
a summary.)",
      R"(  sst filter 000005.ldb
  sst filter --probe 'user:17' 000005.ldb
  sst filter --probes 1000000 --probe-keys absent.txt 000005.ldb
  sst filter --format json 000005.ldb | jq .false_positives)"};
  return *info;
}

class FilterCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status CheckOptions() const;
  ExitCode Probe(const OpenedTable& table, Console* console) const;
  // Returns true if the filter block rules the key out.
  absl::StatusOr<bool> ProbeBlock(const OpenedTable& table, const std::string& key,
                                  Fields* fields) const;
  ExitCode Measure(const InputFile& file, const FilterProbes& probes, Console* console) const;
  absl::Status ReadProbeKeys(std::vector<std::string>* keys) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  uint64_t jobs_ = 1;
  std::optional<std::string> probe_;
  std::optional<uint64_t> random_keys_;
  std::optional<std::string> probe_keys_;  // a path
  TextEncoding encoding_ = TextEncoding::kEscaped;
};

void FilterCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("--probe", "KEY", &probe_, "Check only this key");
  AddEncodingTo(command_line, &encoding_, "Those of --probe and --probe-keys. Default: escaped");
  command_line->AddNumber("--probes", "N", {0, 1000000000}, &random_keys_,
                          "Random absent keys to test. Default: 10000");
  command_line->AddText("--probe-keys", "KEYS", &probe_keys_,
                        "A file of keys to test, one per line");
  AddFormatTo(command_line, &format_);
  AddJobsTo(command_line, &jobs_);
  input_.AddTo(command_line);
}

double Ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string DescribeRate(const FilterRate& rate) {
  const FilterRate::Interval interval = rate.Interval95();
  return absl::StrFormat("%s (%d of %d), %.3f to %.3f %%", Percent(rate.Rate()), rate.passed,
                         rate.tested, 100 * interval.low, 100 * interval.high);
}

std::string DescribeHash(const FilterReport& report) {
  const std::string verdict = report.hash.Verdict();
  const std::string keys = Count(report.hash.keys_with_two_hashes, "key");
  if (verdict == "either") {
    return "unsigned or signed: the two agree on every key (no tail byte is above 0x7f)";
  }
  if (verdict == "both") {
    return absl::StrCat(keys, " could decide, but the filter contains them with both hashes");
  }
  if (verdict == "murmur3") return "murmur3, as in StarRocks, instead of LevelDB's";
  if (verdict == "neither") return "neither: by either one, the filter does not contain every key";
  return absl::StrCat("of ", verdict, " bytes, as shown by ", keys);
}

std::string DescribeProbeCounts(const FilterReport& report) {
  std::string text;
  for (const auto& [probe_count, windows] : report.windows_by_probe_count) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", probe_count);
    if (report.windows_by_probe_count.size() > 1) {
      absl::StrAppend(&text, " (in ", Count(windows, "window"), ")");
    }
  }
  return text;
}

void AddRates(const std::array<const FilterRate*, 3>& rates, const std::string& more,
              uint64_t given_present, Fields* fields) {
  const auto [random, neighbours, given] = rates;
  if (random->tested > 0) fields->Add("false positives", DescribeRate(*random) + more);
  if (neighbours->tested > 0) fields->Add("of neighbours", DescribeRate(*neighbours));
  if (given->tested + given_present > 0) {
    fields->Add("of given keys",
                absl::StrCat(DescribeRate(*given), "; ", Count(given_present, "key"), " present"));
  }
}

std::string DescribeBlock(const BlockHandle& handle, const FilterReport& report) {
  std::string text = absl::StrFormat("%d bytes at offset %d", handle.size, handle.offset);
  if (report.keys_tested == 0) return text;
  if (!report.scan_status.ok()) return text + ", for an unknown number of keys";
  absl::StrAppendFormat(&text, ", %.2f bits per key", 8 * Ratio(handle.size, report.keys_tested));
  return text;
}

std::string DescribeStatus(const absl::Status& status, const absl::Status& index_status) {
  return !index_status.ok() ? "can't be made: the index is damaged"
         : status.ok()      ? "consult it"
                            : absl::StrCat("do not consult it: ", EscapeControls(status.message()));
}

std::string DescribeNegatives(uint64_t negatives, uint64_t keys, const Style& style) {
  const std::string text = absl::StrCat(negatives, " of ", Count(keys, "key"));
  return negatives == 0 ? text : style.Red(text);
}

void AddTableFilter(const FilterReport& report, const absl::Status& index_status,
                    const Style& style, Fields* fields) {
  const TableFilterReport& filter = *report.table_filter;
  fields->Add("table filter", Encode(TextEncoding::kUtf8, filter.name));
  fields->Add("lookups", DescribeStatus(filter.status, index_status));
  fields->Add("block", DescribeBlock(filter.handle, report));
  if (!filter.status.ok()) return;
  fields->Add("false negatives",
              DescribeNegatives(filter.false_negatives, report.keys_tested, style));
  AddRates({&filter.random, &filter.neighbours, &filter.given}, "", report.given_present, fields);
}

void AddBlockFilter(const FilterReport& report, const absl::Status& index_status,
                    const Style& style, Fields* fields) {
  fields->Add("policy", report.name.empty() ? "none" : Encode(TextEncoding::kUtf8, report.name));
  fields->Add("lookups", DescribeStatus(report.status, index_status));
  if (report.name.empty()) return;
  fields->Add("block", DescribeBlock(report.handle, report));
  if (!report.status.ok() && report.windows == 0) return;
  fields->Add("windows",
              absl::StrFormat("%d of %d bytes each (base lg %d), %d empty, %d malformed",
                              report.windows, uint64_t{1} << report.base_lg, report.base_lg,
                              report.empty_windows, report.malformed_windows));
  if (report.is_bloom) {
    fields->Add("probes (k)", DescribeProbeCounts(report));
    fields->Add("bits set", absl::StrFormat("%d of %d, %s", report.bits_set, report.bits,
                                            Percent(Ratio(report.bits_set, report.bits))));
    fields->Add("hash", DescribeHash(report));
  }
  fields->Add("false negatives",
              DescribeNegatives(report.false_negatives, report.keys_tested, style));
  AddRates({&report.random, &report.neighbours, &report.given},
           report.is_bloom ? absl::StrCat("; expected ", Percent(report.expected_rate)) : "",
           report.given_present, fields);
}

std::string TextReport(const FilterReport& report, const std::string& name,
                       const absl::Status& index_status, const Style& style) {
  Fields fields(15, style);
  if (!report.table_filter.has_value() || !report.name.empty()) {
    AddBlockFilter(report, index_status, style, &fields);
  }
  if (report.table_filter.has_value()) AddTableFilter(report, index_status, style, &fields);
  return absl::StrCat(name, "\n", fields.text());
}

// --probe is a separate report.
absl::Status FilterCommand::CheckOptions() const {
  if (!probe_.has_value()) return absl::OkStatus();
  const char* const other = format_ == ReportFormat::kJson ? "--format json"
                            : probe_keys_.has_value()      ? "--probe-keys"
                            : random_keys_.has_value()     ? "--probes"
                                                           : nullptr;
  if (other == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--probe can't be combined with ", other));
}

// A missing or unknown filter is not a fault of the table.
bool IsWrong(const absl::Status& filter_status) {
  return !filter_status.ok() && !absl::IsNotFound(filter_status) &&
         !absl::IsUnimplemented(filter_status);
}

// Returns DataLoss if the table has `user_key` although filter or index rule it out, or the error
// of reading a block to which the key belongs.
absl::Status CheckAbsent(const OpenedTable& table, const std::string& user_key) {
  const TableReader& reader = *table.reader;
  bool is_present = false;
  absl::Status damage;
  VerifiedScan scan(&reader, table.key_trust, VerifiedScan::Misplaced::kVisit,
                    [&damage](const absl::Status& status) { damage.Update(status); });
  VerifiedScan::Blocks blocks = {0, scan.block_count()};
  if (table.searchable()) blocks = scan.BlocksBetween(user_key, user_key);
  for (size_t i = blocks.first; i < blocks.end && !is_present; ++i) {
    scan.Visit(i, [&](absl::string_view key, absl::string_view) {
      is_present |= KeyOrderOf(reader).UserKey(key) == user_key;
      return !is_present;
    });
  }
  if (!is_present) return damage;
  return absl::DataLossError(absl::StrCat(reader.file().name(), ": has ", ShowBytes(user_key),
                                          ", which its filter or index rules out"));
}

// Shows two filters' answers for a key: the table's filter, and the filter of the block that could
// have the key.
ExitCode FilterCommand::Probe(const OpenedTable& table, Console* console) const {
  const TableReader& reader = *table.reader;
  const std::string& name = reader.file().name();
  const absl::StatusOr<std::string> user_key = Decode(encoding_, *probe_);
  if (!user_key.ok()) return console->Fail(AtPlace("option --probe", user_key.status()));
  const std::string key = SeekKey(KeyOrderOf(reader), *user_key);
  const std::optional<TableFilterTrace> of_table = TraceTableFilter(reader, key);
  const BlockStatus& filter = LoadNow(reader).FilterStatus();
  ExitCode code = console->Fail(filter.handle.has_value() ? filter.At(reader.file())
                                                          : AtPlace(name, filter.status));
  if (IsWrong(filter.status)) code = ExitCode::kDamagedOrAbsent;
  if (!of_table.has_value() && reader.filter() == nullptr) return code;
  Fields fields(6, console->output_style());
  fields.Add("key", ShowKey(KeyOrderOf(reader), key));
  if (of_table.has_value()) fields.Add("filter", DescribeTableFilterTrace(*of_table, reader));
  bool is_ruled_out = of_table.has_value() && !of_table->may_match;
  if (reader.filter() != nullptr) {
    const absl::StatusOr<bool> by_block = ProbeBlock(table, key, &fields);
    if (!by_block.ok()) return Worst(code, console->Fail(by_block.status()));
    is_ruled_out |= *by_block;
  }
  console->Write(absl::StrCat(EscapeControls(name), "\n", fields.text()));
  return is_ruled_out ? Worst(code, console->Fail(CheckAbsent(table, *user_key))) : code;
}

absl::StatusOr<bool> FilterCommand::ProbeBlock(const OpenedTable& table, const std::string& key,
                                               Fields* fields) const {
  const TableReader& reader = *table.reader;
  RETURN_IF_ERROR(reader.LoadIndex());
  if (!table.searchable()) {
    return absl::FailedPreconditionError(
        absl::StrCat(reader.file().name(), ": ", table.why_not_searchable,
                     ", so it is not known which block could have the key"));
  }
  size_t block = 0;
  RETURN_IF_ERROR(IndexOf(reader)->Find(KeyOrderOf(reader).Split(key), &block));
  if (block == IndexOf(reader)->size()) {
    fields->Add("block", "the key is above the last index key, so no block has it");
    return true;
  }
  const BlockHandle handle = IndexOf(reader)->record(block).handle();
  fields->Add("block", absl::StrFormat("data block %d at offset %d", block, handle.offset));
  const FilterTrace trace = TraceFilter(*reader.filter(), handle.offset, key);
  fields->Add("filter", DescribeFilterTrace(trace, *reader.filter()));
  return !trace.may_match;
}

absl::Status FilterCommand::ReadProbeKeys(std::vector<std::string>* keys) const {
  ASSIGN_OR_RETURN(const auto file, OpenToRead(*probe_keys_));
  std::string text(file->size(), '\0');
  RETURN_IF_ERROR(file->Read(0, text.size(), &text[0]));
  if (text.empty()) return absl::OkStatus();
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    absl::StatusOr<std::string> key = Decode(encoding_, line);
    if (!key.ok()) {
      return AtPlace(absl::StrCat(InputName(*probe_keys_), ": line ", keys->size() + 1),
                     key.status());
    }
    keys->push_back(*std::move(key));
  }
  return absl::OkStatus();
}

ExitCode FilterCommand::Measure(const InputFile& file, const FilterProbes& probes,
                                Console* console) const {
  if (!file.status.ok()) return console->Fail(file.status);
  const absl::StatusOr<OpenedTable> table = OpenTable(file, input_, console);
  if (!table.ok()) return console->Fail(table.status());
  if (probe_.has_value()) return Probe(*table, console);
  const FilterReport report = MeasureFilter(*table->reader, probes, table->key_trust);
  const std::string& name = table->reader->file().name();
  if (format_ == ReportFormat::kJson) {
    WriteJson(FilterJson(report, name), console);
  } else {
    console->Write(TextReport(report, EscapeControls(name), table->reader->LoadIndex(),
                              console->output_style()));
  }
  const std::optional<TableFilterReport>& of_table = report.table_filter;
  const bool wrong =
      report.false_negatives > 0 || IsWrong(report.status) ||
      (of_table.has_value() && (of_table->false_negatives > 0 || IsWrong(of_table->status)));
  const ExitCode code = wrong ? ExitCode::kDamagedOrAbsent : ExitCode::kOk;
  return Worst(code, console->Fail(report.scan_status));
}

ExitCode FilterCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (absl::Status status = CheckOptions(); !status.ok()) return console->Fail(status);
  FilterProbes probes;
  probes.random_keys = random_keys_.value_or(probes.random_keys);
  if (probe_keys_.has_value()) {
    const absl::Status status = ReadProbeKeys(&probes.given_keys);
    if (!status.ok()) return console->Fail(status);
  }
  const InputFiles inputs = FindInputFiles(arguments, WantedFiles::kTables, console);
  const std::vector<ExitCode> codes = RunOnFiles(
      inputs.files, jobs_,
      [&](const InputFile& file, Console* own) { return Measure(file, probes, own); }, console);
  return ReportSummary(inputs, codes, format_, console);
}

}  // namespace

std::unique_ptr<Command> NewFilterCommand() { return std::make_unique<FilterCommand>(); }

}  // namespace sstable::tools
