#include "report/database_pages.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "report/database_lookup_text.h"
#include "report/key_name.h"
#include "report/lookup_json.h"
#include "report/text/style.h"
#include "sstable/internal_key.h"
#include "table/inspect/opened_table.h"

namespace sstable {
namespace {

RecordWriterOptions WriterOptions(const DatabasePageRequest& request) {
  RecordWriterOptions options;
  options.format = request.format;
  options.key_kind = request.history ? KeyKind::kInternal : KeyKind::kPlain;
  options.live = options.file = options.offset = request.history;
  options.decoder = request.decoder;
  options.decoded = request.decoder != nullptr;
  return options;
}

}  // namespace

DatabasePages::DatabasePages(const DatabaseView* view, DatabasePageRequest request)
    : view_(*view), request_(std::move(request)), writer_(WriterOptions(request_)) {
  ViewReadOptions options;
  options.on_damage = [this](const DatabaseProblem& problem) {
    errors_.push_back(problem.message);
  };
  it_ = view->NewHistoryIterator(options);
  request_.from.empty() ? it_->SeekToFirst() : it_->Seek(request_.from);
}

bool DatabasePages::Matches(const HistoryIterator::Entry& entry) const {
  if (!entry.is_live && !request_.history) return false;
  return request_.wanted.empty() || absl::StrContains(entry.key, request_.wanted) ||
         absl::StrContains(entry.value, request_.wanted);
}

void DatabasePages::Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_entries,
                         std::string* out) {
  rows_ = 0;
  if (!is_first_) errors_.clear();  // the constructor's errors were in the first page
  if (is_first_) writer_.AppendHeader(out);
  is_first_ = false;
  for (uint64_t read = 0;
       it_->Valid() && read < max_entries && rows_ < max_rows && out->size() < max_bytes;
       it_->Next(), ++read, ++read_) {
    const HistoryIterator::Entry& entry = it_->entry();
    if (!Matches(entry)) continue;
    const std::string path = PathIn(view_.folder(), entry.file);
    const std::string key = request_.history
                                ? MakeInternalKey(entry.key, entry.sequence, entry.type)
                                : std::string(entry.key);
    writer_.Append(key, entry.value, {path, entry.offset, entry.is_live}, out);
    ++rows_;
  }
  if (!it_->status().ok()) errors_.emplace_back(it_->status().message());
}

Json DatabasePages::InfoJson() const {
  Json errors = Json::array();
  for (const std::string& error : errors_) errors.push_back(JsonText(error));
  return {{"rows", rows_}, {"read", read_}, {"done", done()}, {"errors", std::move(errors)}};
}

Json DatabaseLookupJson(const DatabaseView& view, const std::string& key,
                        const EntryDecoder* decoder) {
  Json json = {{"found", false}, {"error", nullptr}};
  SetKeyName("key", decoder, KeyKind::kPlain, key, &json);
  ViewReadOptions options;
  options.on_damage = [](const DatabaseProblem&) {};  // the explanation reports it
  const std::unique_ptr<HistoryIterator> it = view.NewHistoryIterator(options);
  it->Seek(key);
  if (it->Valid() && it->entry().key == key) {
    const HistoryIterator::Entry& entry = it->entry();
    json["found"] = true;
    json["deleted"] = entry.type == ValueType::kDeletion;
    json["sequence"] = entry.sequence;
    json["file"] = JsonText(entry.file);
    SetFoundValue(entry.key, entry.value, decoder, &json);
  }
  absl::Status status = it->status();
  if (status.ok()) {
    const auto open_table = [&](const DatabaseTable& table) {
      const auto open = [&] { return OpenDatabaseFile(PathIn(view.folder(), table.name)); };
      return OpenDetectingKeys(open, {KeyKind::kInternal, view.comparator()});
    };
    const absl::StatusOr<std::string> explained =
        DescribeDatabaseLookup(view, key, kMaxSequence, open_table, Style(false));
    status = explained.status();
    if (explained.ok()) json["explained"] = JsonText(*explained);
  }
  json["error"] = ErrorJson(status);
  return json;
}

}  // namespace sstable
