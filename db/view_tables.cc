#include "db/view_tables.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "sstable/table_iterator.h"
#include "table/block/block_iterator.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

// A file up to the size that the MANIFEST gives: like LevelDB, a view expects the footer at that
// end.
class FilePrefix final : public RandomAccessFile {
 public:
  FilePrefix(std::unique_ptr<RandomAccessFile> file, uint64_t size)
      : RandomAccessFile(file->name(), size), file_(std::move(file)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    return file_->Read(offset, size, dst);
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
};

// Returns an error, with the file's name, if keys do not ascend: FailedPrecondition for index keys,
// as every lookup does, and DataLoss for those of the first two data blocks.
absl::Status FindDisorder(const TableReader& reader) {
  constexpr size_t kBlocks = 2;
  if (IndexOf(reader) == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(AtPlace(reader.file().name(), IndexOf(reader)->order_status()));
  WorkMeter work(WorkOf(reader));
  std::string last;
  const auto it = reader.NewIterator(ReadOptions::ForScan());
  for (size_t block = 0; block < kBlocks; ++block) {
    it->SeekToBlock(block);
    if (!it->Valid() || it->block_index() != block) break;
    BlockIterator entries(&KeyOrderOf(reader), BlockOf(*it));
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      const absl::string_view key = entries.key();
      if (!ParseInternalKey(key).has_value() || !work.TakeKey(key.size())) return absl::OkStatus();
      if (!last.empty()) {
        RETURN_IF_ERROR(AtPlace(reader.file().name(), CheckAscends(KeyOrderOf(reader), last, key)));
      }
      last.assign(key.data(), key.size());
    }
  }
  return absl::OkStatus();
}

}  // namespace

size_t AllowedFiles(size_t wanted) {
  return std::max<size_t>(std::min<size_t>(wanted, sys::MaxDescriptors() / 4), 1);
}

bool ViewTables::Slot::TryClose() {
  const std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  if (!lock.owns_lock()) return false;  // another thread is about to use it
  uint32_t nobody = 0;
  if (!users.compare_exchange_strong(nobody, kClosed, std::memory_order_acq_rel)) return false;
  reader.reset();
  return true;
}

ViewTables::ViewTables(size_t count, size_t max_open, FileAccess access, bool is_decrypted,
                       const TableReaderOptions& options)
    : opens_at_once_(count <= AllowedFiles(max_open)),
      max_open_(access == FileAccess::kRead ? AllowedFiles(max_open)
                                            : std::max<size_t>(max_open, 1)),
      access_(access),
      is_decrypted_(is_decrypted),
      options_(options),
      kept_(count),
      is_range_right_(count) {}

absl::Status ViewTables::Add(DatabaseTable table, std::string path) {
  const bool is_listed = table.file_size.has_value();
  tables_.push_back(std::move(table));
  Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
  slot.path = std::move(path);
  slot.size = tables_.back().file_size.value_or(kUnknownSize);
  if (is_listed && !opens_at_once_) return absl::OkStatus();
  auto file = OpenNow(slot.path);
  if (file.ok()) {
    tables_.back().file_size = slot.size = (*file)->size();
    slot.file = *std::move(file);
  } else {
    slot.error = file.status();
  }
  return slot.error;
}

void ViewTables::AddUnreadable(DatabaseTable table, absl::Status status) {
  tables_.push_back(std::move(table));
  slots_.emplace_back(std::make_unique<Slot>())->error = std::move(status);
}

absl::Status ViewTables::FindRange(size_t i) {
  Slot& slot = *slots_[i];
  RETURN_IF_ERROR(slot.error);
  ASSIGN_OR_RETURN(std::unique_ptr<TableReader> reader, OpenReader(i));
  const auto it = reader->NewIterator(ReadOptions::ForScan());
  std::string first, last;
  for (std::string* const key : {&first, &last}) {
    key == &first ? it->SeekToFirst() : it->SeekToLast();
    if (!it->Valid()) return it->status();
    key->assign(it->key().data(), it->key().size());
    if (ParseInternalKey(*key).has_value()) continue;
    return slot.error = absl::DataLossError(
               absl::StrCat(slot.path, ": key ", ShowKey(KeyKind::kInternal, *key),
                            " is not an internal key; this is not a table of a database"));
  }
  tables_[i].smallest = std::move(first);
  tables_[i].largest = std::move(last);
  is_range_right_[i] = true;
  Keep(std::move(reader), i);
  return absl::OkStatus();
}

absl::Status ViewTables::CheckRange(size_t i) const {
  if (IsRangeRight(i)) return absl::OkStatus();
  Slot& slot = *slots_[i];
  const absl::Status status = Open(i).status();
  const std::lock_guard<std::mutex> lock(slot.mutex);
  const bool is_removed = absl::IsNotFound(status) || absl::IsAborted(status);
  return is_removed || slot.has_wrong_keys ? status : absl::OkStatus();
}

absl::StatusOr<ViewTables::OpenTable> ViewTables::OpenSlowly(size_t i) const {
  Slot& slot = *slots_[i];
  const std::lock_guard<std::mutex> lock(slot.mutex);
  // Another thread may have opened it meanwhile.
  if (slot.reader != nullptr && keeps_all_) return OpenTable(slot.reader.get());
  if (slot.TryUse()) return OpenTable(&slot);
  RETURN_IF_ERROR(slot.error);
  ASSIGN_OR_RETURN(std::unique_ptr<TableReader> reader, OpenReader(i));
  if (!IsRangeRight(i)) {
    absl::Status status = CompareRange(i, *reader);
    if (status.ok() && checks_order_ && tables_[i].in_order) status = FindDisorder(*reader);
    slot.has_wrong_keys = absl::IsDataLoss(status);
    if (slot.has_wrong_keys) return slot.error = status;
    is_range_right_[i].store(status.ok(), std::memory_order_relaxed);
  }
  return Keep(std::move(reader), i);
}

absl::Status ViewTables::CheckOrder(size_t i) const {
  const auto opened = Open(i);
  if (opened.ok()) {
    absl::Status order = FindDisorder(**opened);
    if (absl::IsFailedPrecondition(order)) order = absl::DataLossError(order.message());
    return order;
  }
  const absl::Status& status = opened.status();
  return absl::IsNotFound(status) || absl::IsAborted(status) ? status : absl::OkStatus();
}

absl::Status ViewTables::CheckOpenAtOnce(size_t count) const {
  const size_t allowed = 3 * AllowedFiles(SIZE_MAX / 4);  // the rest is for other files
  if (access_ == FileAccess::kMap || count <= allowed) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "has ", count, " tables that overlap and must be open at a time, expected at most ", allowed,
      ", three quarters of the files that a process may have open (ulimit -n)"));
}

// Tables that are read instead of mapped may still have to release their descriptors.
void ViewTables::EndAdding() {
  checks_order_ = options_.comparator != nullptr;
  keeps_all_ = access_ == FileAccess::kMap && slots_.size() <= max_open_;
  if (!keeps_all_) return;
  for (size_t i = 0; i < slots_.size(); ++i) kept_[i] = slots_[i]->reader.get();
  open_.clear();
}

ViewTables::OpenTable ViewTables::Keep(std::unique_ptr<TableReader> reader, size_t i) const {
  Slot* const slot = slots_[i].get();
  slot->reader = std::move(reader);
  if (keeps_all_) {
    kept_[i].store(slot->reader.get(), std::memory_order_release);
    return OpenTable(slot->reader.get());
  }
  slot->users.fetch_add(1, std::memory_order_relaxed);
  slot->users.fetch_and(~Slot::kClosed, std::memory_order_release);
  const std::lock_guard<std::mutex> lock(open_mutex_);
  while (open_.size() >= max_open_ && CloseOne()) continue;
  open_.push_back(slot);
  return OpenTable(slot);
}

// Closes a table that has not been used lately; returns false if all are in use. Requires
// open_mutex_.
bool ViewTables::CloseOne() const {
  for (size_t tries = 2 * open_.size(); tries > 0; --tries) {
    hand_ = (hand_ + 1) % open_.size();
    Slot& slot = *open_[hand_];
    if (slot.used_lately.exchange(false, std::memory_order_relaxed) || !slot.TryClose()) continue;
    open_[hand_] = open_.back();
    open_.pop_back();
    return true;
  }
  return false;
}

absl::StatusOr<std::unique_ptr<TableReader>> ViewTables::OpenReader(size_t i) const {
  std::unique_ptr<RandomAccessFile> file = std::move(slots_[i]->file);
  if (file == nullptr) {
    ASSIGN_OR_RETURN(file, OpenAgain(i));
  }
  if (file->size() > tables_[i].size) {
    file = std::make_unique<FilePrefix>(std::move(file), tables_[i].size);
  }
  return TableReader::Open(std::move(file), options_);
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> ViewTables::OpenNow(
    const std::string& path) const {
  ASSIGN_OR_RETURN(auto file, OpenFile(path, access_));
  if (is_decrypted_) return Decrypted(std::move(file));
  return file;
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> ViewTables::OpenAgain(size_t i) const {
  Slot& slot = *slots_[i];
  const std::string& path = slot.path;
  auto file = OpenNow(path);
  if (absl::IsResourceExhausted(file.status())) {
    // The process has since opened other files with descriptors that were expected to be free.
    const std::lock_guard<std::mutex> lock(open_mutex_);
    while (absl::IsResourceExhausted(file.status()) && CloseOne()) file = OpenNow(path);
  }
  if (absl::IsNotFound(file.status()) ||
      (file.ok() && slot.size != kUnknownSize && slot.size != (*file)->size())) {
    return absl::AbortedError(
        absl::StrCat(path, ": was removed or replaced since the folder was listed"));
  }
  if (file.ok()) slot.size = (*file)->size();
  return file;
}

// A file that is not the MANIFEST's table would be searched for keys that it does not have, and
// merged at the wrong keys. Errors: DataLoss if the first or last key differs from the MANIFEST's;
// read errors that may be temporary.
absl::Status ViewTables::CompareRange(size_t i, const TableReader& reader) const {
  const DatabaseTable& table = tables_[i];
  if (table.largest.empty()) return absl::OkStatus();
  const auto it = reader.NewIterator(ReadOptions::ForScan());
  const auto check = [&](absl::string_view which, absl::string_view expected) -> absl::Status {
    if (!it->Valid()) return IsTransient(it->status()) ? it->status() : absl::OkStatus();
    if (it->key() == expected) return absl::OkStatus();
    return absl::DataLossError(absl::StrCat(reader.file().name(), ": ", which, " key is ",
                                            ShowKey(KeyKind::kInternal, it->key(), expected),
                                            ", the MANIFEST says ",
                                            ShowKey(KeyKind::kInternal, expected, it->key())));
  };
  it->SeekToFirst();
  RETURN_IF_ERROR(check("first", table.smallest));
  it->SeekToLast();
  return check("last", table.largest);
}

}  // namespace sstable
