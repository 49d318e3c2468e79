// `sst stats`: counts what is in tables.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "report/json.h"
#include "report/table_json.h"
#include "report/text/fields.h"
#include "report/text/words.h"
#include "sstable/experimental/table_stats.h"
#include "table/table_internals.h"
#include "tools/cli/common_options.h"
#include "tools/commands/commands.h"
#include "tools/files/report_command.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

CommandInfo Info() {
  return {"stats",
          "count what is in tables",
          "PATH...",
          /*min_arguments=*/0,
          /*max_arguments=*/SIZE_MAX,
          R"(Reads all of each table and counts entries, bytes, compression, the sizes of keys
and values and, with internal keys, deletions and sequences. Also names the
programs known to write such tables; others, such as sstable itself, may write
the same bytes. PATH is a table, or a folder for all tables in it; many end with
a summary of how many could be read.
json: one object per table, each on one line; the last one is the summary.)",
          R"(  sst stats 000005.ldb
  sst stats --format json *.ldb | jq -r 'select(.file) | [.file, .entries] | @tsv')"};
}

std::string DescribeSizes(const SizeHistogram& sizes) {
  if (sizes.count == 0) return "";
  std::string text = absl::StrFormat("%d to %d bytes, %.1f on average, %d in all\n", sizes.min,
                                     sizes.max, sizes.Mean(), sizes.sum);
  if (sizes.min == sizes.max) return text;
  constexpr uint64_t kBarWidth = 40;
  const uint64_t highest = SizeRange(64 - __builtin_clzll(sizes.max)).second;
  const auto range_width = static_cast<int>(2 * absl::StrCat(highest).size() + 4);  // "low to high"
  const uint64_t most = *std::max_element(sizes.by_bit_width.begin(), sizes.by_bit_width.end());
  for (size_t i = 0; i < sizes.by_bit_width.size(); ++i) {
    const uint64_t count = sizes.by_bit_width[i];
    if (count == 0) continue;
    const auto [low, high] = SizeRange(i);
    const std::string range = low == high ? absl::StrCat(low) : absl::StrCat(low, " to ", high);
    const auto bar = static_cast<size_t>(
        std::max(1.0, static_cast<double>(count) * kBarWidth / static_cast<double>(most)));
    absl::StrAppendFormat(&text, "%*s %9d %s\n", range_width, range, count, std::string(bar, '#'));
  }
  return text;
}

std::string DescribeWriters(const Origin& origin) {
  const std::string writers =
      origin.writers.empty() ? "no known program" : absl::StrJoin(origin.writers, ", or ");
  return absl::StrCat(
      writers, ": ",
      origin.marks.empty() ? "no distinctive marks" : absl::StrJoin(origin.marks, "; "));
}

std::string TextReport(const TableStats& stats, const std::string& name, bool internal_keys,
                       const Style& style) {
  Fields fields(11, style);
  fields.Add("file", absl::StrCat(stats.file_size, " bytes"));
  fields.Add("entries", absl::StrCat(stats.entries));
  if (internal_keys) {
    fields.Add("user keys", absl::StrCat(stats.distinct_user_keys));
    fields.Add("deletions", absl::StrCat(stats.deletions));
    if (stats.entries > 0) {
      fields.Add("sequences", absl::StrCat(stats.min_sequence, " to ", stats.max_sequence));
    }
  }
  fields.Add("keys", DescribeSizes(stats.key_sizes));
  fields.Add("values", DescribeSizes(stats.value_sizes));
  std::string data =
      absl::StrFormat("%s, %d bytes stored, %d uncompressed", Count(stats.data_blocks, "block"),
                      stats.data_stored_size, stats.data_raw_size);
  if (stats.data_stored_size > 0) {
    absl::StrAppendFormat(
        &data, " (%.2f to 1)",
        static_cast<double>(stats.data_raw_size) / static_cast<double>(stats.data_stored_size));
  }
  fields.Add("data blocks", data);
  fields.Add("stored as",
             absl::StrJoin(stats.blocks_by_codec, ", ", [](std::string* out, const auto& codec) {
               absl::StrAppend(out, codec.first, ": ", codec.second);
             }));
  if (stats.damaged_data_blocks > 0) {
    fields.Add("damaged", style.Red(Count(stats.damaged_data_blocks, "data block")));
  }
  fields.Add("index", absl::StrCat(stats.index_size, " bytes"));
  fields.Add("filter", stats.filter_size == 0 ? "none" : absl::StrCat(stats.filter_size, " bytes"));
  fields.Add("written by", DescribeWriters(stats.origin));
  return absl::StrCat(name, "\n", fields.text());
}

ExitCode ReportUnopened(const std::string& name, const absl::Status& status,
                        const ReportOptions& options, Console* console) {
  if (options.format == ReportFormat::kJson) {
    WriteJson({{"file", JsonText(name)}, {"error", ErrorJson(status)}}, console);
  }
  return console->Fail(status);
}

ExitCode Report(const OpenedTable& table, const ReportOptions& options, Console* console) {
  const TableStats stats = CollectStats(*table.reader, table.key_trust);
  if (options.quiet && stats.status.ok()) return ExitCode::kOk;
  const std::string& name = table.reader->file().name();
  const bool internal_keys = KeyOrderOf(*table.reader).kind() == KeyKind::kInternal;
  if (options.format == ReportFormat::kJson) {
    WriteJson(StatsJson(stats, name, internal_keys), console);
  } else {
    console->Write(TextReport(stats, EscapeControls(name), internal_keys, console->output_style()));
  }
  return console->Fail(stats.status);
}

}  // namespace

std::unique_ptr<Command> NewStatsCommand() {
  return std::make_unique<ReportCommand>(Info(), Report, ReportUnopened);
}

}  // namespace sstable::tools
