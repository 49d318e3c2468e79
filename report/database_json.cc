#include "report/database_json.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "report/key_name.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// `stats` is null if the entries were not read.
Json TableJson(const DatabaseTable& table, const TableStats* stats, const EntryDecoder* decoder) {
  Json json = {{"name", JsonText(table.name)},
               {"level", table.level < 0 ? Json() : Json(table.level)},
               {"size", table.size},
               {"file_size", table.file_size.has_value() ? Json(*table.file_size) : Json()}};
  if (!table.smallest.empty()) {
    SetInternalKey("smallest", table.smallest, &json);
    SetInternalKey("largest", table.largest, &json);
    SetKeyName("smallest", decoder, KeyKind::kInternal, table.smallest, &json);
    SetKeyName("largest", decoder, KeyKind::kInternal, table.largest, &json);
  }
  if (stats == nullptr) return json;
  json["entries"] = stats->entries;
  json["deletions"] = stats->deletions;
  json["min_sequence"] = stats->entries > 0 ? Json(stats->min_sequence) : Json();
  json["max_sequence"] = stats->entries > 0 ? Json(stats->max_sequence) : Json();
  json["ok"] = stats->status.ok() && table.file_size.has_value();
  json["limit"] = IsLimit(stats->status) ? Json(JsonText(stats->status.message())) : Json();
  return json;
}

Json LogJson(const DatabaseLog& log) {
  return {{"name", JsonText(log.name)},           {"file_size", log.file_size},
          {"batches", log.batch_count},           {"changes", log.change_count},
          {"first_sequence", log.first_sequence}, {"last_sequence", log.last_sequence}};
}

const char* UseName(DatabaseFile::Use use) {
  switch (use) {
    case DatabaseFile::Use::kPart:
      return "part";
    case DatabaseFile::Use::kLeftOver:
      return "left over";
    case DatabaseFile::Use::kAuxiliary:
      return "auxiliary";
    case DatabaseFile::Use::kForeign:
      break;
  }
  return "foreign";
}

Json ProblemJson(const DatabaseProblem& problem) {
  return {{"file", JsonText(problem.file)},
          {"offset", problem.offset.has_value() ? Json(*problem.offset) : Json()},
          {"damage", problem.is_damage},
          {"message", JsonText(problem.message)}};
}

// Returns a position from 0 to 1 for each of `keys`, which are sorted and distinct. The bytes after
// the common prefix of bytewise keys are read as digits, in a base given by the range of byte
// values that occur there. So decimal keys are spread like the numbers that they spell.
Json PlacesOf(const std::vector<absl::string_view>& keys, bool is_bytewise) {
  Json places = Json::array();
  if (keys.empty()) return places;
  constexpr size_t kDigits = 8;
  const absl::string_view first = keys.front(), last = keys.back();
  const size_t shared = static_cast<size_t>(
      std::mismatch(first.begin(), first.end(), last.begin(), last.end()).first - first.begin());
  int least = 255, most = 0;
  for (const absl::string_view key : keys) {
    for (const char byte : key.substr(std::min(shared, key.size()), kDigits)) {
      least = std::min<int>(least, static_cast<unsigned char>(byte));
      most = std::max<int>(most, static_cast<unsigned char>(byte));
    }
  }
  const auto number_of = [&](absl::string_view key) {
    double number = 0;  // past the end of a key, digits are 0
    for (size_t i = shared; i < shared + kDigits; ++i) {
      number = number * (most - least + 2) +
               (i < key.size() ? static_cast<unsigned char>(key[i]) - least + 1 : 0);
    }
    return number;
  };
  const double low = number_of(first), high = number_of(last);
  for (size_t i = 0; i < keys.size(); ++i) {
    places.push_back(is_bytewise && high > low ? (number_of(keys[i]) - low) / (high - low)
                     : keys.size() > 1         ? static_cast<double>(i) / (keys.size() - 1)
                                               : 0.0);
  }
  return places;
}

}  // namespace

const char* SourceName(StateSource source) {
  return source == StateSource::kManifest ? "manifest" : "files";
}

std::optional<uint64_t> LastSequence(const DatabaseView& view, absl::Span<const TableStats> stats) {
  uint64_t sequence = view.last_sequence();
  if (view.source() == StateSource::kManifest) return sequence;
  if (stats.size() != view.ListTables().size()) return std::nullopt;
  for (const TableStats& table : stats) sequence = std::max(sequence, table.max_sequence);
  return sequence;
}

Json DatabaseJson(const DatabaseView& view, absl::Span<const TableStats> stats,
                  const EntryDecoder* decoder) {
  Json tables = Json::array(), logs = Json::array(), files = Json::array(),
       problems = Json::array();
  for (size_t i = 0; i < view.ListTables().size(); ++i) {
    tables.push_back(TableJson(view.ListTables()[i], stats.empty() ? nullptr : &stats[i], decoder));
  }
  for (const DatabaseLog& log : view.logs()) logs.push_back(LogJson(log));
  for (const DatabaseFile& file : view.ListFiles()) {
    files.push_back(
        {{"name", JsonText(file.name)}, {"file_size", file.size}, {"use", UseName(file.use)}});
  }
  for (const DatabaseProblem& problem : view.FindProblems()) {
    problems.push_back(ProblemJson(problem));
  }
  return {{"folder", JsonText(view.folder())},
          {"source", SourceName(view.source())},
          {"manifest", JsonText(view.manifest_name())},
          {"comparator", JsonText(view.comparator_name())},
          {"last_sequence", LastSequence(view, stats).value_or(view.last_sequence())},
          {"tables", std::move(tables)},
          {"logs", std::move(logs)},
          {"files", std::move(files)},
          {"problems", std::move(problems)}};
}

Json KeyRangesJson(const DatabaseView& view) {
  const Comparator* const order = view.comparator();
  const auto less = [order](absl::string_view a, absl::string_view b) {
    return order->Compare(a, b) < 0;
  };
  std::vector<absl::string_view> keys;
  for (const DatabaseTable& table : view.ListTables()) {
    if (order == nullptr || table.smallest.empty()) continue;
    keys.push_back(ExtractUserKey(table.smallest));
    keys.push_back(ExtractUserKey(table.largest));
  }
  std::sort(keys.begin(), keys.end(), less);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  const auto place_of = [&](const std::string& key) {
    return std::lower_bound(keys.begin(), keys.end(), ExtractUserKey(key), less) - keys.begin();
  };
  Json ranges = Json::array();
  for (const DatabaseTable& table : view.ListTables()) {
    ranges.push_back(order == nullptr || table.smallest.empty()
                         ? Json()
                         : Json{place_of(table.smallest), place_of(table.largest)});
  }
  return {{"ranges", std::move(ranges)}, {"places", PlacesOf(keys, order == BytewiseComparator())}};
}

}  // namespace sstable
