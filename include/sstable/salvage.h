// Rescues a damaged database: makes a new folder, which LevelDB opens, from what is left in an old
// one, and reports what is lost.
#ifndef SSTABLE_SALVAGE_H_
#define SSTABLE_SALVAGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

struct DatabaseSalvageOptions {
  // The order of user keys; borrowed. Null: the library's comparator that the MANIFEST names, or
  // without a MANIFEST, the order that the tables show.
  const Comparator* comparator = nullptr;

  // Also takes the tables and logs that the MANIFEST says are no longer part of the database. Then
  // deleted keys may come back.
  bool include_dropped = false;

  // Saves what can be decoded of blocks with a wrong checksum as tables of their own, in the folder
  // lost/ of the new one. They are not part of the new database.
  bool keep_unverified = false;

  // Instead of copying a sound table, makes a hard link to it, or else a file that shares its
  // blocks (a reflink), if the file system can. LevelDB never changes a table, so a program that
  // uses one of the folders does not affect the other.
  bool link_tables = false;

  std::optional<uint64_t> max_uncompressed_block_size;  // as in TableReaderOptions
  std::optional<uint32_t> max_work;                     // the same, for each table; nullopt: 100

  // If set, is called after every MiB or so that was read or written, with its size in bytes. An
  // error that it returns ends the rescue.
  std::function<absl::Status(uint64_t size)> on_progress;
};

// The outcome for a file of the old folder.
struct RescuedFile {
  enum class Outcome {
    kCopied,       // a sound table, byte for byte
    kLinked,       // a sound table, as a hard link or reflink
    kRebuilt,      // a new table of what is left
    kReplayed,     // a log, whose changes are in a table now
    kNothingLeft,  // it has no entry that can be read
    kMissing,      // it should be there, but is not, or can't be opened
    kLeftOut,      // not part of the database, as `message` says
  };
  std::string name;
  Outcome outcome = Outcome::kCopied;
  std::string new_name;           // the table that has its entries; empty: none
  uint64_t entry_count = 0;       // versions and deletions saved
  uint64_t unverified_count = 0;  // entries in `unverified_name`
  std::string unverified_name;    // "lost/000005.ldb"; empty: none
  std::string message;

  // True for a table that was left out and may have entries that are now lost. include_dropped
  // would take it, and possibly entries that had been deleted.
  bool may_have_lost = false;
};

// Entries that are lost, or may be.
struct LostEntries {
  std::string file;     // name in the old folder
  uint64_t offset = 0;  // where the unreadable bytes start in the file
  uint64_t size = 0;    // 0: the whole file, or not known
  std::string reason;

  // The range of user keys that they may have had, both ends included; nullopt: not known.
  std::optional<std::string> first, last;
  // In a log, also the sequences that they may have had. Not known for a table.
  std::optional<uint64_t> first_sequence, last_sequence;

  // True if the new database has entries of these keys that may be older. If a lost entry was
  // newer, an old value of its key has come back; if it was a deletion, the deleted key has.
  bool may_revive = false;
};

struct SSTABLE_EXPORT DatabaseSalvageReport {
  std::vector<RescuedFile> files;  // tables and logs, by name
  std::vector<LostEntries> lost;
  std::vector<DatabaseProblem> problems;  // other problems: of CURRENT, the MANIFEST, file names

  // The first error, other than damage, that kept a table or log from being read to its end. The
  // entries lost to it may be sound; another try may save them.
  absl::Status read_status;

  // True if the levels are those of the old database. Otherwise they were determined from keys and
  // sequences.
  bool levels_kept = false;

  // True if there is a new database: if entries are left, or if the report is complete().
  bool is_written = false;

  // These describe the new database.
  std::vector<TableFile> tables;
  uint64_t entry_count = 0;  // versions, with deletions
  uint64_t deletion_count = 0;
  uint64_t last_sequence = 0;
  std::string comparator_name;
  std::optional<uint64_t> live_key_count;  // keys that have a value; nullopt: not counted

  // Whether the new database is the old one, as far as the old folder can show that.
  bool complete() const;
};

// Fills `new_folder` from `folder`, to which nothing is written. Sound tables are copied byte for
// byte, damaged ones are rebuilt by a Salvager, and the changes in logs become a table. Levels are
// those of the MANIFEST. Without one, or if the tables contradict it, each table goes to the
// deepest level that is above all older tables that overlap it; if there is none, to level 0.
// CURRENT is written last: after an error or a crash the new folder has none, and can be deleted.
// If no entry is left, there is no new database.
//
// The new files get the modes of the old ones, and owner and group as far as the process may set
// them; their owner may always read and write. The same holds for the new folder if it did not
// exist.
//
// `new_folder` must be empty or not exist, and must not be in `folder`. `folder` must not be open
// elsewhere, or what is written meanwhile may be missing.
// Memory:    a few times the largest table, and the changes in the logs.
// Errors:    NotFound if `folder` has no table or log; InvalidArgument or AlreadyExists for
//            `new_folder`; Unimplemented if the order of keys is not known; errors of writing and
//            of on_progress. Damage, and files that can't be read, are not errors: see the report.
SSTABLE_EXPORT absl::StatusOr<DatabaseSalvageReport> SalvageDatabase(
    Slice folder, Slice new_folder, const DatabaseSalvageOptions& options = {});

// Like SalvageDatabase(), but from tables and logs with any names in any folders, such as recovered
// files; a log is recognized by its records. Nothing shows what else the database had, so the
// result is never complete().
// Errors: NotFound also if a file does not exist.
SSTABLE_EXPORT absl::StatusOr<DatabaseSalvageReport> SalvageFiles(
    const std::vector<std::string>& paths, Slice new_folder,
    const DatabaseSalvageOptions& options = {});

}  // namespace sstable

#endif  // SSTABLE_SALVAGE_H_
