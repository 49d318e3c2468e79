// Replays logs, as far as their checksums are correct, into one table.
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
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/salvage.h"
#include "sstable/table_builder.h"

namespace sstable {

// Pattern:   Read() for each log, by ascending number; then Write().
// Memory:    all records of all logs; for each change, its key and about 60 bytes.
// Errors:    write errors; errors from on_progress. A log that can't be read is not an error.
class LogRescuer {
 public:
  explicit LogRescuer(RescueContext* context) : context_(*context) {}

  absl::StatusOr<Rescued> Read(const SourceFile& source);

  // Writes a table with all changes that were read; nullopt if there are none. Its level is 0, and
  // its number is higher than those in the old folder.
  absl::StatusOr<std::optional<NewTable>> Write();

  // Adds all changes that were read, in order, to a table of internal keys.
  absl::Status AddTo(TableBuilder* builder);

  // The lowest sequence among the changes that were read; nullopt if there are none.
  std::optional<uint64_t> first_sequence() const { return first_sequence_; }
  // The sequence of the last record read; 0 if there is none.
  uint64_t last_sequence() const { return last_sequence_.value_or(0); }
  uint64_t CountDeletions() const;
  // Describes conflicts in the logs: the same sequence with two values, of which the later one is
  // kept. Empty if there are none. Call after Write() or AddTo().
  std::string DescribeOverwritten() const;

 private:
  struct Change {
    std::string key;  // internal key
    absl::string_view value;
  };

  absl::Status AddRecord(const SourceFile& source, absl::string_view record, uint64_t offset,
                         Rescued* rescued);
  // Reports the drops of `log` not yet reported. `next_sequence` is the sequence of the next
  // record.
  void ReportDrops(const SourceFile& source, const LogReader& log,
                   std::optional<uint64_t> next_sequence, Rescued* rescued);
  void ReportLost(const SourceFile& source, const LogDrop& drop,
                  std::optional<uint64_t> next_sequence, Rescued* rescued) const;

  RescueContext& context_;
  std::deque<std::string> records_;
  std::vector<Change> changes_;
  std::optional<uint64_t> first_sequence_;
  std::optional<uint64_t> last_sequence_;  // sequence of the last record read
  std::string overwritten_;                // internal key of the first change that is left out
  size_t overwritten_count_ = 0;
  size_t reported_drops_ = 0;  // number of drops of the current log that were reported
};

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_LOG_RESCUE_H_
