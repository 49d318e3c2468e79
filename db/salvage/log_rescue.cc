#include "db/salvage/log_rescue.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "table/block/show_key.h"
#include "util/stable_order.h"
#include "util/status_util.h"

namespace sstable {
absl::StatusOr<Rescued> LogRescuer::Read(const SourceFile& source) {
  Rescued rescued;
  rescued.file.name = source.name;
  rescued.file.outcome = RescuedFile::Outcome::kReplayed;
  const auto file = OpenFile(PathIn(context_.source.path, source.name), FileAccess::kRead);
  context_.NoteRead(file.status());
  if (!file.ok()) {
    rescued.file.outcome = RescuedFile::Outcome::kMissing;
    rescued.file.message = std::string(file.status().message());
    ReportLost(source, {0, 0, rescued.file.message}, std::nullopt, &rescued);
    return rescued;
  }
  LogReaderOptions options;
  options.resume_within_block = true;
  LogReader log(file->get(), options);
  reported_drops_ = 0;
  // Loose logs come in any order, so the previous one says nothing about this one's first sequence.
  if (context_.source.path.empty()) last_sequence_.reset();
  while (log.Next()) {
    const auto header = DecodeWriteBatchHeader(log.record());
    ReportDrops(source, log, header.ok() ? std::optional<uint64_t>(header->sequence) : std::nullopt,
                &rescued);
    RETURN_IF_ERROR(AddRecord(source, log.record(), log.record_offset(), &rescued));
    RETURN_IF_ERROR(context_.Advance(log.record().size()));
  }
  ReportDrops(source, log, std::nullopt, &rescued);
  if (log.drop_count() > log.damage().size()) {
    ReportLost(source, {0, 0, "more damage than is listed"}, std::nullopt, &rescued);
  }
  context_.NoteRead(log.status());
  if (!log.status().ok()) {
    ReportLost(source, {0, 0, std::string(log.status().message())}, std::nullopt, &rescued);
  }
  // Zeros count as a loss, too: no program preallocates logs today, so a system crash left them.
  if (log.torn_end().has_value() && source.is_last_written) {
    rescued.problems.push_back(
        {source.name, log.torn_end()->offset,
         absl::StrCat((*file)->name(), ": at offset ", log.torn_end()->offset, ": ",
                      log.torn_end()->message,
                      ", as a crash leaves it; no later write is missing, as newer logs are empty"),
         /*is_damage=*/false});
  } else if (log.torn_end().has_value()) {
    ReportLost(source, *log.torn_end(), std::nullopt, &rescued);
  }
  return rescued;
}

absl::Status LogRescuer::AddRecord(const SourceFile& source, absl::string_view record,
                                   uint64_t offset, Rescued* rescued) {
  const auto header = DecodeWriteBatchHeader(record);
  records_.emplace_back(record);
  const size_t old_count = changes_.size();
  absl::Status status = header.status();
  if (status.ok()) {
    status = VisitWriteBatch(records_.back(), [this](const BatchChange& change) {
      changes_.push_back({MakeInternalKey(change.key, change.sequence, change.type), change.value});
      return absl::OkStatus();
    });
  }
  if (!status.ok()) {  // a batch is replayed as a whole or not at all
    changes_.resize(old_count);
    records_.pop_back();
    ReportLost(source, {offset, record.size(), std::string(status.message())}, std::nullopt,
               rescued);
    return absl::OkStatus();
  }
  rescued->file.entry_count += changes_.size() - old_count;
  if (header->count == 0) return absl::OkStatus();
  first_sequence_ = std::min(first_sequence_.value_or(header->sequence), header->sequence);
  last_sequence_ = header->last_sequence();
  return absl::OkStatus();
}

void LogRescuer::ReportDrops(const SourceFile& source, const LogReader& log,
                             std::optional<uint64_t> next_sequence, Rescued* rescued) {
  for (; reported_drops_ < log.damage().size(); ++reported_drops_) {
    ReportLost(source, log.damage()[reported_drops_], next_sequence, rescued);
  }
}

void LogRescuer::ReportLost(const SourceFile& source, const LogDrop& drop,
                            std::optional<uint64_t> next_sequence, Rescued* rescued) const {
  LostEntries lost;
  lost.file = source.name;
  lost.offset = drop.offset;
  lost.size = drop.size;
  lost.reason = drop.message;
  if (last_sequence_.has_value()) lost.first_sequence = *last_sequence_ + 1;
  if (next_sequence.has_value() && *next_sequence > 0) lost.last_sequence = *next_sequence - 1;
  if (lost.first_sequence.has_value() && lost.last_sequence.has_value() &&
      *lost.first_sequence == *lost.last_sequence + 1) {
    rescued->problems.push_back(
        {source.name, drop.offset,
         absl::StrCat(PathIn(context_.source.path, source.name), ": at offset ", drop.offset, ": ",
                      drop.size, " bytes: ", drop.message, "; no change is missing around them"),
         /*is_damage=*/false});
    return;
  }
  rescued->lost.push_back(std::move(lost));
}

uint64_t LogRescuer::CountDeletions() const {
  return static_cast<uint64_t>(
      std::count_if(changes_.begin(), changes_.end(), [](const Change& change) {
        return (ExtractTag(change.key) & 0xff) == static_cast<uint8_t>(ValueType::kDeletion);
      }));
}

absl::Status LogRescuer::AddTo(TableBuilder* builder) {
  const InternalKeyComparator order(context_.comparator);
  // Like LevelDB, keep the last of equal keys.
  std::reverse(changes_.begin(), changes_.end());
  SortStably(&changes_,
             [&](const Change& a, const Change& b) { return order.Compare(a.key, b.key) < 0; });
  const Change* last = nullptr;
  for (const Change& change : changes_) {
    if (last != nullptr && order.Compare(last->key, change.key) == 0) {
      if (last->value == change.value) continue;
      if (overwritten_count_++ == 0) overwritten_ = change.key;
      continue;
    }
    RETURN_IF_ERROR(context_.Advance(change.key.size() + change.value.size()));
    RETURN_IF_ERROR(builder->Add(change.key, change.value));
    last = &change;
  }
  return absl::OkStatus();
}

std::string LogRescuer::DescribeOverwritten() const {
  if (overwritten_count_ == 0) return "";
  return absl::StrCat(ShowKey(KeyKind::kInternal, overwritten_),
                      " is written again later in the logs, at the same sequence with another "
                      "value, which is used; such changes: ",
                      overwritten_count_);
}

absl::StatusOr<std::optional<NewTable>> LogRescuer::Write() {
  if (changes_.empty()) return std::nullopt;
  NewTable table;
  table.number = context_.next_number++;
  table.name = TableFileName(table.number);
  table.level = 0;
  TableBuilderOptions options;
  options.comparator = context_.comparator;
  options.key_kind = KeyKind::kInternal;
  ASSIGN_OR_RETURN(const auto builder,
                   TableBuilder::Create(PathIn(context_.new_folder, table.name), options));
  RETURN_IF_ERROR(AddTo(builder.get()));
  RETURN_IF_ERROR(builder->Finish());
  table.smallest = changes_.front().key;
  table.largest = changes_.back().key;
  table.size = builder->FileSize();
  return table;
}

}  // namespace sstable
