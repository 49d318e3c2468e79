// What is in a database's folder: the names of its files, what its MANIFEST records, and the
// tables, logs and other files that are there. Format: docs/database.md.
#ifndef SSTABLE_DATABASE_FILES_H_
#define SSTABLE_DATABASE_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

enum class DatabaseFileKind {
  kTable,      // 000005.ldb; 000005.sst before LevelDB 1.14
  kLog,        // 000006.log
  kManifest,   // MANIFEST-000004
  kCurrent,    // CURRENT; goleveldb's CURRENT.bak and CURRENT.4, copies that a crash may leave
  kLock,       // LOCK: empty; locked by the process that has the database open
  kInfoLog,    // LOG, LOG.old: LevelDB's messages
  kTemporary,  // 000007.dbtmp, goleveldb's 000007.tmp, this library's NAME.tmp-PID-N: not yet
               // renamed
};

struct DatabaseFileName {
  DatabaseFileKind kind = DatabaseFileKind::kTable;
  uint64_t number = 0;  // 0 if the name has none
};

// Parses a file name, without a folder, of LevelDB's or goleveldb's; nullopt for any other name.
// Numbers are decimal, of any number of digits, below 2^64.
SSTABLE_EXPORT std::optional<DatabaseFileName> ParseDatabaseFileName(Slice name);

// Names as LevelDB writes them now.
SSTABLE_EXPORT std::string TableFileName(uint64_t number);     // "000005.ldb"
SSTABLE_EXPORT std::string LogFileName(uint64_t number);       // "000006.log"
SSTABLE_EXPORT std::string ManifestFileName(uint64_t number);  // "MANIFEST-000004"
inline constexpr char kCurrentFileName[] = "CURRENT";

// Returns the name of the MANIFEST that CURRENT contains. Errors: NotFound if there is no CURRENT;
// DataLoss if it is not one name and one newline; errors of reading it.
SSTABLE_EXPORT absl::StatusOr<std::string> ReadCurrentFile(Slice folder);

// Makes the database use MANIFEST-`number`: replaces CURRENT atomically, and syncs file and folder.
// The MANIFEST must have been synced before this call. If only the sync of the folder fails,
// CURRENT has been replaced (see CreateFileAtomically() in sstable/file.h).
SSTABLE_EXPORT absl::Status SetCurrentFile(Slice folder, uint64_t number);

// Bytes of a log that were skipped: no record that was read contains them.
struct LogDrop {
  uint64_t offset = 0;  // in the file
  uint64_t size = 0;    // bytes
  std::string message;  // what is wrong; names neither file nor offset
};

// LevelDB has levels 0 to 6. goleveldb may have more; a level above 63 counts as damage.
inline constexpr int kLevelDbLevels = 7;
inline constexpr int kMaxLevel = 63;

// A table as a MANIFEST describes it.
struct TableFile {
  int level = 0;  // 0 to kMaxLevel
  uint64_t number = 0;
  uint64_t size = 0;     // bytes of the file
  std::string smallest;  // first and last internal key
  std::string largest;
};

struct SSTABLE_EXPORT VersionEdit {
  std::optional<std::string> comparator;        // its name
  std::optional<uint64_t> log_number;           // logs with lower numbers are in tables
  std::optional<uint64_t> previous_log_number;  // 0 since LevelDB 1.2
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> last_sequence;
  std::vector<std::pair<int, std::string>> compact_pointers;  // level, internal key
  std::vector<std::pair<int, uint64_t>> deleted_files;        // level, number
  std::vector<TableFile> new_files;

  // Returns LevelDB's encoding, if `deleted_files` are in order. Decode() is the inverse.
  std::string Encode() const;

  // Errors: DataLoss, with the offset in the edit: an unknown tag, a truncated field, a level
  // above kMaxLevel, a key that is not an internal key. Unimplemented: a tag of RocksDB's or
  // Pebble's.
  static absl::StatusOr<VersionEdit> Decode(Slice bytes);
};

// The state after some edits of a MANIFEST, beginning with the first.
struct SSTABLE_EXPORT VersionState {
  std::string comparator;  // its name; empty if no edit names a comparator
  std::optional<uint64_t> log_number;
  uint64_t previous_log_number = 0;
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> last_sequence;
  std::map<int, std::string> compact_pointers;           // by level
  std::map<std::pair<int, uint64_t>, TableFile> tables;  // by level and number
  std::set<uint64_t> dropped;  // numbers of tables that an edit deleted and no later one added

  // First removes what `edit` deletes, then adds what is new. If the edit names another comparator,
  // returns DataLoss and applies nothing.
  absl::Status Apply(const VersionEdit& edit);

  // Returns true if a log with this number holds writes that are in no table.
  bool NeedsLog(uint64_t number) const {
    return number >= log_number.value_or(0) || (number == previous_log_number && number != 0);
  }

  // Returns an edit that makes this state from nothing, for the first record of a MANIFEST.
  VersionEdit Snapshot() const;
};

// What could be read of a MANIFEST.
struct Manifest {
  VersionState state;  // up to the first damage: an edit after it may rely on one that is lost
  uint64_t edit_count = 0;

  // OK if there is no damage, and the edits name comparator, log number, next file number and last
  // sequence, as LevelDB requires. DataLoss, with file and offset, otherwise.
  absl::Status status;
  std::optional<LogDrop> torn_end;  // see LogReader::torn_end(); LevelDB drops it, too
};

// Reads the edits of `file`, in memory that depends on the state, not on the number of edits.
// Errors: those of the file; FailedPrecondition if it is only a pointer of git-lfs or git-annex;
// Unimplemented if an edit is RocksDB's or Pebble's. Damage is in Manifest::status.
SSTABLE_EXPORT absl::StatusOr<Manifest> ReadManifest(const RandomAccessFile& file);

// Something in the folder that is not as it should be.
struct DatabaseProblem {
  std::string file;                // the file's name in the folder; empty: the folder itself
  std::optional<uint64_t> offset;  // in the file; nullopt: not about one place
  std::string message;             // text for the user; names path and offset

  // False for what is usual after a crash and means no loss of what was on the device: a torn end
  // of the last log, a table or log that no edit names. Also false for a missing log, which may
  // have been empty.
  bool is_damage = true;

  // True if something could not be read for a reason other than damage or absence: the device
  // failed, a permission is missing. The contents of the file may be sound.
  bool is_unread = false;
};

// Where the list of tables and logs comes from.
enum class StateSource {
  kManifest,  // the MANIFEST that CURRENT names or, if CURRENT is missing or damaged, the newest
              // complete MANIFEST whose tables are all there; a problem then says so
  kFiles,     // the files in the folder; entries are ordered by sequence only. Deleted keys may be
              // back if the deletion was compacted away and an old table is left.
};

// A table that belongs to the database.
struct DatabaseTable {
  uint64_t number = 0;
  std::string name;   // "000005.ldb"
  int level = -1;     // -1 with StateSource::kFiles
  uint64_t size = 0;  // in bytes: the MANIFEST's figure, or with kFiles the file's size
  std::optional<uint64_t> file_size;  // nullopt: the file is missing or can't be opened

  // First and last internal key according to the MANIFEST; with kFiles, according to the table, and
  // empty if they can't be read.
  std::string smallest, largest;

  // False if its keys were found to be in a different order from the database's: a problem says so.
  // Such a table is read into memory and sorted, unless it is too large.
  bool in_order = true;
};

// A log that belongs to the database, and what was read of it.
struct DatabaseLog {
  uint64_t number = 0;
  std::string name;
  uint64_t file_size = 0;
  uint64_t batch_count = 0;
  uint64_t change_count = 0;
  uint64_t first_sequence = 0, last_sequence = 0;  // 0 if it has no changes
};

// Any file of the folder.
struct DatabaseFile {
  enum class Use {
    kPart,       // part of the database: a table, a log, its MANIFEST, CURRENT
    kLeftOver,   // a table, log or MANIFEST that is not part of it, a temporary file
    kAuxiliary,  // LOCK, LOG and the like
    kForeign,    // has no name of LevelDB's or goleveldb's, or is a folder
  };
  std::string name;
  std::optional<DatabaseFileName> parsed;  // nullopt: kForeign
  uint64_t size = 0;                       // bytes
  Use use = Use::kForeign;
};

}  // namespace sstable

#endif  // SSTABLE_DATABASE_FILES_H_
