// The entries of a database's folder or of a table, as the rows of an SQL table.
#ifndef SSTABLE_SQLITE_ROW_SOURCE_H_
#define SSTABLE_SQLITE_ROW_SOURCE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "decode/choose_decoder.h"
#include "decode/entry_decoder.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"

namespace sstable {

// The contents of a path at one moment.
//
// Threads:  one at a time.
// Lifetime: iterators must not outlive it.
class RowSource {
 public:
  using OnDamage = std::function<void(const absl::Status& status)>;

  // Opens a database's folder or a table.
  static absl::StatusOr<std::shared_ptr<RowSource>> Open(const std::string& path);
  virtual ~RowSource() = default;

  // Returns the order of keys, or null if a search could miss some.
  virtual const Comparator* order() const = 0;
  // Returns false for a table of plain keys.
  virtual bool has_sequences() const = 0;
  // Reports the damage that is already known; if `key` is not null, only damage that may hide it.
  virtual void ReportDamage(const std::string* key, const OnDamage& on_damage) const = 0;

  // Iterates over every version of every key. Reports damage and continues after it.
  virtual std::unique_ptr<HistoryIterator> NewRows(OnDamage on_damage) const = 0;
  // Returns the value of a live key. Damage that may hide the key is an error.
  virtual absl::StatusOr<std::optional<std::string>> Get(absl::string_view key) const = 0;

  // Returns null if no known format fits the entries. The first call reads entries.
  const EntryDecoder* decoder();

 protected:
  virtual std::shared_ptr<const EntrySource> NewDecoderSource() const = 0;

 private:
  std::optional<ChosenDecoder> chosen_;
};

}  // namespace sstable

#endif  // SSTABLE_SQLITE_ROW_SOURCE_H_
