// The entries of a database for the page of web/, page by page, as `sst dump DIR` writes them, and
// a lookup.
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
  std::string from;      // the first user key; empty: the first of all
  std::string wanted;    // only entries that contain these bytes in the user key or the value
  const EntryDecoder* decoder = nullptr;  // null: entries are not decoded. Borrowed
};

// Pattern:  for (;;) Next(), until done(). The view must have a comparator, and outlive this.
class DatabasePages {
 public:
  DatabasePages(const DatabaseView* view, DatabasePageRequest request);

  // Appends entries to `*out` until there are `max_rows`, `max_bytes` or more, or until
  // `max_entries` were read. Damage is skipped.
  void Next(uint64_t max_rows, uint64_t max_bytes, uint64_t max_entries, std::string* out);

  bool done() const { return !it_->Valid(); }
  // About the last page: the number of rows; error messages for what could not be read; the number
  // of versions read so far.
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

// Looks up the user key `key`. Returns the newest version, and the text of `sst get --explain`.
// "error" is set if it can't be looked up.
Json DatabaseLookupJson(const DatabaseView& view, const std::string& key,
                        const EntryDecoder* decoder);

}  // namespace sstable

#endif  // SSTABLE_REPORT_DATABASE_PAGES_H_
