#include "report/salvage_report.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "report/damaged_blocks.h"
#include "report/key_name.h"
#include "report/text/words.h"
#include "table/block/key_order.h"

namespace sstable {
namespace {

std::string DescribeFile(const RescuedFile& file) {
  std::string text = absl::StrCat(file.name, ": ", OutcomeWord(file.outcome));
  if (!file.new_name.empty()) {
    absl::StrAppend(&text, ", ", Count(file.entry_count, "entry"), " in ", file.new_name);
  }
  if (file.unverified_count > 0) {
    absl::StrAppend(&text, "; ", Count(file.unverified_count, "unverified entry"), " in ",
                    file.unverified_name);
  }
  if (!file.message.empty()) absl::StrAppend(&text, "; ", file.message);
  return text;
}

// Describes entries lost in one place. `run` is one item, or neighbouring blocks of a table.
std::string DescribeLost(absl::Span<const LostEntries> run, const EntryDecoder* decoder) {
  const auto name = [decoder](const std::string& key) {
    return NameKey(decoder, KeyKind::kPlain, key);
  };
  const LostEntries& lost = run.front();
  const std::optional<std::string>& last = run.back().last;
  std::string text = absl::StrCat("lost: ", lost.file);
  if (lost.size > 0) absl::StrAppend(&text, ": ", DescribePlace(run));
  absl::StrAppend(&text, ": ", DescribeReasons(run, &LostEntries::reason));
  if (lost.first.has_value()) absl::StrAppend(&text, "; keys from ", name(*lost.first));
  if (last.has_value()) {
    absl::StrAppend(&text, lost.first.has_value() ? " to " : "; keys up to ", name(*last));
  }
  if (lost.first_sequence.has_value()) {
    absl::StrAppend(&text, "; sequences from ", *lost.first_sequence);
    if (lost.last_sequence.has_value()) absl::StrAppend(&text, " to ", *lost.last_sequence);
  } else if (lost.last_sequence.has_value()) {
    absl::StrAppend(&text, "; sequences up to ", *lost.last_sequence);
  }
  if (lost.may_revive) {
    absl::StrAppend(&text,
                    "; deletions and newer values may be lost, so old values may have come back");
  }
  return text;
}

Json FileJson(const RescuedFile& file) {
  Json json = {{"file", JsonText(file.name)},
               {"outcome", OutcomeWord(file.outcome)},
               {"output", file.new_name.empty() ? Json() : Json(file.new_name)},
               {"entries", file.entry_count}};
  if (file.unverified_count > 0) {
    json["unverified_output"] = JsonText(file.unverified_name);
    json["unverified_entries"] = file.unverified_count;
  }
  if (!file.message.empty()) json["message"] = JsonText(file.message);
  return json;
}

Json LostJson(const LostEntries& lost, const EntryDecoder* decoder) {
  Json json = {{"file", JsonText(lost.file)}, {"reason", JsonText(lost.reason)}};
  if (lost.size > 0) {
    json["offset"] = lost.offset;
    json["size"] = lost.size;
  }
  if (lost.first.has_value()) SetBytes("first_key", *lost.first, &json);
  if (lost.last.has_value()) SetBytes("last_key", *lost.last, &json);
  if (lost.first.has_value()) SetKeyName("first_key", decoder, KeyKind::kPlain, *lost.first, &json);
  if (lost.last.has_value()) SetKeyName("last_key", decoder, KeyKind::kPlain, *lost.last, &json);
  if (lost.first_sequence.has_value()) json["first_sequence"] = *lost.first_sequence;
  if (lost.last_sequence.has_value()) json["last_sequence"] = *lost.last_sequence;
  json["old_values_may_be_back"] = lost.may_revive;
  return json;
}

}  // namespace

const char* OutcomeWord(RescuedFile::Outcome outcome) {
  switch (outcome) {
    case RescuedFile::Outcome::kCopied:
      return "copied";
    case RescuedFile::Outcome::kLinked:
      return "linked";
    case RescuedFile::Outcome::kRebuilt:
      return "rebuilt";
    case RescuedFile::Outcome::kReplayed:
      return "replayed";
    case RescuedFile::Outcome::kNothingLeft:
      return "nothing left";
    case RescuedFile::Outcome::kMissing:
      return "missing";
    case RescuedFile::Outcome::kLeftOut:
      break;
  }
  return "left out";
}

std::string SalvageVerdict(const DatabaseSalvageReport& report, const std::string& new_folder) {
  if (!report.is_written) {
    return absl::StrCat("nothing could be rescued: no entry is left, so ", new_folder,
                        " was not made");
  }
  const std::string keys =
      report.live_key_count.has_value() ? Count(*report.live_key_count, "live key") + ", " : "";
  const std::string entries =
      absl::StrCat(keys, Count(report.entry_count, "entry"), ", in ", new_folder);
  if (report.complete()) return absl::StrCat("everything was rescued: ", entries);
  if (!report.lost.empty()) {
    return absl::StrCat("not everything could be rescued: ", entries,
                        "; what is lost or may be lost follows");
  }
  return absl::StrCat("all that was found is rescued: ", entries,
                      "; why it may not be all follows");
}

std::string DescribeDroppedTables(const DatabaseSalvageReport& report) {
  std::vector<std::string> names;
  for (const RescuedFile& file : report.files) {
    if (file.may_have_lost) names.push_back(file.name);
  }
  if (names.empty()) return "";
  const size_t more = names.size() > 5 ? names.size() - 5 : 0;
  names.resize(names.size() - more);
  return absl::StrCat("`sst salvage --include-dropped` also takes ", absl::StrJoin(names, ", "),
                      more > 0 ? absl::StrCat(" and ", more, " more") : "",
                      ", which may have what is lost; it may bring back deleted entries");
}

std::vector<std::string> DescribeLosses(const DatabaseSalvageReport& report,
                                        const EntryDecoder* decoder) {
  std::vector<std::string> lines;
  for (const RescuedFile& file : report.files) {
    const bool is_whole = file.outcome == RescuedFile::Outcome::kCopied ||
                          file.outcome == RescuedFile::Outcome::kLinked;
    if (!is_whole || !file.message.empty()) lines.push_back(DescribeFile(file));
  }
  const auto are_alike = [](const LostEntries& a, const LostEntries& b) {
    return a.file == b.file && a.may_revive == b.may_revive;
  };
  for (const auto& run : GroupNeighbours<LostEntries>(report.lost, are_alike)) {
    lines.push_back(DescribeLost(run, decoder));
  }
  return lines;
}

Json DatabaseSalvageJson(const DatabaseSalvageReport& report, const std::string& folder,
                         const std::string& new_folder, const EntryDecoder* decoder) {
  Json files = Json::array(), lost = Json::array(), problems = Json::array(),
       tables = Json::array();
  for (const RescuedFile& file : report.files) files.push_back(FileJson(file));
  for (const LostEntries& entries : report.lost) lost.push_back(LostJson(entries, decoder));
  for (const DatabaseProblem& problem : report.problems) {
    problems.push_back({{"file", problem.file.empty() ? Json() : Json(JsonText(problem.file))},
                        {"offset", problem.offset.has_value() ? Json(*problem.offset) : Json()},
                        {"message", JsonText(problem.message)},
                        {"damage", problem.is_damage}});
  }
  for (const TableFile& table : report.tables) {
    tables.push_back({{"level", table.level}, {"number", table.number}, {"size", table.size}});
  }
  return {{"folder", JsonText(folder)},
          {"output", report.is_written ? Json(JsonText(new_folder)) : Json()},
          {"complete", report.complete()},
          {"live_keys", report.live_key_count.has_value() ? Json(*report.live_key_count) : Json()},
          {"entries", report.entry_count},
          {"deletions", report.deletion_count},
          {"last_sequence", report.last_sequence},
          {"comparator", JsonText(report.comparator_name)},
          {"levels_kept", report.levels_kept},
          {"files", std::move(files)},
          {"lost", std::move(lost)},
          {"problems", std::move(problems)},
          {"tables", std::move(tables)}};
}

}  // namespace sstable
