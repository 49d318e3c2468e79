// Determines which tables and logs of a folder belong to its database, whatever remains of CURRENT
// and MANIFEST.
#ifndef SSTABLE_DB_SALVAGE_SOURCE_FOLDER_H_
#define SSTABLE_DB_SALVAGE_SOURCE_FOLDER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/file.h"
#include "sstable/salvage.h"

namespace sstable {

// A table or log of the folder.
struct SourceFile {
  std::string name;
  uint64_t number = 0;
  uint64_t size = 0;       // bytes
  bool is_second = false;  // another file with this number takes precedence

  // Set for a table that no edit of the MANIFEST names. An unfinished compaction may have written
  // it, or it may be newer than the MANIFEST.
  bool is_unnamed = false;

  // Set for a table that the MANIFEST shows to be dropped. Only with include_dropped.
  bool is_dropped = false;

  // Set for a log if there are newer ones and all are empty. Then nothing shows whether writes are
  // missing at its end: LevelDB may have read it up to there and begun the next log.
  bool is_last_written = false;
};

// A table or log that is not part of the database.
struct LeftOutFile {
  std::string name;
  std::string reason;
};

struct SourceFolder {
  std::string path;                 // empty: the files are named by their paths
  std::vector<DatabaseFile> files;  // all files, by name

  // The MANIFEST that was chosen; empty if there is none. It is the one that CURRENT names, if it
  // can be read completely and all of its tables exist; else the newest for which that is true;
  // else the one that CURRENT names; else the most informative one.
  std::string manifest_name;
  VersionState version;                        // according to that MANIFEST, up to its first damage
  absl::Status manifest_status;                // that damage
  bool is_manifest_cut = false;                // there may have been edits after its end
  std::map<uint64_t, const TableFile*> named;  // the tables of `version`, by number

  // Tables with the name and size in the MANIFEST come first. Otherwise they are sorted by number;
  // of several files with the same number, the one that LevelDB reads comes first.
  std::vector<SourceFile> tables;
  std::vector<SourceFile> logs;
  std::vector<LeftOutFile> left_out;
  std::set<uint64_t> missing;  // numbers of the MANIFEST's tables without a file
  std::string missing_log;     // the name of the log that the MANIFEST names, if it is not there

  std::vector<DatabaseProblem> problems;
  uint64_t max_number = 0;  // highest number that a file has or that the MANIFEST may have used

  bool has_manifest() const { return !manifest_name.empty(); }
};

// Higher numbers in files or names are ignored, so that there are always unused ones.
inline constexpr uint64_t kMaxFileNumber = uint64_t{1} << 60;

// Borrows `options`. With include_dropped, nothing is left out. Errors: those of reading the
// folder; NotFound if it has neither tables nor logs.
absl::StatusOr<SourceFolder> ReadSourceFolder(absl::string_view path,
                                              const DatabaseSalvageOptions& options);

// Chooses the order of user keys: that of the options; else the library's comparator with the name
// in the MANIFEST; without a MANIFEST, the order that a table shows. Errors: Unimplemented if the
// order is not known.
absl::StatusOr<const Comparator*> ChooseComparator(const SourceFolder& source,
                                                   const DatabaseSalvageOptions& options);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_SOURCE_FOLDER_H_
