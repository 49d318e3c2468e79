// The files that a user names, individually or by their folder.
#ifndef SSTABLE_TOOLS_FILES_INPUT_FILES_H_
#define SSTABLE_TOOLS_FILES_INPUT_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "tools/cli/console.h"

namespace sstable::tools {

// The role of a file, judging by its name.
enum class FileRole {
  kTable,     // 000005.ldb, 000005.sst, and any name not listed below
  kLog,       // 000006.log
  kManifest,  // MANIFEST-000004
  kOther,     // CURRENT, LOCK, LOG: read only as part of a whole database
  kDatabase,  // a folder
};

// Returns true if there is a folder at `path`.
bool IsFolder(const std::string& path);

// Returns true if the folder at `path` is a database's: it has a CURRENT, MANIFEST or log, or a
// table with a number for its name.
bool IsDatabase(const std::string& path);

struct InputFile {
  // Implicit: any path is an input.
  InputFile(std::string path_or_url)  // NOLINT(google-explicit-constructor)
      : path(std::move(path_or_url)), name(InputName(path)) {}

  std::string path;  // path or URL to open; "-" is standard input; a URL may contain secrets
  std::string name;  // name to show: InputName(path)
  FileRole role = FileRole::kTable;
  uint64_t size = 0;    // in bytes, 0 if it is not known
  absl::Status status;  // why it can't be read, if that is known already

  // Set for a database's log if a newer log is not empty, so this one was written to its end.
  bool has_newer_log = false;

  // For a table: the kind and order of its keys according to its database's MANIFEST.
  GivenKeys keys;

  // If not null: the descriptor of the open file, which is read even if it has been removed since.
  std::shared_ptr<const int> descriptor;
};

// Opens a regular file for InputFile::descriptor; it is closed with the last copy of the pointer.
absl::StatusOr<std::shared_ptr<const int>> OpenShared(const std::string& path);

// Returns InvalidArgument if `path`, which should be a local file or folder, is a URL.
absl::Status CheckIsNoUrl(const std::string& path);

// Opens a file to read with pread(2), by its descriptor if it has one; or a file on a web server,
// by its URL. Errors: as for OpenFile() and OpenHttpFile().
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(const InputFile& file);

enum class WantedFiles {
  kTables,     // single tables, and all tables in a folder
  kDatabases,  // database folders as a whole, and single tables, logs and MANIFESTs
};

struct InputFiles {
  std::vector<InputFile> files;
  bool many = false;  // the user named several files or a folder
};

// Returns the files that `arguments` name. A folder stands for the tables in it, by number, but not
// in its sub-folders. If there are several arguments, unwanted files are skipped with a message; a
// single unwanted file is an error, and so is a folder without tables.
InputFiles FindInputFiles(absl::Span<const std::string> arguments, WantedFiles wanted,
                          Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_INPUT_FILES_H_
