// The names of the files in a database's folder.
#ifndef SSTABLE_FILE_NAME_H_
#define SSTABLE_FILE_NAME_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable {

enum class DatabaseFileKind {
  kTable,      // 000005.ldb; 000005.sst before LevelDB 1.14
  kLog,        // 000006.log
  kManifest,   // MANIFEST-000004
  kCurrent,    // CURRENT; goleveldb's CURRENT.bak and CURRENT.4, copies that may be left by a crash
  kLock,       // LOCK: empty; locked by the process that has the database open
  kInfoLog,    // LOG, LOG.old: messages for people
  kTemporary,  // 000007.dbtmp, goleveldb's 000007.tmp, this library's NAME.tmp-PID-N: not yet
               // renamed
};

struct DatabaseFileName {
  DatabaseFileKind kind = DatabaseFileKind::kTable;
  uint64_t number = 0;  // 0 if the name has none
};

// The file to which LevelDB or goleveldb gives this name, which has no folder; nullopt: neither
// does. Numbers are decimal, of any number of digits, below 2^64.
std::optional<DatabaseFileName> ParseDatabaseFileName(absl::string_view name);

// Names as LevelDB writes them now.
std::string TableFileName(uint64_t number);     // "000005.ldb"
std::string LogFileName(uint64_t number);       // "000006.log"
std::string ManifestFileName(uint64_t number);  // "MANIFEST-000004"
inline constexpr char kCurrentFileName[] = "CURRENT";

// The name of the MANIFEST that CURRENT contains. Errors: NotFound if there is no CURRENT; DataLoss
// if it is not one name and one newline; those of reading it.
absl::StatusOr<std::string> ReadCurrentFile(absl::string_view folder);

// Makes MANIFEST-`number` the database's: replaces CURRENT as a whole, and syncs file and folder.
// What the manifest holds must be on the device before. If only the sync of the folder fails,
// CURRENT has been replaced (see CreateFileAtomically() in sstable/file.h).
absl::Status SetCurrentFile(absl::string_view folder, uint64_t number);

}  // namespace sstable

#endif  // SSTABLE_FILE_NAME_H_
