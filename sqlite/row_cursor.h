// A virtual table, and a cursor over its rows.
#ifndef SSTABLE_SQLITE_ROW_CURSOR_H_
#define SSTABLE_SQLITE_ROW_CURSOR_H_

#include <sqlite3ext.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sqlite/key_range.h"
#include "sqlite/row_source.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"

namespace sstable {

// Returns SQLite's code for an error.
int CodeOf(const absl::Status& status);

struct VirtualTable : sqlite3_vtab {
  std::string path;
  bool has_history = false;           // sstable_entries
  bool is_utf8 = false;               // SQLite compares text in UTF-8
  const Comparator* order = nullptr;  // null: not known
  bool has_sequences = false;
  std::weak_ptr<RowSource> source;  // shared by the statements that are running

  bool is_bytewise() const { return order == BytewiseComparator(); }
};

// Pattern: Filter(), then Next() until AtEnd().
// Errors:  the first damage is returned after the last row.
class RowCursor : public sqlite3_vtab_cursor {
 public:
  explicit RowCursor(std::shared_ptr<RowSource> source) : source_(std::move(source)) {}
  RowCursor(const RowCursor&) = delete;
  RowCursor& operator=(const RowCursor&) = delete;

  // `needs_entry`: the query uses more columns than key and value.
  absl::Status Filter(bool needs_entry, KeyRange wanted);
  absl::Status Next();
  bool AtEnd() const { return rows_ == nullptr && !is_found_; }

  // Must not be called if AtEnd().
  const HistoryIterator::Entry& entry() const { return is_found_ ? found_ : rows_->entry(); }
  RowSource& source() const { return *source_; }

 private:
  const VirtualTable& table() const { return *static_cast<const VirtualTable*>(pVtab); }
  void SortKeys();
  absl::Status ToNextKey();
  void LookUp(const std::string& key);
  bool ToRow();
  bool IsBeyond(absl::string_view key) const;
  void AddDamage(const absl::Status& status);

  const std::shared_ptr<RowSource> source_;
  const RowSource::OnDamage on_damage_ = [this](const absl::Status& status) { AddDamage(status); };
  std::unique_ptr<HistoryIterator> rows_;
  bool is_found_ = false;  // LookUp() found the current row
  HistoryIterator::Entry found_;
  std::string found_value_;
  KeyRange range_;
  size_t next_key_ = 0;  // index in range_.keys
  bool looks_up_ = false;
  absl::Status damage_;  // the first damage found
  int damage_count_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_SQLITE_ROW_CURSOR_H_
