// `sst filter compare`: compares kinds of filters for the keys of tables.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/filter_comparison_json.h"
#include "report/filter_rate.h"
#include "report/json.h"
#include "report/text/words.h"
#include "table/inspect/filter_comparison.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "tools/files/table_output.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "filter compare",
      "compare kinds of filters for the keys of tables",
      "PATH...",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Builds filters of several kinds from the keys of each table and measures them,
whatever filter it has. PATH is a table, or a folder for all tables in it. There
is a line for each kind, with totals over all tables:

  filter      the value of --filter or --table-filter of `sst build`
  base lg     for a filter block, with the blocks of the tables as they are
  bits/key    size of the filters, including the windows' offsets
  expected    share of random absent keys that pass: for a filter block measured
              with four times as many hashes, for the others in theory
  random      the measured share, and its 95 % confidence interval
  neighbours  the same for keys whose last byte is one higher than that of a key
  blocks      data blocks read in a lookup of an absent key that lies between
              keys of a table, in all tables with the key in their range; for
              "none", the number of these tables
  ns          time of a probe on this machine, without hashing the key

With --rate, * marks the smallest filter that keeps the rate for random keys: its
confidence interval is not entirely above. + marks the smallest that also keeps
it for neighbours, of which LevelDB's hash may let many through.

At most about the first 4194304 keys of each table are examined, and at most
131071 neighbours, evenly spread; none if the order of keys is not known.
The exit code is 1 if a table is damaged, 2 if one can't be read; the readable
keys are still used.
json: one object on one line.)",
      R"(  sst filter compare *.ldb
  sst filter compare --rate 1% 000005.ldb
  sst filter compare --rate 1% --format json *.ldb | jq '.filters[] | select(.smallest)')"};
  return *info;
}

class FilterCompareCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& paths, Console* console) override;

 private:
  // The smallest filters that keep the rate; null if none does.
  struct Smallest {
    const ComparedFilter* for_random = nullptr;
    const ComparedFilter* for_both = nullptr;
  };
  Smallest FindSmallest(const FilterComparison& comparison) const;
  std::string TextReport(const FilterComparison& comparison) const;
  Json JsonReport(const FilterComparison& comparison, Json files) const;

  TableInputOptions input_;
  ReportFormat format_ = ReportFormat::kText;
  uint64_t random_keys_ = 100000;
  std::optional<double> rate_;
};

void FilterCompareCommand::AddOptions(CommandLine* command_line) {
  command_line->AddParsed(
      "--rate", "RATE",
      [this](const std::string& text) -> absl::Status {
        ASSIGN_OR_RETURN(rate_, ParseRate(text));
        return absl::OkStatus();
      },
      "Mark the smallest filters with at most this rate of false positives. RATE is such as 1%; "
      "bloom:RATE is then compared, too");
  command_line->AddNumber("--probes", "N", {1, 1000000000}, &random_keys_,
                          "Random absent keys to test. For each table. Default: 100000");
  AddFormatTo(command_line, &format_);
  input_.AddTo(command_line);
}

FilterCompareCommand::Smallest FilterCompareCommand::FindSmallest(
    const FilterComparison& comparison) const {
  Smallest smallest;
  if (!rate_.has_value()) return smallest;
  const auto keeps = [this](const FilterRate& rate) {
    return rate.tested == 0 || rate.Interval95().low <= *rate_;
  };
  const auto take = [](const ComparedFilter& filter, const ComparedFilter** best) {
    if (*best == nullptr || filter.bytes < (*best)->bytes) *best = &filter;
  };
  for (const ComparedFilter& filter : comparison.filters()) {
    if (filter.random.tested == 0 || !keeps(filter.random)) continue;
    take(filter, &smallest.for_random);
    if (keeps(filter.neighbours)) take(filter, &smallest.for_both);
  }
  return smallest;
}

double ProbeNanoseconds(const ComparedFilter& filter) {
  if (filter.random.tested == 0) return 0;
  return 1e9 * filter.probe_seconds / static_cast<double>(filter.random.tested);
}

std::string ShowRate(const FilterRate& rate) {
  if (rate.tested == 0) return "-";
  const FilterRate::Interval interval = rate.Interval95();
  return absl::StrFormat("%.3f %% (%.3f to %.3f)", 100 * rate.Rate(), 100 * interval.low,
                         100 * interval.high);
}

std::string FilterCompareCommand::TextReport(const FilterComparison& comparison) const {
  const Smallest smallest = FindSmallest(comparison);
  const double tables_per_lookup = comparison.TablesPerLookup();
  static constexpr char kLine[] = "%-2s%-12s %7s %8s  %8s  %-25s  %-25s %7s %6s\n";
  std::string text = absl::StrCat(Count(comparison.key_count(), "key"), " of ",
                                  Count(comparison.table_count(), "table"),
                                  comparison.is_sample() ? ", the first ones of each" : "", "\n");
  absl::StrAppendFormat(&text, kLine, "", "filter", "base lg", "bits/key", "expected", "random",
                        "neighbours", "blocks", "ns");
  absl::StrAppendFormat(&text, kLine, "", "none", "", "0", "", "", "",
                        absl::StrFormat("%.3f", tables_per_lookup), "");
  for (const ComparedFilter& filter : comparison.filters()) {
    const std::string marks = absl::StrCat(&filter == smallest.for_random ? "*" : "",
                                           &filter == smallest.for_both ? "+" : "");
    absl::StrAppendFormat(&text, kLine, marks, filter.option,
                          filter.base_lg.has_value() ? absl::StrCat(*filter.base_lg) : "",
                          absl::StrFormat("%.2f", BitsPerKey(filter, comparison)),
                          absl::StrFormat("%.3f %%", 100 * filter.ExpectedRate()),
                          ShowRate(filter.random), ShowRate(filter.neighbours),
                          absl::StrFormat("%.4f", tables_per_lookup * filter.random.Rate()),
                          absl::StrFormat("%.1f", ProbeNanoseconds(filter)));
  }
  return text;
}

Json FilterCompareCommand::JsonReport(const FilterComparison& comparison, Json files) const {
  const Smallest smallest = FindSmallest(comparison);
  Json json = {{"files", std::move(files)}};
  json.update(FilterComparisonJson(comparison));
  json["rate"] = rate_.has_value() ? Json(*rate_) : Json();
  for (size_t i = 0; i < comparison.filters().size(); ++i) {
    const ComparedFilter& filter = comparison.filters()[i];
    Json& reported = json["filters"][i];
    reported["probe_ns_measured_here"] = ProbeNanoseconds(filter);
    if (!rate_.has_value()) continue;
    reported["smallest"] = &filter == smallest.for_random;
    reported["smallest_with_neighbours"] = &filter == smallest.for_both;
  }
  return json;
}

ExitCode FilterCompareCommand::Run(const std::vector<std::string>& paths, Console* console) {
  FilterComparison comparison(rate_, random_keys_);
  ExitCode code = ExitCode::kOk;
  Json files = Json::array();
  for (const InputFile& file : FindInputFiles(paths, WantedFiles::kTables, console).files) {
    absl::Status status = file.status;
    if (status.ok()) {
      const absl::StatusOr<OpenedTable> table = OpenTable(file, input_, console);
      status = table.ok() ? comparison.AddTable(*table) : table.status();
    }
    files.push_back({{"file", JsonText(file.name)}, {"error", ErrorJson(status)}});
    code = Worst(code, console->Fail(status));
  }
  console->progress().End();
  if (format_ == ReportFormat::kJson) {
    WriteJson(JsonReport(comparison, std::move(files)), console);
  } else if (comparison.key_count() > 0 || code == ExitCode::kOk) {
    console->Write(TextReport(comparison));
  }
  return code;
}

}  // namespace

std::unique_ptr<Command> NewFilterCompareCommand() {
  return std::make_unique<FilterCompareCommand>();
}

}  // namespace sstable::tools
