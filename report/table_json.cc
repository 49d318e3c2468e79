#include "report/table_json.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_format.h"
#include "report/filter_rate.h"
#include "report/key_name.h"

namespace sstable {
namespace {

Json BlockJson(const BlockInfo& block) {
  Json json = {{"kind", std::string(BlockKindName(block.kind))},
               {"offset", block.handle.offset},
               {"size", block.handle.size}};
  if (block.kind == BlockKind::kData) {
    SetBytes("index_key", block.name, &json);
  } else if (!block.name.empty()) {
    SetBytes("name", block.name, &json);
  }
  json["type"] = block.type;
  json["codec"] = std::string(block.codec_name);
  json["stored_crc32c"] = absl::StrFormat("0x%08x", block.stored_crc);
  json["computed_crc32c"] = absl::StrFormat("0x%08x", block.computed_crc);
  json["uncompressed_size"] = block.status.ok() ? Json(block.raw_size) : Json();
  if (block.kind != BlockKind::kFilter && block.kind != BlockKind::kMeta) {
    json["entries"] = block.entry_count;
    json["restarts"] = block.restart_count;
  }
  json["error"] = ErrorJson(block.status);
  return json;
}

// Adds the rates that FilterReport and TableFilterReport have in common.
template <typename Report>
void AddRates(const Report& report, uint64_t given_present, Json* json) {
  (*json)["false_negatives"] = report.false_negatives;
  (*json)["false_positives"] = RateJson(report.random);
  (*json)["false_positives_of_neighbours"] = RateJson(report.neighbours);
  (*json)["false_positives_of_given_keys"] = RateJson(report.given);
  (*json)["false_positives_of_given_keys"]["present"] = given_present;
}

Json TableFilterJson(const TableFilterReport& report, uint64_t given_present) {
  Json json = {{"policy", JsonText(report.name)},
               {"consulted", report.status.ok()},
               {"error", ErrorJson(report.status)},
               {"block", HandleJson(report.handle)}};
  if (report.status.ok()) AddRates(report, given_present, &json);
  return json;
}

Json SizesJson(const SizeHistogram& sizes) {
  if (sizes.count == 0) return Json();
  Json buckets = Json::array();
  for (size_t i = 0; i < sizes.by_bit_width.size(); ++i) {
    if (sizes.by_bit_width[i] == 0) continue;
    const auto [low, high] = SizeRange(i);
    buckets.push_back({{"from", low}, {"to", high}, {"count", sizes.by_bit_width[i]}});
  }
  return {{"min", sizes.min},
          {"max", sizes.max},
          {"mean", sizes.Mean()},
          {"sum", sizes.sum},
          {"buckets", std::move(buckets)}};
}

Json LostJson(const LostRange& lost, KeyKind kind, const EntryDecoder* decoder) {
  const char* const until = lost.is_block ? "up_to" : "below";
  Json json = {{"kind", lost.is_block ? "block" : "bytes"},
               {"offset", lost.offset},
               {"size", lost.size},
               {"reason", JsonText(lost.reason)}};
  if (lost.after.has_value()) SetBytes("above", *lost.after, &json);
  if (lost.until.has_value()) SetBytes(until, *lost.until, &json);
  if (lost.after.has_value()) SetKeyName("above", decoder, kind, *lost.after, &json);
  if (lost.until.has_value()) SetKeyName(until, decoder, kind, *lost.until, &json);
  return json;
}

}  // namespace

// Returns the range of sizes that SizeHistogram::by_bit_width[bit_width] counts.
std::pair<uint64_t, uint64_t> SizeRange(size_t bit_width) {
  if (bit_width == 0) return {0, 0};
  const uint64_t low = uint64_t{1} << (bit_width - 1);
  return {low, low + (low - 1)};
}

// Returns the reason as text for people and as in JSON.
std::pair<const char*, const char*> DescribeReason(SalvageConflict::Kind kind) {
  switch (kind) {
    case SalvageConflict::Kind::kNoTag:
      return {"not an internal key", "no tag"};
    case SalvageConflict::Kind::kOtherValue:
      break;
  }
  return {"the key was already found with another value", "other value"};
}

Json CheckJson(const CheckReport& report, const std::string& name) {
  Json problems = Json::array();
  for (const CheckProblem& problem : report.problems) {
    problems.push_back({{"place", problem.place},
                        {"offset", problem.offset},
                        {"size", problem.size},
                        {"message", JsonText(problem.message)}});
  }
  return {{"file", JsonText(name)},
          {"ok", report.ok()},
          {"entries", report.entries},
          {"data_blocks", report.data_blocks},
          {"damaged_data_blocks", report.damaged_data_blocks},
          {"order_checked", report.order_checked},
          {"order_reason", report.order_reason.empty() ? Json() : Json(report.order_reason)},
          {"keys_checked_with_filter", report.keys_checked_with_filter},
          {"filter_error", ErrorJson(report.filter_status)},
          {"limit", ErrorJson(report.limit_status)},
          {"problem_count", report.problem_count},
          {"problems", std::move(problems)}};
}

Json UncheckedJson(const absl::Status& status, const std::string& name) {
  return {{"file", JsonText(name)}, {"ok", false}, {"error", ErrorJson(status)}};
}

Json LayoutJson(const TableReader& reader, const Layout& layout) {
  Json blocks = Json::array(), unreferenced = Json::array(), overlapping = Json::array();
  for (const BlockInfo& block : layout.blocks) blocks.push_back(BlockJson(block));
  for (const ByteRange& range : layout.unreferenced) {
    unreferenced.push_back({{"offset", range.offset}, {"size", range.size}});
  }
  for (const ByteRange& range : layout.overlapping) {
    overlapping.push_back({{"offset", range.offset}, {"size", range.size}});
  }
  return {{"file", JsonText(reader.file().name())},
          {"file_size", layout.file_size},
          {"blocks", std::move(blocks)},
          {"unreferenced", std::move(unreferenced)},
          {"doubly_used", std::move(overlapping)},
          {"index_error", ErrorJson(layout.index_status)},
          {"metaindex_error", ErrorJson(layout.metaindex_status)},
          {"footer",
           {{"offset", layout.file_size - kFooterSize},
            {"metaindex", HandleJson(reader.footer().metaindex)},
            {"index", HandleJson(reader.footer().index)}}}};
}

Json FilterJson(const FilterReport& report, const std::string& name) {
  Json json = {{"file", JsonText(name)},
               {"policy", report.name.empty() ? Json() : Json(JsonText(report.name))},
               {"consulted", report.status.ok()},
               {"error", ErrorJson(report.status)},
               {"scan_error", ErrorJson(report.scan_status)}};
  if (report.table_filter.has_value()) {
    json["table_filter"] = TableFilterJson(*report.table_filter, report.given_present);
  }
  if (report.name.empty()) return json;
  json["block"] = HandleJson(report.handle);
  if (!report.status.ok() && report.windows == 0) return json;
  json["base_lg"] = report.base_lg;
  json["windows"] = {{"count", report.windows},
                     {"empty", report.empty_windows},
                     {"malformed", report.malformed_windows}};
  if (report.is_bloom) {
    Json probe_counts = Json::array();
    for (const auto& [probe_count, windows] : report.windows_by_probe_count) {
      probe_counts.push_back({{"k", probe_count}, {"windows", windows}});
    }
    json["probe_counts"] = std::move(probe_counts);
    json["bits"] = report.bits;
    json["bits_set"] = report.bits_set;
    json["hash"] = report.hash.Verdict();
  }
  json["keys_tested"] = report.keys_tested;
  AddRates(report, report.given_present, &json);
  if (report.is_bloom) json["false_positives"]["expected_rate"] = report.expected_rate;
  return json;
}

Json StatsJson(const TableStats& stats, const std::string& name, bool internal_keys) {
  Json json = {{"file", JsonText(name)},
               {"error", ErrorJson(stats.status)},
               {"file_size", stats.file_size},
               {"entries", stats.entries},
               {"keys", internal_keys ? "internal" : "plain"}};
  if (internal_keys) {
    json["user_keys"] = stats.distinct_user_keys;
    json["deletions"] = stats.deletions;
    json["min_sequence"] = stats.entries > 0 ? Json(stats.min_sequence) : Json();
    json["max_sequence"] = stats.entries > 0 ? Json(stats.max_sequence) : Json();
  }
  json["key_sizes"] = SizesJson(stats.key_sizes);
  json["value_sizes"] = SizesJson(stats.value_sizes);
  json["data_blocks"] = {{"count", stats.data_blocks},
                         {"damaged", stats.damaged_data_blocks},
                         {"stored_size", stats.data_stored_size},
                         {"uncompressed_size", stats.data_raw_size},
                         {"by_codec", stats.blocks_by_codec}};
  json["index_size"] = stats.index_size;
  json["filter_size"] = stats.filter_size;
  json["writers"] = stats.origin.writers;
  json["marks"] = stats.origin.marks;
  return json;
}

Json SalvageJson(const Salvager& salvager, const std::string& name, const std::string& out,
                 bool written, const EntryDecoder* decoder) {
  const KeyKind kind = salvager.key_kind();
  const TableScan& scan = salvager.scan();
  const SalvageReport& report = salvager.report();
  Json lost = Json::array(), conflicts = Json::array(), doubts = Json::array();
  for (const std::string& doubt : scan.doubts) doubts.push_back(JsonText(doubt));
  for (const LostRange& range : scan.lost) lost.push_back(LostJson(range, kind, decoder));
  for (const SalvageConflict& conflict : report.conflicts) {
    Json json = {{"block_offset", conflict.block_offset},
                 {"reason", DescribeReason(conflict.kind).second}};
    SetBytes("key", conflict.key, &json);
    SetKeyName("key", decoder, kind, conflict.key, &json);
    conflicts.push_back(std::move(json));
  }
  return {{"file", JsonText(name)},
          {"output", written ? Json(JsonText(out)) : Json()},
          {"complete", salvager.complete()},
          {"entries_saved", report.entries_saved},
          {"data_blocks_read", scan.blocks.size()},
          {"index", scan.index_source == IndexSource::kFooter   ? Json("read")
                    : scan.index_source == IndexSource::kCarved ? Json("found by checksum")
                                                                : Json()},
          {"lost", std::move(lost)},
          {"extent_known", scan.extent_known},
          {"search_stopped_at",
           scan.carving_stopped_at.has_value() ? Json(*scan.carving_stopped_at) : Json()},
          {"left_out_count", report.conflict_count},
          {"left_out", std::move(conflicts)},
          {"doubts", std::move(doubts)},
          {"belonging_known", scan.owner_known},
          {"has_magic", scan.has_magic},
          {"doubtful_blocks", scan.doubtful.size()},
          {"duplicates", report.duplicates},
          {"keys_out_of_order", report.out_of_order_keys},
          {"order_known", salvager.order_known()},
          {"read_error", ErrorJson(scan.read_status)},
          {"footer_error", ErrorJson(scan.footer_status)},
          {"index_error", ErrorJson(scan.index_status)},
          {"metaindex_error", ErrorJson(scan.metaindex_status)}};
}

}  // namespace sstable
