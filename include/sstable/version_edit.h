// The records of a MANIFEST: edits of the list of tables that make up a database. Format:
// docs/database.md.
#ifndef SSTABLE_VERSION_EDIT_H_
#define SSTABLE_VERSION_EDIT_H_

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
#include "sstable/log_file.h"

namespace sstable {

// LevelDB has levels 0 to 6. goleveldb may have more; a level above 63 counts as damage.
inline constexpr int kLevelDbLevels = 7;
inline constexpr int kMaxLevel = 63;

// A table as a MANIFEST names it.
struct TableFile {
  int level = 0;  // 0 to kMaxLevel
  uint64_t number = 0;
  uint64_t size = 0;     // bytes of the file
  std::string smallest;  // first and last internal key
  std::string largest;
};

struct VersionEdit {
  std::optional<std::string> comparator;        // its name
  std::optional<uint64_t> log_number;           // what is in logs with a lower number is in tables
  std::optional<uint64_t> previous_log_number;  // 0 since LevelDB 1.2
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> last_sequence;
  std::vector<std::pair<int, std::string>> compact_pointers;  // level, internal key
  std::vector<std::pair<int, uint64_t>> deleted_files;        // level, number
  std::vector<TableFile> new_files;

  // As LevelDB encodes it, if `deleted_files` are in order. Decode() is the inverse.
  std::string Encode() const;

  // Errors: DataLoss, with the offset in the edit: an unknown tag, a truncated field, a level
  // above kMaxLevel, a key that is not an internal key. Unimplemented: a tag of RocksDB's or
  // Pebble's.
  static absl::StatusOr<VersionEdit> Decode(absl::string_view bytes);
};

// The sum of a MANIFEST's edits up to one of them.
struct VersionState {
  std::string comparator;  // its name; empty if no edit names it
  std::optional<uint64_t> log_number;
  uint64_t previous_log_number = 0;
  std::optional<uint64_t> next_file_number;
  std::optional<uint64_t> last_sequence;
  std::map<int, std::string> compact_pointers;           // by level
  std::map<std::pair<int, uint64_t>, TableFile> tables;  // by level and number
  std::set<uint64_t> dropped;  // numbers of tables that an edit deleted and no later one added

  // First removes what `edit` deletes, then adds what is new. DataLoss, and nothing is applied, if
  // the edit has another comparator's name.
  absl::Status Apply(const VersionEdit& edit);

  // Whether a log with this number holds writes that are in no table.
  bool NeedsLog(uint64_t number) const {
    return number >= log_number.value_or(0) || (number == previous_log_number && number != 0);
  }

  // An edit that makes this state from nothing, as the first record of a MANIFEST.
  VersionEdit Snapshot() const;
};

// What was read of a MANIFEST.
struct Manifest {
  VersionState state;  // up to the first damage: an edit after it may rely on one that is lost
  uint64_t edit_count = 0;

  // OK if there is no damage, and the edits name comparator, log number, next file number and last
  // sequence, as LevelDB requires. DataLoss, with file and offset, otherwise.
  absl::Status status;
  std::optional<LogDrop> torn_end;  // as LogReader::torn_end(); LevelDB drops it, too
};

// Reads the edits of `file`, in memory that depends on the state, not on the number of edits.
// Errors: the file's; FailedPrecondition if it is only a pointer of git-lfs or git-annex;
// Unimplemented if an edit is RocksDB's or Pebble's. Damage is in Manifest::status.
absl::StatusOr<Manifest> ReadManifest(const RandomAccessFile& file);

}  // namespace sstable

#endif  // SSTABLE_VERSION_EDIT_H_
