// The state of a database's folder at one moment, read without LevelDB: no lock is taken and
// nothing is written, so a program may have the folder open and write to it, or it may be on
// read-only media. The folder is LevelDB's or goleveldb's. Format: docs/database.md.
#ifndef SSTABLE_DATABASE_VIEW_H_
#define SSTABLE_DATABASE_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/block_cache.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/file_name.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_reader.h"
#include "sstable/version_edit.h"

namespace sstable {

struct DatabaseViewOptions {
  // The order of user keys; borrowed. Null: the library's comparator that the MANIFEST names, or
  // the bytewise one if the MANIFEST can't be read.
  const Comparator* comparator = nullptr;

  // Takes the tables and logs that are in the folder, whatever MANIFEST and CURRENT say, as when
  // these are missing or damaged.
  bool ignore_manifest = false;

  // Reads records after damage in the same block of a log (LogReaderOptions::resume_within_block).
  // If not set, the view has what LevelDB has after it has opened the folder.
  bool resume_within_log_block = false;

  // Reads the first and last block of every table, and reports a table as a problem if its first or
  // last key is not the one that the MANIFEST says, since it may be a copy of another, or if its
  // keys are in another order. If not set, that is done with the first table and those that the
  // MANIFEST casts a doubt on; then reading another such table fails with DataLoss, and so does
  // looking for a key just after its range.
  bool check_ranges = false;

  // Tables that are kept open at a time, at least 1. One that is read keeps a descriptor, so that
  // these are at most a quarter of what the process may have. A view with no more tables than that
  // stays readable when the program that has the folder open removes some of them.
  size_t max_open_files = 1000;

  // How tables are read. LevelDB's programs replace tables and never change them, so mapping them
  // is safe on a sound device (sstable/file.h).
  FileAccess file_access = FileAccess::kMap;

  // Keeps uncompressed blocks for Get(). Null: a cache of 8 MiB, as LevelDB's, for this view.
  std::shared_ptr<BlockCache> block_cache;

  std::optional<uint64_t> max_uncompressed_block_size;  // as in TableReaderOptions
  std::optional<uint32_t> max_work;                     // likewise, of each table
};

// Something in the folder that is not as it should be.
struct DatabaseProblem {
  std::string file;                // its name in the folder; empty: the folder itself
  std::optional<uint64_t> offset;  // in the file, if it is about one place
  std::string message;             // for people; names path and offset

  // False for what is usual after a crash and means no loss of what was on the device: a torn end
  // of the last log, a table or log that no edit names. Also for a log that is not there: it may
  // have been empty.
  bool is_damage = true;

  // It is about what could not be read, for another reason than damage or absence: the device
  // failed, a permission is missing. What is in the file may be sound.
  bool is_unread = false;
};

// Where the list of tables and logs comes from.
enum class StateSource {
  kManifest,  // the MANIFEST that CURRENT names; or, if CURRENT is missing or damaged, the newest
              // that is whole and all of whose tables are there: a problem says so
  kFiles,     // the files in the folder: entries are ordered by sequence only. Keys that had been
              // deleted may be back, if the deletion was compacted away and an old table is left.
};

// A table that belongs to the database.
struct DatabaseTable {
  uint64_t number = 0;
  std::string name;                   // "000005.ldb"
  int level = -1;                     // -1 with StateSource::kFiles
  uint64_t size = 0;                  // bytes, by the MANIFEST; with kFiles the file's
  std::optional<uint64_t> file_size;  // nullopt: the file is missing or can't be opened

  // First and last internal key by the MANIFEST; with kFiles, of the table, and empty if they can't
  // be read.
  std::string smallest, largest;

  // False if its keys are seen to be in another order than the database's: a problem says so. Such
  // a table is read as a whole and sorted, unless it is too large.
  bool in_order = true;
};

// A log that belongs to the database, and what was read of it.
struct DatabaseLog {
  uint64_t number = 0;
  std::string name;
  uint64_t file_size = 0;
  uint64_t batch_count = 0;
  uint64_t change_count = 0;
  uint64_t first_sequence = 0, last_sequence = 0;  // 0 if it has no change
};

// Any file of the folder.
struct DatabaseFile {
  enum class Use {
    kPart,       // part of the database: a table, a log, its MANIFEST, CURRENT
    kLeftOver,   // a table, log or MANIFEST that is not part of it, a temporary file
    kAuxiliary,  // LOCK, LOG and the like
    kForeign,    // not a name of LevelDB's or goleveldb's; also a folder
  };
  std::string name;
  std::optional<DatabaseFileName> parsed;  // nullopt: kForeign
  uint64_t size = 0;                       // bytes
  Use use = Use::kForeign;
};

struct ViewReadOptions {
  // Versions with a higher sequence are not seen. History ignores it.
  uint64_t snapshot = kMaxSequence;

  // If set, reading goes on after damage, and calls this for each: keys may be missing or have
  // older values. If not set, damage ends it with a status.
  std::function<void(const DatabaseProblem&)> on_damage;
};

// Every version of every key: by key, the newest version first.
//
// Pattern:  for (it->SeekToFirst(); it->Valid(); it->Next()) ...; then check it->status().
// Lifetime: the view must outlive it. Views of an entry are valid until the iterator next moves.
// Threads:  one at a time.
class HistoryIterator {
 public:
  struct Entry {
    absl::string_view key;  // user key
    absl::string_view value;
    uint64_t sequence = 0;
    ValueType type = ValueType::kValue;
    bool is_live = false;    // a value, and the newest version: what a Get() finds
    absl::string_view file;  // name in the folder
    uint64_t offset = 0;     // in the file, of the data block; in a log, of the record
  };

  virtual ~HistoryIterator() = default;
  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void Seek(absl::string_view user_key) = 0;  // to the first key not below it
  virtual void Next() = 0;                            // only while Valid()
  virtual const Entry& entry() const = 0;             // likewise
  virtual absl::Status status() const = 0;
};

// Pattern:   Open, then any number of Get() and iterators.
// Memory:    the entries of the logs: their bytes and about 60 more per change; the same for tables
//            in another order than the database's, at most 128 MiB; the block cache; and about 40
//            bytes for each data block of an open table, beside what is mapped of its file.
// Threads:   const methods may be called from any number of threads at once.
// Lifetime:  iterators must not outlive the view.
// Errors:    name the file, the block and its offset. Aborted: a table was removed since Open()
//            and was not open; open the folder again. Unimplemented: the MANIFEST names a
//            comparator that the library does not have and the options don't give; what needs no
//            order still works.
class DatabaseView {
 public:
  // Reads CURRENT, the MANIFEST and the logs, and opens tables. If a program changes the folder
  // meanwhile, begins again, a bounded number of times. Damage is no error: see problems(). Errors:
  // NotFound if there is no such folder, or neither CURRENT, MANIFEST, table nor log in it;
  // InvalidArgument if it is a file; Aborted if the folder keeps changing; those of reading
  // the folder.
  static absl::StatusOr<std::unique_ptr<DatabaseView>> Open(
      absl::string_view folder, const DatabaseViewOptions& options = {});
  virtual ~DatabaseView() = default;
  DatabaseView(const DatabaseView&) = delete;
  DatabaseView& operator=(const DatabaseView&) = delete;

  // What was found. All of it lives as long as the view.
  virtual const std::string& folder() const = 0;
  virtual StateSource source() const = 0;
  virtual const std::vector<DatabaseProblem>& problems() const = 0;
  virtual const std::string& manifest_name() const = 0;  // empty if none could be read
  // What the MANIFEST says, as far as it can be read; the levels of a damaged folder. Empty if
  // there is none.
  virtual const VersionState& manifest() const = 0;
  // By level; within it, newest first in level 0, by key in the others. With StateSource::kFiles by
  // number.
  virtual const std::vector<DatabaseTable>& tables() const = 0;
  virtual const std::vector<DatabaseLog>& logs() const = 0;    // by number
  virtual const std::vector<DatabaseFile>& files() const = 0;  // by name
  // The highest sequence that the MANIFEST and the logs name. Tables of StateSource::kFiles may
  // have higher ones.
  virtual uint64_t last_sequence() const = 0;

  // The comparator's name in the MANIFEST, or that of the options' one; empty if neither is known.
  virtual const std::string& comparator_name() const = 0;
  // Null if the library has none of that name. Then Get() and iterators fail with Unimplemented.
  virtual const Comparator* comparator() const = 0;

  // The newest version of `key` that the snapshot sees. On kFound, sets `*value`.
  virtual absl::StatusOr<Presence> Get(absl::string_view key, std::string* value,
                                       const ViewReadOptions& options = {}) const = 0;

  // Over the live entries: user keys in order, each with its newest value that the snapshot sees.
  virtual std::unique_ptr<Iterator> NewIterator(const ViewReadOptions& options = {}) const = 0;

  virtual std::unique_ptr<HistoryIterator> NewHistoryIterator(
      const ViewReadOptions& options = {}) const = 0;

 protected:
  DatabaseView() = default;
};

}  // namespace sstable

#endif  // SSTABLE_DATABASE_VIEW_H_
