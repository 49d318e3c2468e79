// Opens a file of a database's folder.
#ifndef SSTABLE_DB_DATABASE_FILE_H_
#define SSTABLE_DB_DATABASE_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"

namespace sstable {

// The files of a Minecraft world that NetEase's edition has encrypted, except for logs, begin with
// these bytes. A key of 8 bytes that is repeated, XOR what follows them, is LevelDB's file.
inline constexpr char kNetEaseMagic[] = "\x80\x1d\x30\x01";
inline constexpr size_t kNetEaseMagicSize = sizeof(kNetEaseMagic) - 1;

// Opens a file to read with pread(2). One that NetEase's edition of Minecraft has encrypted is
// decrypted while it is read, if the CURRENT beside it shows the key, since its text is known. Its
// size is then less than that in the folder, by 4 bytes. Such a file must not be copied or linked
// byte for byte. Errors: those of OpenFile().
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenDatabaseFile(const std::string& path);

// The same for a file that is open, whose name is its path.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> Decrypted(std::unique_ptr<RandomAccessFile> file);

// Whether CURRENT shows such a key, so that the files of `folder` are decrypted, and what is said
// then.
bool IsDecrypted(absl::string_view folder);
inline constexpr char kIsDecrypted[] =
    "is encrypted by NetEase's edition of Minecraft, and read with the key that CURRENT shows";

}  // namespace sstable

#endif  // SSTABLE_DB_DATABASE_FILE_H_
