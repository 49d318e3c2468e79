// Identifies a file by its first and last bytes and its size, whatever its name.
#ifndef SSTABLE_TABLE_BLOCK_FILE_KIND_H_
#define SSTABLE_TABLE_BLOCK_FILE_KIND_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"

namespace sstable {

enum class FileKind {
  kUnknown,   // nothing shows what it is; also a damaged table or log
  kEmpty,     // has no bytes
  kTable,     // ends with LevelDB's magic
  kLog,       // begins with a record, or a part of one, that is a write batch
  kManifest,  // its first record is a version edit
  kPointer,   // git-lfs or git-annex left it in the place of a file that was not fetched
  kText,      // begins with text
  kForeign,   // in the format of another program, or encrypted
};

struct FileIdentity {
  FileKind kind = FileKind::kUnknown;
  std::string text;  // for messages: "is an SQLite database"; empty if kUnknown
};

// Reads the end of `file`, its first bytes and at most the first fragment of a log. A file that
// can't be read is kUnknown. Tables and logs are recognized first, so that a damaged one is not
// taken for anything else.
FileIdentity IdentifyFile(const RandomAccessFile& file);

// Returns true if `path` is a dangling symbolic link of git-annex, which has not fetched the
// content.
bool LinksToAnnex(const std::string& path);

// Describes such a link, or a pointer file.
inline constexpr char kGitAnnexPointer[] =
    "is only a git-annex pointer; `git annex get` fetches its content";

// Returns a better error for a `file` that could not be read as the `expected` kTable or kLog with
// this `status`. If that is DataLoss and the file is something else, the result is
// FailedPrecondition for a pointer and Unimplemented for other kinds, with the file's name.
// Otherwise it is `status`. Call it only after a failure.
absl::Status ExplainByKind(const RandomAccessFile& file, FileKind expected,
                           const absl::Status& status);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_FILE_KIND_H_
