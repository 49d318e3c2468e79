#include "tools/sort/record_sorter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "table/merging_iterator.h"
#include "tools/sort/stored_value.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// Limits key and value together, so that stored sizes fit in 4 bytes.
constexpr uint64_t kMaxRecordSize = UINT32_MAX - kPlaceSize;

// In bytes of blocks. Two levels of runs need less, unless a record is large.
constexpr uint64_t kMinMergeSize = 10 << 20;

}  // namespace

// UniqueRecords keeps the first of equal keys, so with kKeepLast the last one given has to come
// first.
RecordSorter::RecordSorter(RecordSorterOptions options)
    : options_(std::move(options)),
      ties_(options_.duplicates == Duplicates::kKeepLast ? Ties::kNewestFirst : Ties::kOldestFirst),
      arena_(options_.memory, options_.order) {}

absl::Status RecordSorter::Add(const Record& record) {
  const uint64_t size = uint64_t{record.key.size()} + record.value.size();
  if (size > kMaxRecordSize) {
    return absl::InvalidArgumentError(absl::StrCat(options_.name_of(record.place), ": a record of ",
                                                   size, " bytes; at most ", kMaxRecordSize,
                                                   " can be sorted"));
  }
  ++record_count_;
  if (arena_.Add(record)) return absl::OkStatus();
  RETURN_IF_ERROR(SpillArena());
  arena_.Add(record);
  return absl::OkStatus();
}

absl::Status RecordSorter::SpillArena() {
  ASSIGN_OR_RETURN(SortedRun run, WriteRun(arena_.Sort(ties_)));
  arena_.Clear();
  return AddRun(0, std::move(run));
}

absl::StatusOr<SortedRun> RecordSorter::WriteRun(std::unique_ptr<Iterator> sorted) const {
  UniqueRecords records = Unique(std::move(sorted));
  ASSIGN_OR_RETURN(RunWriter writer, RunWriter::Create(options_.folder, options_.order));
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_record, records.Next());
    if (!has_record) return writer.Finish();
    RETURN_IF_ERROR(writer.Add(records.key(), records.stored_value()));
  }
}

// A level with one run is not merged, whatever the size of its blocks. Since a merge has at least
// two inputs, the number of levels is at most about the binary logarithm of the number of runs.
bool RecordSorter::MustMerge(size_t level) const {
  const size_t count = levels_[level].size();
  const bool too_large = merge_size_ > std::max<uint64_t>(options_.memory, kMinMergeSize);
  return count == kMaxRuns || (count > 1 && too_large);
}

absl::Status RecordSorter::AddRun(size_t level, SortedRun run) {
  if (levels_.size() == level) levels_.emplace_back();
  merge_size_ += run.max_block_size;
  levels_[level].push_back(std::move(run));
  return MustMerge(level) ? MergeLevel(level) : absl::OkStatus();
}

absl::Status RecordSorter::MergeLevel(size_t level) {
  arena_.Release();
  std::vector<const TableReader*> runs;
  for (const SortedRun& run : levels_[level]) runs.push_back(run.reader.get());
  ASSIGN_OR_RETURN(SortedRun merged, WriteRun(Merge(runs)));
  for (const SortedRun& run : levels_[level]) merge_size_ -= run.max_block_size;
  levels_[level].clear();
  return AddRun(level + 1, std::move(merged));
}

std::unique_ptr<Iterator> RecordSorter::Merge(const std::vector<const TableReader*>& runs) const {
  std::vector<std::unique_ptr<Iterator>> children;
  for (const TableReader* run : runs) children.push_back(run->NewIterator(ReadOptions::ForScan()));
  if (ties_ == Ties::kNewestFirst) std::reverse(children.begin(), children.end());
  return std::make_unique<MergingIterator>(&options_.order->user_comparator(),
                                           options_.order->kind(), std::move(children));
}

UniqueRecords RecordSorter::Unique(std::unique_ptr<Iterator> sorted) const {
  return UniqueRecords(std::move(sorted), options_.order,
                       options_.duplicates == Duplicates::kRefuse, &options_.name_of);
}

absl::Status RecordSorter::Sort() {
  if (levels_.empty()) {
    sorted_.emplace(Unique(arena_.Sort(ties_)));
    return absl::OkStatus();
  }
  if (!arena_.empty()) RETURN_IF_ERROR(SpillArena());
  arena_.Release();
  std::vector<const TableReader*> runs;
  for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
    for (const SortedRun& run : *level) runs.push_back(run.reader.get());
  }
  sorted_.emplace(Unique(Merge(runs)));
  return absl::OkStatus();
}

absl::StatusOr<bool> RecordSorter::Next(Record* record) {
  ASSIGN_OR_RETURN(const bool has_record, sorted_->Next());
  if (has_record) *record = DecodeStored(sorted_->key(), sorted_->stored_value());
  return has_record;
}

size_t RecordSorter::run_count() const {
  size_t count = 0;
  for (const auto& level : levels_) count += level.size();
  return count;
}

}  // namespace sstable::tools
