#include "db/salvage/log_use.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "util/stable_order.h"

namespace sstable {
namespace {

struct SequencesOfLog {
  const SourceFile* file = nullptr;
  uint64_t first = 0, last = 0;
};

// Returns zeros if there are no changes, or the file can't be read.
SequencesOfLog ReadSequences(const std::string& folder, const SourceFile& source) {
  SequencesOfLog sequences;
  sequences.file = &source;
  const auto file = OpenFile(PathIn(folder, source.name), FileAccess::kRead);
  if (!file.ok()) return sequences;
  LogReaderOptions options;
  options.resume_within_block = true;
  LogReader log(file->get(), options);
  while (log.Next()) {
    const auto header = DecodeWriteBatchHeader(log.record());
    if (!header.ok() || header->count == 0) continue;
    if (sequences.last == 0) sequences.first = header->sequence;
    sequences.last = std::max(sequences.last, header->last_sequence());
  }
  return sequences;
}

}  // namespace

std::map<std::string, LogUse> FindLogUses(const std::string& folder,
                                          const std::vector<SourceFile>& logs,
                                          const VersionState& version) {
  std::map<std::string, LogUse> uses;
  bool all_are_needed = true;
  for (const SourceFile& log : logs) {
    uses[log.name].is_needed = version.NeedsLog(log.number);
    all_are_needed &= uses[log.name].is_needed;
  }
  if (all_are_needed) return uses;

  std::vector<SequencesOfLog> by_number;  // logs with changes
  for (const SourceFile& log : logs) {
    SequencesOfLog sequences = ReadSequences(folder, log);
    if (sequences.last > 0) by_number.push_back(sequences);
  }
  std::vector<SequencesOfLog> by_sequence = by_number;
  SortStably(&by_sequence,
             [](const SequencesOfLog& a, const SequencesOfLog& b) { return a.first < b.first; });
  // A log with sequences above this has changes that are in no table.
  const uint64_t last_sequence = version.last_sequence.value_or(kMaxSequence);
  for (size_t i = 0; i < by_sequence.size(); ++i) {
    const SequencesOfLog& log = by_sequence[i];
    LogUse& use = uses[log.file->name];
    const bool is_needed = version.NeedsLog(by_number[i].file->number) || log.last > last_sequence;
    if (is_needed == use.is_needed) continue;
    use.is_needed = is_needed;
    use.problem = absl::StrCat(
        "has sequences from ", log.first, " to ", log.last, ", which ",
        is_needed ? "are needed, but its name is that of a log that is not needed"
                  : "are older than those of a log with a lower number, so its name is wrong");
  }
  return uses;
}

}  // namespace sstable
