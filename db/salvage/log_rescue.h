// Replays logs as far as their checksums reach, into one table.
#ifndef SSTABLE_DB_SALVAGE_LOG_RESCUE_H_
#define SSTABLE_DB_SALVAGE_LOG_RESCUE_H_

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/salvage/new_table.h"
#include "db/salvage/source_folder.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_salvage.h"
#include "sstable/log_file.h"
#include "sstable/table_builder.h"
#include "sstable/write_batch.h"

namespace sstable {

// Pattern:   Read, for each log, by number; then Write.
// Memory:    all records of all logs, and about 60 bytes and its key for each change.
// Errors:    those of writing; on_progress's. That a log can't be read is not one.
class LogRescuer {
 public:
  explicit LogRescuer(RescueContext* context) : context_(*context) {}

  absl::StatusOr<Rescued> Read(const SourceFile& source);

  // Writes a table of all changes that were read; nullopt if there are none. Its level is 0, and
  // its number higher than those of the old folder.
  absl::StatusOr<std::optional<NewTable>> Write();

  // Adds all changes that were read, in order, to a table of internal keys.
  absl::Status AddTo(TableBuilder* builder);

  // The lowest sequence of the changes that were read; nullopt if there are none.
  std::optional<uint64_t> first_sequence() const { return first_sequence_; }
  uint64_t last_sequence() const { return last_sequence_.value_or(0); }  // of the last record
  uint64_t CountDeletions() const;
  // What the logs have twice, at one sequence with two values, of which the later counts; empty if
  // there is nothing. After Write() or AddTo().
  std::string DescribeOverwritten() const;

 private:
  struct Change {
    std::string key;  // internal
    absl::string_view value;
  };

  absl::Status AddRecord(const SourceFile& source, absl::string_view record, uint64_t offset,
                         Rescued* rescued);
  // Adds the drops of `log` that were not yet reported. They come before `next_sequence`.
  void ReportDrops(const SourceFile& source, const LogReader& log,
                   std::optional<uint64_t> next_sequence, Rescued* rescued);
  void ReportLost(const SourceFile& source, const LogDrop& drop,
                  std::optional<uint64_t> next_sequence, Rescued* rescued) const;

  RescueContext& context_;
  std::deque<std::string> records_;
  std::vector<Change> changes_;
  std::optional<uint64_t> first_sequence_;
  std::optional<uint64_t> last_sequence_;  // of the last record that was read
  std::string overwritten_;                // internal key of the first change that does not count
  size_t overwritten_count_ = 0;
  size_t reported_drops_ = 0;  // of the current log
};

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_LOG_RESCUE_H_
