#include "db/view_tables.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "sstable/table_iterator.h"
#include "table/block/limits.h"
#include "table/block/show_key.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// A file that somebody else owns, up to a size.
class BorrowedFile final : public RandomAccessFile {
 public:
  BorrowedFile(const RandomAccessFile& file, uint64_t size)
      : RandomAccessFile(file.name(), size), file_(file) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    return file_.Read(offset, size, dst);
  }

 private:
  const RandomAccessFile& file_;
};

}  // namespace

absl::Status ViewTables::Add(DatabaseTable table, const std::string& path) {
  auto& file = files_.emplace_back(pool_.Open(path));
  if (file.ok()) table.file_size = (*file)->size();
  tables_.push_back(std::move(table));
  return file.status();
}

void ViewTables::AddUnreadable(DatabaseTable table, absl::Status status) {
  files_.emplace_back(std::move(status));
  tables_.push_back(std::move(table));
}

absl::Status ViewTables::FindRange(size_t i) {
  ASSIGN_OR_RETURN(const auto reader, Open(i));
  const auto it = reader->NewIterator(FillCache::kNo);
  std::string first, last;
  for (std::string* const key : {&first, &last}) {
    key == &first ? it->SeekToFirst() : it->SeekToLast();
    if (!it->Valid()) return it->status();
    key->assign(it->key().data(), it->key().size());
    if (ParseInternalKey(*key).has_value()) continue;
    files_[i] = absl::DataLossError(
        absl::StrCat(reader->file().name(), ": key ", ShowKey(KeyKind::kInternal, *key),
                     " is not an internal key; this is no table of a database"));
    return files_[i].status();
  }
  tables_[i].smallest = std::move(first);
  tables_[i].largest = std::move(last);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const TableReader>> ViewTables::Open(size_t i) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto* const reader = readers_.Find(i)) return *reader;
  }
  ASSIGN_OR_RETURN(std::shared_ptr<const TableReader> reader, OpenNow(i));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (readers_.Find(i) == nullptr) readers_.Insert(i, reader);
  return reader;
}

absl::Status ViewTables::CheckRange(size_t i) const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (readers_.Find(i) != nullptr) return absl::OkStatus();  // was checked
  }
  const auto reader = OpenUnchecked(i);
  if (reader.ok()) return CompareRange(i, **reader);
  const bool is_removed = absl::IsNotFound(reader.status()) || absl::IsAborted(reader.status());
  return is_removed ? reader.status() : absl::OkStatus();
}

absl::Status ViewTables::CheckOrder(size_t i) const {
  constexpr size_t kBlocks = 2;
  const auto opened = Open(i);
  if (!opened.ok() || !(*opened)->LoadIndex().ok()) {
    const absl::Status& status = opened.status();
    return absl::IsNotFound(status) || absl::IsAborted(status) ? status : absl::OkStatus();
  }
  const TableReader& reader = **opened;
  RETURN_IF_ERROR(AtPlace(reader.file().name(), IndexOf(reader)->order_status()));
  WorkMeter work(WorkOf(reader));
  std::string last;
  const auto it = reader.NewIterator(FillCache::kNo);
  for (it->SeekToFirst(); it->Valid() && it->block_index() < kBlocks; it->Next()) {
    if (!ParseInternalKey(it->key()).has_value() || !work.TakeKey(it->key().size())) break;
    if (!last.empty()) {
      RETURN_IF_ERROR(
          AtPlace(reader.file().name(), CheckAscends(KeyOrderOf(reader), last, it->key())));
    }
    last.assign(it->key().data(), it->key().size());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TableReader>> ViewTables::OpenUnchecked(size_t i) const {
  RETURN_IF_ERROR(files_[i].status());
  const RandomAccessFile& file = **files_[i];
  // Like LevelDB, looks for the footer where the MANIFEST says that the file ends.
  const uint64_t size = std::min(file.size(), tables_[i].size);
  return TableReader::Open(options_, std::make_unique<BorrowedFile>(file, size));
}

absl::StatusOr<std::shared_ptr<const TableReader>> ViewTables::OpenNow(size_t i) const {
  ASSIGN_OR_RETURN(std::shared_ptr<const TableReader> reader, OpenUnchecked(i));
  RETURN_IF_ERROR(CompareRange(i, *reader));
  return reader;
}

// A table in another's place would be searched for keys that it does not have, and merged where its
// keys are out of order.
absl::Status ViewTables::CompareRange(size_t i, const TableReader& reader) const {
  const DatabaseTable& table = tables_[i];
  if (table.largest.empty()) return absl::OkStatus();
  const auto it = reader.NewIterator(FillCache::kNo);
  const auto check = [&](absl::string_view which, absl::string_view expected) -> absl::Status {
    if (absl::IsAborted(it->status())) return it->status();
    if (!it->Valid() || it->key() == expected) return absl::OkStatus();
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
