// Sorts records in a limited amount of memory.
//
// Records are collected in an arena. When it is full, they are sorted and become a run in a
// temporary file (tools/sort/sorted_run.h); at the end, all runs are merged while they are read. To
// limit the inputs of a merge, the runs of a level are merged into one of the next level when there
// are kMaxRuns of them, or when the blocks that a merge of all runs holds exceed its memory.
#ifndef SSTABLE_TOOLS_SORT_RECORD_SORTER_H_
#define SSTABLE_TOOLS_SORT_RECORD_SORTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tools/records/record_reader.h"
#include "tools/sort/record_arena.h"
#include "tools/sort/sorted_run.h"
#include "tools/sort/unique_records.h"

namespace sstable::tools {

struct RecordSorterOptions {
  const KeyOrder* order = nullptr;  // borrowed
  Duplicates duplicates = Duplicates::kRefuse;
  // Bytes for records that are not in a run; a single larger record takes what it needs. A merge
  // uses this memory instead, or 10 MiB if that is more, for a block of each run: 64 KiB, or its
  // largest record. In addition it takes a few of the largest records (growing with the logarithm
  // of the number of runs), and 64 bytes for each 64 KiB of the runs.
  size_t memory = 0;
  std::string folder;   // for temporary files
  NameOfPlace name_of;  // for messages
};

// Pattern:  Add* Sort Next*.
// Errors:   InvalidArgument, naming both places, for a key given twice, if that is refused (it
//           names one of several such keys), and for a record of 4 GiB; errors of the temporary
//           files.
class RecordSorter final : public RecordSource {
 public:
  static constexpr size_t kMaxRuns = 64;

  explicit RecordSorter(RecordSorterOptions options);

  absl::Status Add(const Record& record);
  // Ends the input.
  absl::Status Sort();
  absl::StatusOr<bool> Next(Record* record) override;

  uint64_t record_count() const { return record_count_; }  // added so far
  size_t run_count() const;                                // number of runs in temporary files

 private:
  absl::Status SpillArena();
  absl::Status MergeLevel(size_t level);
  absl::StatusOr<SortedRun> WriteRun(std::unique_ptr<Iterator> sorted) const;
  bool MustMerge(size_t level) const;
  // Makes a run the newest one of its level.
  absl::Status AddRun(size_t level, SortedRun run);
  // Iterates over the records of `runs`, which are from the oldest to the newest.
  std::unique_ptr<Iterator> Merge(const std::vector<const TableReader*>& runs) const;
  UniqueRecords Unique(std::unique_ptr<Iterator> sorted) const;

  const RecordSorterOptions options_;
  const Ties ties_;
  RecordArena arena_;
  uint64_t record_count_ = 0;
  std::vector<std::vector<SortedRun>> levels_;  // each from the oldest run; higher levels are older
  uint64_t merge_size_ = 0;                     // bytes of blocks that a merge of all runs holds
  std::optional<UniqueRecords> sorted_;         // what Next() reads
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_RECORD_SORTER_H_
