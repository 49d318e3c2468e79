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

  // Set for a log if all newer logs are empty and there are some. Then nothing shows whether writes
  // are missing at its end: LevelDB may have recovered it up to there and started the next log.
  bool is_last_written = false;
};

// A table or log that is not part of the database.
struct LeftOutFile {
  std::string name;
  std::string reason;
};

struct SourceFolder {
  std::string path;                 // empty: files are named by their full paths
  std::vector<DatabaseFile> files;  // all files, sorted by name

  // The MANIFEST that was chosen; empty if there is none. It is the one that CURRENT names, if it
  // can be read completely and all of its tables exist; else the newest for which that is true;
  // else the one that CURRENT names; else the most informative one.
  std::string manifest_name;
  VersionState version;                        // according to that MANIFEST, up to its first damage
  absl::Status manifest_status;                // that first damage, if any
  bool is_manifest_cut = false;                // there may have been edits after its end
  std::map<uint64_t, const TableFile*> named;  // the tables of `version`, keyed by number

  // Tables with the name and size in the MANIFEST come first. Otherwise they are sorted by number;
  // of several files with the same number, the one that LevelDB reads comes first.
  std::vector<SourceFile> tables;
  std::vector<SourceFile> logs;
  std::vector<LeftOutFile> left_out;
  std::set<uint64_t> missing;  // numbers of the MANIFEST's tables without a file
  std::string missing_log;     // the log that the MANIFEST names, if it does not exist

  std::vector<DatabaseProblem> problems;
  uint64_t max_number = 0;  // highest number that a file has or that the MANIFEST may have used

  bool has_manifest() const { return !manifest_name.empty(); }
};

// Higher numbers in files or names are ignored, so that there are always unused ones.
inline constexpr uint64_t kMaxFileNumber = uint64_t{1} << 60;

// Borrows `options`. With include_dropped, nothing is left out. Errors: from reading the
// folder; NotFound if it has neither tables nor logs.
absl::StatusOr<SourceFolder> ReadSourceFolder(absl::string_view path,
                                              const DatabaseSalvageOptions& options);

// Chooses the order of user keys: the comparator in the options; else the library's comparator that
// the MANIFEST names; without a MANIFEST, the order that a table shows. Errors: Unimplemented if
// the order is not known.
absl::StatusOr<const Comparator*> ChooseComparator(const SourceFolder& source,
                                                   const DatabaseSalvageOptions& options);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_SOURCE_FOLDER_H_
