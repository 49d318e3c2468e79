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
#include "absl/types/span.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "sstable/slice.h"
#include "sstable/table_reader.h"
#include "sstable/version.h"

namespace sstable {

struct DatabaseViewOptions {
  // The order of user keys; borrowed. Null: the library's comparator that the MANIFEST names, or
  // the bytewise one if the MANIFEST can't be read.
  const Comparator* comparator = nullptr;

  // Uses all tables and logs in the folder, regardless of MANIFEST and CURRENT, as if those were
  // missing.
  bool ignore_manifest = false;

  // Reads records after damage in the same block of a log (LogReaderOptions::resume_within_block).
  // If not set, the view has what LevelDB would have after opening the folder.
  bool resume_within_log_block = false;

  // Reads the first and last block of every table, and reports a table as a problem if its first or
  // last key is not the one that the MANIFEST says, since it may be a copy of another, or if its
  // keys are in a different order. If not set, only the first table and those whose entry in the
  // MANIFEST looks wrong are checked; reading another table with such a fault then fails with
  // DataLoss, and so does looking for a key just after its range.
  bool check_ranges = false;

  // The number of tables that are kept open at a time, at least 1. A table that is read rather than
  // mapped keeps a descriptor, so at most a quarter of the descriptors that the process may have
  // are used. A view of at most this many tables stays readable when the program that has the
  // folder open removes some of them.
  size_t max_open_files = 1000;

  // How tables are read. LevelDB's programs replace tables and never change them, so mapping them
  // is safe on a sound device (sstable/file.h).
  FileAccess file_access = FileAccess::kMap;

  // Keeps uncompressed blocks for Get(). Null: a cache of 8 MiB for this view, as LevelDB has.
  std::shared_ptr<BlockCache> block_cache;

  std::optional<uint64_t> max_uncompressed_block_size;  // as in TableReaderOptions
  std::optional<uint32_t> max_work;                     // as in TableReaderOptions, for each table
};

// History iterators ignore the snapshot; iterators over a view never fill the cache.
struct ViewReadOptions : ReadOptions {
  // If set, reading continues after damage, and this is called each time: keys may be missing or
  // have older values. If not set, damage ends the reading with a status.
  std::function<void(const DatabaseProblem&)> on_damage;
};

// Iterates over every version of every key, in key order, the newest version of a key first.
//
// Pattern:  for (it->SeekToFirst(); it->Valid(); it->Next()) ...; then check it->status().
// Lifetime: the view must outlive it. Views of an entry are valid until the iterator next moves.
// Threads:  one at a time.
class SSTABLE_EXPORT HistoryIterator {
 public:
  struct Entry {
    absl::string_view key;  // user key
    absl::string_view value;
    uint64_t sequence = 0;
    ValueType type = ValueType::kValue;
    bool is_live = false;    // the newest version, and a value: Get() finds it
    absl::string_view file;  // name in the folder
    uint64_t offset = 0;     // file offset of the data block or log record
  };

  virtual ~HistoryIterator() = default;
  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void Seek(Slice user_key) = 0;   // to the first key not below it
  virtual void Next() = 0;                 // only while Valid()
  virtual const Entry& entry() const = 0;  // only while Valid()
  virtual absl::Status status() const = 0;
};

// Pattern:   Open, then any number of Get() and iterators.
// Memory:    the entries of the logs: their bytes and about 60 more per change; the same for tables
//            in a different order from the database's, at most 128 MiB; the block cache; and about
//            40 bytes for each data block of an open table, besides the mapping of its file.
// Threads:   const methods may be called from any number of threads at once.
// Lifetime:  iterators must not outlive the view.
// Errors:    name the file, the block and its offset. Aborted: a table was removed since Open() and
//            was not open; open the folder again. ResourceExhausted, from an iterator: it needs
//            more tables open at a time than the process may have. Unimplemented: the MANIFEST
//            names a comparator that the library does not have and the options don't give; calls
//            that need no order still work.
class SSTABLE_EXPORT DatabaseView {
 public:
  // Reads CURRENT, the MANIFEST and the logs, and opens tables. If a program changes the folder
  // meanwhile, begins again, a bounded number of times. Damage is not an error: see FindProblems().
  // Errors: NotFound if there is no such folder, or neither CURRENT, MANIFEST, table nor log in it;
  // InvalidArgument if it is a file, or if the comparator is one of internal keys; Aborted if the
  // folder keeps changing; errors of reading the folder.
  static absl::StatusOr<std::unique_ptr<DatabaseView>> Open(
      Slice folder, const DatabaseViewOptions& options = {});
  virtual ~DatabaseView() = default;
  DatabaseView(const DatabaseView&) = delete;
  DatabaseView& operator=(const DatabaseView&) = delete;

  // What was found. All of it lives as long as the view. Methods whose names begin with a verb may
  // be slow when first called: if not all tables may be open at a time, they look up the sizes of
  // the files.
  virtual const std::string& folder() const = 0;
  virtual StateSource source() const = 0;
  virtual const std::vector<DatabaseProblem>& FindProblems() const = 0;
  virtual const std::string& manifest_name() const = 0;  // empty if none could be read
  // What the readable part of the MANIFEST says; for a damaged folder, it has the levels. Empty if
  // there is no MANIFEST.
  virtual const VersionState& manifest() const = 0;
  // Sorted by level, then newest first in level 0 and by key in the others. With
  // StateSource::kFiles, sorted by number.
  virtual const std::vector<DatabaseTable>& ListTables() const = 0;
  virtual const std::vector<DatabaseLog>& logs() const = 0;        // by number
  virtual const std::vector<DatabaseFile>& ListFiles() const = 0;  // by name
  // The highest sequence that the MANIFEST and the logs name. Tables of StateSource::kFiles may
  // have higher ones.
  virtual uint64_t last_sequence() const = 0;

  // The name of the comparator in the MANIFEST or, failing that, in the options; empty if neither
  // is known.
  virtual const std::string& comparator_name() const = 0;
  // Null if the comparator is not known. Then Get() and iterators fail with Unimplemented.
  virtual const Comparator* comparator() const = 0;

  // Looks up the newest version of `key` that the snapshot sees. On kFound, sets `*value`.
  virtual absl::StatusOr<Presence> Get(Slice key, std::string* value,
                                       const ViewReadOptions& options = {}) const = 0;

  // Returns the value; nullopt if the key is absent or deleted.
  absl::StatusOr<std::optional<std::string>> Get(Slice key,
                                                 const ViewReadOptions& options = {}) const;
  // Get(key, {}) would pass a null value, not default options.
  void Get(Slice key, std::nullptr_t value) const = delete;

  // Get() for each of `requests`, in any order; each has its own status. Faster than single Gets
  // where a table may have many of the keys. If an exception (such as std::bad_alloc) leaves the
  // call, all requests have its status.
  virtual void MultiGet(absl::Span<LookupRequest> requests,
                        const ViewReadOptions& options = {}) const = 0;

  // Iterates over the live entries: user keys in order, each with its newest value that the
  // snapshot sees.
  virtual std::unique_ptr<Iterator> NewIterator(const ViewReadOptions& options = {}) const = 0;

  virtual std::unique_ptr<HistoryIterator> NewHistoryIterator(
      const ViewReadOptions& options = {}) const = 0;

 protected:
  DatabaseView() = default;
};

}  // namespace sstable

#endif  // SSTABLE_DATABASE_VIEW_H_
