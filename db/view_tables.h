// The tables of a view: opened when first needed, and kept open while there is room.
#ifndef SSTABLE_DB_VIEW_TABLES_H_
#define SSTABLE_DB_VIEW_TABLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"

namespace sstable {

// Returns `wanted`, but at most a quarter of the files that the process may have open; at least 1.
size_t AllowedFiles(size_t wanted);

// Threads:  call Add() and FindRange() first, in one thread; then any number may use it.
class ViewTables {
  struct Slot;

 public:
  // An open table, which stays open while this lives.
  class OpenTable {
   public:
    OpenTable(OpenTable&& other) noexcept
        : reader_(other.reader_), slot_(std::exchange(other.slot_, nullptr)) {}
    OpenTable& operator=(OpenTable&& other) noexcept {
      std::swap(reader_, other.reader_);
      std::swap(slot_, other.slot_);
      return *this;
    }
    ~OpenTable() {
      if (slot_ != nullptr) slot_->users.fetch_sub(1, std::memory_order_release);
    }
    const TableReader& operator*() const { return *reader_; }
    const TableReader* operator->() const { return reader_; }

   private:
    friend class ViewTables;
    explicit OpenTable(Slot* slot) : reader_(slot->reader.get()), slot_(slot) {}
    explicit OpenTable(const TableReader* kept) : reader_(kept), slot_(nullptr) {}

    const TableReader* reader_;
    Slot* slot_;  // null: never closed
  };

  // Has room for `count` tables. Keeps up to `max_open` open; more only while all of them are in
  // use. `is_decrypted`: see IsDecrypted() for their folder.
  ViewTables(size_t count, size_t max_open, FileAccess access, bool is_decrypted,
             const TableReaderOptions& options);

  // Appends `table`, whose file is at `path`; its file_size is set if the file was listed. If all
  // tables may be open at a time, opens the file at once, so that it stays readable after it is
  // removed. If that fails, still appends the table, and returns the error, as Open() will.
  absl::Status Add(DatabaseTable table, std::string path);

  // Appends a table for which Open() returns `status`.
  void AddUnreadable(DatabaseTable table, absl::Status status);

  const std::vector<DatabaseTable>& tables() const { return tables_; }

  // Sets the smallest and largest key of table `i` from the table itself. They stay empty if they
  // can't be read. If they are not internal keys, Open() returns that error, too.
  absl::Status FindRange(size_t i);

  // Checks that the first and last key of table `i` are those in tables(), if these are known.
  // Compares them only once. Errors: DataLoss for other keys; NotFound and Aborted if the file was
  // removed. OK for a table that can't be read, which Open() reports.
  absl::Status CheckRange(size_t i) const;

  // Returns DataLoss, with the file's name, if index keys of table `i` or keys of its first two
  // data blocks do not ascend. NotFound and Aborted as above.
  absl::Status CheckOrder(size_t i) const;
  void SetOutOfOrder(size_t i) { tables_[i].in_order = false; }
  // Sets the size of a table that Add() did not open and that was listed with kUnknownSize.
  void SetFileSize(size_t i, std::optional<uint64_t> size) { tables_[i].file_size = size; }
  // Call after the last Add(). From then on, opening a table that was not open before fails if the
  // keys of its first two data blocks do not ascend, unless SetOutOfOrder() was called or the order
  // is not known. If all tables may be open at a time, none is closed.
  void EndAdding();

  // Returns ResourceExhausted if the process may not have `count` tables open at a time. A mapped
  // table holds no descriptor.
  absl::Status CheckOpenAtOnce(size_t count) const;

  // Returns true if CheckRange() has succeeded.
  bool IsRangeRight(size_t i) const { return is_range_right_[i].load(std::memory_order_relaxed); }

  // Returns table `i`. Errors: from opening the file or table; Aborted if the file was
  // removed or replaced since it was added; DataLoss if its first or last key is not the
  // MANIFEST's, or its keys are out of order.
  absl::StatusOr<OpenTable> Open(size_t i) const {
    if (const TableReader* const kept = Kept(i)) return OpenTable(kept);
    if (slots_[i]->TryUse()) return OpenTable(slots_[i].get());
    return OpenSlowly(i);
  }

  // Returns table `i` if it is open and will never be closed; else null.
  const TableReader* Kept(size_t i) const { return kept_[i].load(std::memory_order_acquire); }

 private:
  struct alignas(ABSL_CACHELINE_SIZE) Slot {
    // The number of users, plus kClosed if there is no reader. A user first adds itself and then
    // checks whether the table is closed; if it is, the user removes itself again.
    static constexpr uint32_t kClosed = uint32_t{1} << 31;
    std::atomic<uint32_t> users{kClosed};
    std::atomic<bool> used_lately{false};
    std::unique_ptr<const TableReader> reader;

    std::mutex mutex;  // guards the members below, used to open the table
    std::string path;
    uint64_t size = kUnknownSize;            // size of the file when it was listed or first opened
    std::unique_ptr<RandomAccessFile> file;  // opened, and not yet passed to the reader
    absl::Status error;                      // why the table will never be opened
    bool has_wrong_keys = false;             // the error is that its keys are wrong

    bool TryUse() {
      if ((users.fetch_add(1, std::memory_order_acquire) & kClosed) != 0) {
        users.fetch_sub(1, std::memory_order_relaxed);
        return false;
      }
      if (!used_lately.load(std::memory_order_relaxed)) {
        used_lately.store(true, std::memory_order_relaxed);
      }
      return true;
    }
    // Returns false if the table is in use.
    bool TryClose();
  };

  absl::StatusOr<OpenTable> OpenSlowly(size_t i) const;
  absl::StatusOr<std::unique_ptr<TableReader>> OpenReader(size_t i) const;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenNow(const std::string& path) const;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenAgain(size_t i) const;
  absl::Status CompareRange(size_t i, const TableReader& reader) const;
  OpenTable Keep(std::unique_ptr<TableReader> reader, size_t i) const;
  bool CloseOne() const;

  const bool opens_at_once_;
  const size_t max_open_;
  const FileAccess access_;
  const bool is_decrypted_;
  const TableReaderOptions options_;
  bool checks_order_ = false;  // see EndAdding()
  bool keeps_all_ = false;     // see EndAdding()
  std::vector<DatabaseTable> tables_;
  std::vector<std::unique_ptr<Slot>> slots_;
  // The readers that are never closed. Counting their users would be the most expensive part of a
  // Get() here.
  mutable std::vector<std::atomic<const TableReader*>> kept_;
  mutable std::vector<std::atomic<bool>> is_range_right_;  // the keys were compared, or can't be

  mutable std::mutex open_mutex_;
  mutable std::vector<Slot*> open_;
  mutable size_t hand_ = 0;  // in open_: where the next search for a table to close starts
};

}  // namespace sstable

#endif  // SSTABLE_DB_VIEW_TABLES_H_
