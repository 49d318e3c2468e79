#include "tools/page/report_contents.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "decode/choose_decoder.h"
#include "report/database_json.h"
#include "report/database_pages.h"
#include "report/filter_comparison_json.h"
#include "report/table_json.h"
#include "report/table_pages.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_stats.h"
#include "table/inspect/filter_comparison.h"
#include "tools/database/database_tables.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kComparisonProbes = 20'000;  // random keys for each kind of filter

// Adds the entries to `info`, without the last ones if they are too large. A page ends at the end
// of a block or entry.
Json PageJson(Json info, std::string lines, const SummaryLimits& limits) {
  const uint64_t max_bytes = 4 * limits.row_bytes;
  if (lines.size() > max_bytes) {
    lines.resize(lines.rfind('\n', max_bytes - 1) + 1);  // rfind() may return npos, which is -1
    info["rows"] = std::count(lines.begin(), lines.end(), '\n');
    info["done"] = false;
  }
  info["lines"] = std::move(lines);
  return info;
}

// Returns the first entries of a table, decoded if a known program wrote it, in the form in which
// the page shows a whole table.
Json FirstPageJson(const OpenedTable& table, const ChosenDecoder* chosen,
                   const SummaryLimits& limits) {
  ChosenDecoder own;
  if (chosen == nullptr) {
    own = ChooseDecoder(DecodedProgram::kAuto, NewTableSource(table.reader.get()));
    chosen = &own;
  }
  PageRequest request;
  request.decoder = chosen->decoder.get();
  EntryPages pages(&table, std::move(request));
  std::string lines;
  pages.Next(limits.rows, limits.row_bytes, limits.rows, &lines);
  return PageJson(pages.InfoJson(), std::move(lines), limits);
}

// Returns the first live entries of a database, in logs and tables.
Json FirstPageJson(const DatabaseView& view, const EntryDecoder* decoder,
                   const SummaryLimits& limits) {
  DatabasePageRequest request;
  request.decoder = decoder;
  DatabasePages pages(&view, std::move(request));
  std::string lines;
  pages.Next(limits.rows, limits.row_bytes, UINT64_MAX, &lines);
  return PageJson(pages.InfoJson(), std::move(lines), limits);
}

// Compares other filters for the table's keys, except for keys in damaged blocks.
Json ComparisonJson(const OpenedTable& table) {
  FilterComparison comparison(/*rate=*/std::nullopt, kComparisonProbes);
  comparison.AddTable(table).IgnoreError();
  return FilterComparisonJson(comparison);
}

}  // namespace

std::string ScriptText(const Json& json) {
  return absl::StrReplaceAll(json.dump(-1, ' ', /*ensure_ascii=*/true), {{"<", "\\u003c"}});
}

std::string CommonFolder(const std::vector<std::string>& paths) {
  std::optional<std::string> common;
  const auto shorten = [](std::string* folder) {  // to the folder that it is in
    while (!folder->empty() && sys::FolderPartSize(*folder) == folder->size()) folder->pop_back();
    folder->resize(sys::FolderPartSize(*folder));
  };
  for (const std::string& path : paths) {
    if (!sys::ToPath(path).is_absolute()) continue;
    if (!common.has_value()) shorten(&common.emplace(path));
    while (!absl::StartsWith(path, *common)) shorten(&*common);
  }
  return common.value_or("");
}

void RemoveFolder(absl::string_view folder, Json* json) {
  if (folder.empty()) return;
  if (json->is_string()) {
    auto& text = json->get_ref<std::string&>();
    if (absl::StartsWith(text, folder)) text.erase(0, folder.size());
  }
  if (!json->is_structured()) return;
  for (auto& [name, value] : json->items()) {
    const bool is_key = name == "smallest" || name == "largest";
    if (!is_key) RemoveFolder(folder, &value);
  }
}

absl::StatusOr<Json> WholeTableJson(const InputFile& input) {
  ASSIGN_OR_RETURN(const auto file, OpenToRead(input));
  std::string bytes(file->size(), '\0');
  RETURN_IF_ERROR(file->Read(0, bytes.size(), &bytes[0]));
  return Json{{"name", JsonText(input.name)},
              {"size", bytes.size()},
              {"bytes", Encode(TextEncoding::kBase64, bytes)}};
}

absl::StatusOr<Json> SummaryJson(const InputFile& input, const ChosenDecoder* database_decoder,
                                 const SummaryLimits& limits, Console* console) {
  ASSIGN_OR_RETURN(const OpenedTable table, OpenTable(input, {}, console));
  const TableReader& reader = *table.reader;
  const std::string& name = reader.file().name();
  CheckOptions check_options;
  check_options.keys = KeyTrust::kUnordered;
  check_options.max_problems = limits.problems;
  const bool is_internal = table.keys.key_kind == KeyKind::kInternal;
  return Json{{"name", JsonText(input.name)},
              {"size", reader.file().size()},
              {"summary",
               {{"about", AboutJson(table)},
                {"places", PlacesJson(reader, limits.places)},
                {"check", CheckJson(CheckTable(reader, check_options), name)},
                {"filter", FilterJson(MeasureFilter(reader, {}, table.key_trust), name)},
                {"windows", FilterWindowsJson(reader, limits.cells)},
                {"stats", StatsJson(CollectStats(reader, table.key_trust), name, is_internal)},
                {"comparison", ComparisonJson(table)},
                {"page", FirstPageJson(table, database_decoder, limits)}}}};
}

Json DatabaseReportJson(const DatabaseView& view, const EntryDecoder* decoder, uint64_t max_size,
                        Console* console) {
  Json json = KeyRangesJson(view);
  json["database"] = DatabaseJson(view, CountTables(view, {}, /*jobs=*/1, console), decoder);
  if (view.comparator() != nullptr) json["page"] = FirstPageJson(view, decoder, kFullSummary);
  if (ScriptText(json).size() <= max_size) return json;
  json.erase("page");
  for (Json& table : json["database"]["tables"]) {
    for (const char* const key : {"smallest", "largest"}) {
      for (const char* const end : {"", "_hex", "_sequence", "_type"}) {
        table.erase(absl::StrCat(key, end));
      }
      table.erase(absl::StrCat("decoded_", key));
    }
  }
  return json;
}

}  // namespace sstable::tools
