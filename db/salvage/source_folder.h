// Determines which tables and logs of a folder belong to its database, whatever of CURRENT and
// MANIFEST is left.
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
#include "sstable/database_salvage.h"
#include "sstable/database_view.h"
#include "sstable/file.h"
#include "sstable/version_edit.h"

namespace sstable {

// A table or log of the folder.
struct SourceFile {
  std::string name;
  uint64_t number = 0;
  uint64_t size = 0;       // bytes
  bool is_second = false;  // another file with this number is the one to read

  // Set for a table that no edit of the MANIFEST names. An unfinished compaction may have written
  // it, or it may be newer than the MANIFEST.
  bool is_unnamed = false;

  // Set for a log if there are newer ones and all are empty. Then no later write shows that one is
  // missing at its end: LevelDB may have read it to there and begun the next.
  bool is_last_written = false;
};

// A table or log that is not part of the database.
struct LeftOutFile {
  std::string name;
  std::string reason;
};

struct SourceFolder {
  std::string path;                 // empty: the files are named by their paths
  std::vector<DatabaseFile> files;  // all, by name

  // The MANIFEST that CURRENT names, if it can be read as a whole and its tables are all there; or
  // the newest of which that holds; or that of CURRENT; or the one that says most. Empty: none.
  std::string manifest_name;
  VersionState version;                        // by that MANIFEST, up to its first damage
  absl::Status manifest_status;                // that damage
  bool is_manifest_cut = false;                // there may have been edits after its end
  std::map<uint64_t, const TableFile*> named;  // the tables of `version`, by number

  // Tables that have the name and the size that the MANIFEST says come first. Then each by number;
  // of several files with a number, first the one that LevelDB reads.
  std::vector<SourceFile> tables;
  std::vector<SourceFile> logs;
  std::vector<LeftOutFile> left_out;
  std::set<uint64_t> missing;  // numbers of tables of the MANIFEST of which there is no file

  std::vector<DatabaseProblem> problems;
  uint64_t max_number = 0;  // of all files, and those that the MANIFEST may have meant to use

  bool has_manifest() const { return !manifest_name.empty(); }
};

// Numbers above this are not taken from a file or its name, so that there are always higher ones.
inline constexpr uint64_t kMaxFileNumber = uint64_t{1} << 60;

// Borrows `options`. With include_dropped, nothing is left out. Errors: those of reading the
// folder; NotFound if it has no table or log.
absl::StatusOr<SourceFolder> ReadSourceFolder(absl::string_view path,
                                              const DatabaseSalvageOptions& options);

// Whether a file is a log: by its records, or if nothing in it shows what it is, by its name.
bool IsLog(const RandomAccessFile& file);

// A folder without a MANIFEST that has these files. Errors: those of opening them; NotFound if
// there is no table and no log.
absl::StatusOr<SourceFolder> ReadSourceFiles(const std::vector<std::string>& paths);

// The order of user keys: that of the options; else the library's comparator of the name that the
// MANIFEST has, or without one, the order that a table shows. Errors: Unimplemented if neither is
// known.
absl::StatusOr<const Comparator*> ChooseComparator(const SourceFolder& source,
                                                   const DatabaseSalvageOptions& options);

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_SOURCE_FOLDER_H_
