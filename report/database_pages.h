// For the web page: the entries of a database page by page, as `sst dump DIR` writes them, and a
// lookup.
#ifndef SSTABLE_REPORT_DATABASE_PAGES_H_
#define SSTABLE_REPORT_DATABASE_PAGES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decode/entry_decoder.h"
#include "report/json.h"
#include "report/record_writer.h"
#include "sstable/database_view.h"

namespace sstable {

// Selects and formats entries.
struct DatabasePageRequest {
  RecordFormat format = RecordFormat::kJsonl;
  bool history = false;  // every version, with file, offset and whether it is live
  std::string from;      // user key to start from; empty: the first one
  std::string wanted;    // if not empty, only entries with these bytes in the user key or the value
  const EntryDecoder* decoder = nullptr;  // borrowed; null: entries are not decoded
};

// Pattern: call Next() until done(). The view must have a comparator, and outlive this object.
class DatabasePages {
 public:
  DatabasePages(const DatabaseView* view, DatabasePageRequest request);

  // Appends entries to `*out` until there are at least `max_rows` rows or `max_bytes` bytes, or
  // `max_entries` versions were read. Skips damage.
  void Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_entries, std::string* out);

  bool done() const { return !it_->Valid(); }
  // Describes the last page: its number of rows, error messages for what could not be read, and the
  // number of versions read so far.
  Json InfoJson() const;

 private:
  bool Matches(const HistoryIterator::Entry& entry) const;

  const DatabaseView& view_;
  const DatabasePageRequest request_;
  const RecordWriter writer_;
  std::vector<std::string> errors_;
  std::unique_ptr<HistoryIterator> it_;
  uint64_t rows_ = 0;
  uint64_t read_ = 0;
  bool is_first_ = true;
};

// Looks up a user key. Returns its newest version and the text of `sst get --explain`, or "error"
// if the lookup failed. Adds "decoded_key" if `decoder`, which may be null, recognizes the key.
Json DatabaseLookupJson(const DatabaseView& view, const std::string& key,
                        const EntryDecoder* decoder);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_PAGES_H_
