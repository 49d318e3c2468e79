#include "report/table_pages.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "filter/bloom.h"
#include "filter/bloom_view.h"
#include "sstable/filter_block.h"
#include "table/table_internals.h"

namespace sstable {
namespace {

uint64_t CountSetBits(absl::string_view bits) {
  uint64_t count = 0;
  for (const char byte : bits) {
    count += static_cast<uint64_t>(__builtin_popcount(static_cast<unsigned char>(byte)));
  }
  return count;
}

RecordWriterOptions WriterOptions(const PageRequest& request, const TableReader& reader) {
  RecordWriterOptions options;
  options.format = request.format;
  options.key_kind = KeyOrderOf(reader).kind();
  options.offset = request.with_offset;
  options.decoder = request.decoder;
  options.decoded = request.decoder != nullptr;
  return options;
}

}  // namespace

Json AboutJson(const OpenedTable& table) {
  const TableReader& reader = *table.reader;
  const absl::Status index_status = reader.LoadIndex();
  const bool is_internal = table.keys.key_kind == KeyKind::kInternal;
  return {{"file", JsonText(reader.file().name())},
          {"file_size", reader.file().size()},
          {"keys", is_internal ? "internal" : "plain"},
          {"keys_reason", table.keys.kind_reason},
          {"keys_known", table.keys.kind_known_by != KnownBy::kNothing},
          {"order",
           table.keys.comparator == nullptr ? Json() : Json(OrderName(*table.keys.comparator))},
          {"order_reason", table.keys.order_reason},
          {"why_not_searchable", table.searchable() ? Json() : Json(table.why_not_searchable)},
          {"data_blocks", IndexOf(reader) == nullptr ? 0 : IndexOf(reader)->size()},
          {"index_error", ErrorJson(index_status)},
          {"filter_error", ErrorJson(reader.LoadFilter())}};
}

Json PlacesJson(const TableReader& reader, size_t max_places) {
  Json data = Json::array(), meta = Json::array();
  const TableIndex* const index = IndexOf(reader);
  const size_t count = index == nullptr ? 0 : index->size();
  const size_t group = count / max_places + 1;
  for (size_t i = 0; i < count; i += group) {
    const size_t last = std::min(i + group, count) - 1;
    const BlockHandle first = index->record(i).handle(), end = index->record(last).handle();
    const uint64_t limit = end.offset + end.size;  // may be below the first if the index is damaged
    const uint64_t size = limit > first.offset ? limit - first.offset : first.size;
    data.push_back({first.offset, size, last - i + 1});
  }
  for (const MetaBlock& block : reader.meta_blocks()) {
    Json json = HandleJson(block.handle);
    SetBytes("name", block.name, &json);
    meta.push_back(std::move(json));
  }
  return {{"file_size", reader.file().size()},
          {"data", std::move(data)},
          {"meta", std::move(meta)},
          {"metaindex", HandleJson(reader.footer().metaindex)},
          {"index", HandleJson(reader.footer().index)}};
}

Json FilterWindowsJson(const TableReader& reader, size_t max_cells) {
  const FilterBlockReader* const filter = reader.filter();
  if (filter == nullptr || !BloomTraitsOf(*filter->policy()).has_value()) return Json();
  const uint64_t count = filter->window_count();
  const uint64_t group = count / max_cells + 1;
  Json cells = Json::array();
  for (uint64_t first = 0; first < count; first += group) {
    const uint64_t end = std::min(first + group, count);
    uint64_t empty = 0, malformed = 0, bits = 0, set = 0;
    for (uint64_t i = first; i < end; ++i) {
      const FilterWindow window = filter->Window(i);
      if (window.state == FilterWindow::State::kMalformed) ++malformed;
      if (window.state != FilterWindow::State::kPresent || BloomView(window.filter).is_empty()) {
        if (window.state != FilterWindow::State::kMalformed) ++empty;
        continue;
      }
      const BloomView bloom(window.filter);
      bits += bloom.bit_count();
      set += CountSetBits(bloom.bits());
    }
    cells.push_back({first, end - first, empty, malformed, bits, set});
  }
  return {{"base_lg", filter->base_lg()}, {"count", count}, {"cells", std::move(cells)}};
}

EntryPages::EntryPages(const OpenedTable* table, PageRequest request)
    : table_(*table),
      request_(std::move(request)),
      writer_(WriterOptions(request_, *table->reader)),
      scan_(table->reader.get(), table->key_trust, VerifiedScan::Misplaced::kVisit,
            [this](const absl::Status& status) { errors_.emplace_back(status.message()); }) {
  if (request_.from.empty() || !table_.searchable()) return;
  next_block_ = scan_.BlocksBetween(request_.from, std::nullopt).first;
}

bool EntryPages::Matches(absl::string_view key, absl::string_view value) const {
  const KeyOrder& order = KeyOrderOf(*table_.reader);
  const absl::string_view user_key = order.UserKey(key);
  if (!request_.from.empty() && table_.searchable() &&
      order.user_comparator().Compare(user_key, request_.from) < 0) {
    return false;
  }
  return request_.wanted.empty() || absl::StrContains(user_key, request_.wanted) ||
         absl::StrContains(value, request_.wanted);
}

void EntryPages::Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_blocks,
                      std::string* out) {
  rows_ = 0;
  if (!is_first_) errors_.clear();  // the constructor's errors were in the first page
  if (is_first_) writer_.AppendHeader(out);
  is_first_ = false;
  for (uint64_t blocks = 0;
       !done() && blocks < max_blocks && rows_ < max_rows && out->size() < max_bytes; ++blocks) {
    const uint64_t offset = IndexOf(*table_.reader)->record(next_block_).handle().offset;
    const bool goes_on =
        scan_.Visit(next_block_++, [&](absl::string_view key, absl::string_view value) {
          if (!Matches(key, value)) return true;
          writer_.Append(key, value, {table_.reader->file().name(), offset, false}, out);
          ++rows_;
          return true;
        });
    if (!goes_on) next_block_ = scan_.block_count();
  }
}

Json EntryPages::InfoJson() const {
  Json errors = Json::array();
  for (const std::string& error : errors_) errors.push_back(JsonText(error));
  return {{"rows", rows_},
          {"next_block", next_block_},
          {"done", done()},
          {"errors", std::move(errors)}};
}

}  // namespace sstable
