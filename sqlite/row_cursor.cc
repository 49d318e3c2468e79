#include "sqlite/row_cursor.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"

SQLITE_EXTENSION_INIT3

namespace sstable {

int CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return SQLITE_OK;
    case absl::StatusCode::kDataLoss:
      return SQLITE_CORRUPT_VTAB;
    case absl::StatusCode::kNotFound:
      return SQLITE_CANTOPEN;
    case absl::StatusCode::kAborted:
      return SQLITE_BUSY;
    default:
      return SQLITE_ERROR;
  }
}

absl::Status RowCursor::Filter(bool needs_entry, KeyRange wanted) {
  rows_ = nullptr;
  is_found_ = false;
  range_ = std::move(wanted);
  next_key_ = 0;
  looks_up_ = !needs_entry && table().is_bytewise();
  damage_ = absl::OkStatus();
  damage_count_ = 0;
  if (range_.is_empty) return absl::OkStatus();
  if (!range_.keys.empty()) {
    SortKeys();
    return ToNextKey();
  }
  source_->ReportDamage(nullptr, on_damage_);
  rows_ = source_->NewRows(on_damage_);
  if (range_.lower.empty()) {
    rows_->SeekToFirst();
  } else {
    rows_->Seek(range_.lower);
  }
  return ToRow() ? absl::OkStatus() : ToNextKey();
}

absl::Status RowCursor::Next() {
  is_found_ = false;
  const bool has_more = rows_ != nullptr && (range_.keys.empty() || table().has_history);
  if (has_more) {
    rows_->Next();
    if (ToRow()) return absl::OkStatus();
  }
  return ToNextKey();
}

void RowCursor::SortKeys() {
  const auto compare = [this](const std::string& a, const std::string& b) {
    return table().order->Compare(a, b);
  };
  auto& keys = range_.keys;
  std::sort(keys.begin(), keys.end(), [&](auto& a, auto& b) { return compare(a, b) < 0; });
  keys.erase(
      std::unique(keys.begin(), keys.end(), [&](auto& a, auto& b) { return compare(a, b) == 0; }),
      keys.end());
}

// Moves to the first row of the next key that has rows. After the last key, returns the first
// damage.
absl::Status RowCursor::ToNextKey() {
  while (next_key_ < range_.keys.size()) {
    const std::string& key = range_.keys[next_key_++];
    source_->ReportDamage(&key, on_damage_);
    if (looks_up_) {
      LookUp(key);
      if (is_found_) return absl::OkStatus();
      continue;
    }
    const int known = damage_count_;
    if (rows_ == nullptr) rows_ = source_->NewRows(on_damage_);
    rows_->Seek(key);
    const bool has_row = ToRow();
    // If damage was skipped, this may be an older version.
    if (has_row && (table().has_history || damage_count_ == known)) return absl::OkStatus();
  }
  rows_ = nullptr;
  return damage_;
}

// Uses a lookup, which can use the tables' filters and reads as few blocks as possible.
void RowCursor::LookUp(const std::string& key) {
  auto value = source_->Get(key);
  if (!value.ok()) return AddDamage(value.status());
  is_found_ = value->has_value();
  if (!is_found_) return;
  found_value_ = *std::move(*value);
  found_.key = key;
  found_.value = found_value_;
}

// Moves forward to an entry that is a row of the table. Returns false at the end of the range or
// key.
bool RowCursor::ToRow() {
  for (; rows_->Valid() && !IsBeyond(rows_->entry().key); rows_->Next()) {
    if (table().has_history || rows_->entry().is_live) return true;
  }
  if (!rows_->Valid() && !rows_->status().ok()) AddDamage(rows_->status());
  return false;
}

bool RowCursor::IsBeyond(absl::string_view key) const {
  if (next_key_ > 0) return table().order->Compare(key, range_.keys[next_key_ - 1]) != 0;
  return range_.upper.has_value() && key >= *range_.upper;
}

void RowCursor::AddDamage(const absl::Status& status) {
  sqlite3_log(CodeOf(status), "%s", std::string(status.message()).c_str());
  damage_.Update(status);
  ++damage_count_;
}

}  // namespace sstable
