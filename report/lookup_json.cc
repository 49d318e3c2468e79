#include "report/lookup_json.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/key_name.h"
#include "report/text/style.h"
#include "report/trace_text.h"
#include "sstable/internal_key.h"
#include "table/block/seek_key.h"
#include "table/block/show_key.h"
#include "table/inspect/lookup_trace.h"
#include "table/table_internals.h"

namespace sstable {
namespace {

const char* StateName(FilterWindow::State state) {
  switch (state) {
    case FilterWindow::State::kPresent:
      return "present";
    case FilterWindow::State::kEmpty:
      return "empty";
    case FilterWindow::State::kMalformed:
      return "malformed";
    case FilterWindow::State::kMissing:
      break;
  }
  return "missing";
}

Json FilterStepJson(const FilterTrace& trace) {
  Json probes = Json::array();
  for (const TracedProbe& probe : trace.probes) {
    Json bits = Json::array();
    for (const TracedProbe::Bit& bit : probe.bits) {
      bits.push_back({{"index", bit.index}, {"set", bit.set}});
    }
    probes.push_back({{"signed", probe.signed_tail},
                      {"hash", absl::StrFormat("0x%08x", probe.hash)},
                      {"bits", std::move(bits)}});
  }
  return {{"window", trace.window_index},  {"state", StateName(trace.state)},
          {"offset", trace.filter_offset}, {"size", trace.filter_size},
          {"bits", trace.bit_count},       {"k", trace.probe_count},
          {"consulted", trace.consulted},  {"may_match", trace.may_match},
          {"probes", std::move(probes)}};
}

Json BlockStepJson(const BlockTrace& block, const TableReader& reader,
                   const EntryDecoder* decoder) {
  const KeyOrder& order = KeyOrderOf(reader);
  Json json = {{"block", block.block_index},
               {"offset", block.handle.offset},
               {"size", block.handle.size},
               {"index_key", ShowKey(order, block.separator)},
               {"filter", block.filter.has_value() ? FilterStepJson(*block.filter) : Json()},
               {"read", block.read}};
  if (!block.read) return json;
  json["error"] = ErrorJson(block.status);
  json["codec"] = std::string(CodecName(block.codec, reader.dialect()));
  json["uncompressed_size"] = block.raw_size;
  json["restarts"] = block.restart_count;
  json["restart"] = block.restart_index;
  json["compared"] = block.entries_compared;
  json["first_not_below"] =
      block.entry_key.has_value() ? Json(NameKey(decoder, order.kind(), *block.entry_key)) : Json();
  return json;
}

// Adds the result of the lookup.
void AddFound(const TableReader& reader, const std::string& key, absl::string_view entry_key,
              absl::string_view value, const EntryDecoder* decoder, Json* json) {
  const KeyOrder& order = KeyOrderOf(reader);
  if (order.user_comparator().Compare(order.UserKey(entry_key), key) != 0) return;
  (*json)["found"] = true;
  (*json)["deleted"] = false;
  if (order.kind() == KeyKind::kInternal) {
    const std::optional<ParsedInternalKey> parsed = ParseInternalKey(entry_key);
    if (parsed.has_value()) {
      (*json)["sequence"] = parsed->sequence;
      (*json)["deleted"] = parsed->type == ValueType::kDeletion;
    }
  }
  SetFoundValue(key, value, decoder, json);
}

}  // namespace

void SetFoundValue(absl::string_view user_key, absl::string_view value, const EntryDecoder* decoder,
                   Json* json) {
  SetBytes("value", value, json);
  std::string text;
  if (decoder != nullptr) {
    const DecodedEntry decoded = decoder->Decode(user_key, value);
    if (!decoded.value.empty()) decoded.value.AppendJson(&text);
  }
  (*json)["decoded_value"] = text.empty() ? Json() : Json(text);
}

Json LookupJson(const OpenedTable& table, const std::string& key, const EntryDecoder* decoder) {
  const TableReader& reader = *table.reader;
  const std::string target = SeekKey(KeyOrderOf(reader), key);
  Json json;
  SetBytes("key", key, &json);
  SetKeyName("key", decoder, KeyKind::kPlain, key, &json);
  json["why_not_searchable"] = table.searchable() ? Json() : Json(table.why_not_searchable);
  json["found"] = false;
  const ReaderStats before = reader.stats();
  absl::Status status = reader.LoadIndex();
  if (status.ok()) {
    status = reader.InternalGet(target, [&](absl::string_view entry_key, absl::string_view value) {
      AddFound(reader, key, entry_key, value, decoder, &json);
    });
  }
  json["error"] = ErrorJson(status);
  const uint64_t bytes_read = reader.stats().bytes_read - before.bytes_read;
  const LookupTrace trace = TraceLookup(reader, target);
  json["data_blocks"] = trace.block_count;
  json["table_filter_may_match"] =
      trace.table_filter.has_value() ? Json(trace.table_filter->may_match) : Json();
  json["filter_error"] = ErrorJson(reader.LoadFilter());
  Json steps = Json::array();
  for (const BlockTrace& block : trace.blocks) {
    steps.push_back(BlockStepJson(block, reader, decoder));
  }
  json["steps"] = std::move(steps);
  json["explained"] = JsonText(DescribeLookup(trace, reader, target, bytes_read, Style(false)));
  return json;
}

}  // namespace sstable
