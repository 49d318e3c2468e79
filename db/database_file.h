// Opens a file in a database's folder.
#ifndef SSTABLE_DB_DATABASE_FILE_H_
#define SSTABLE_DB_DATABASE_FILE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"

namespace sstable {

// NetEase's edition of Minecraft encrypts the files of a world, except logs. Encrypted files begin
// with these bytes; the rest is LevelDB's file, XORed with a repeated key of 8 bytes.
inline constexpr char kNetEaseMagic[] = "\x80\x1d\x30\x01";
inline constexpr size_t kNetEaseMagicSize = sizeof(kNetEaseMagic) - 1;

// Opens a file to read with pread(2). A file encrypted by NetEase's edition of Minecraft is
// decrypted while it is read, if the key can be derived from the known text of the CURRENT beside
// it. Its size is then 4 bytes less than in the folder, and it must not be copied or linked byte
// for byte. Errors: those of OpenFile().
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenDatabaseFile(const std::string& path);

// OpenDatabaseFile() for a file that is open; its name is its path.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> Decrypted(std::unique_ptr<RandomAccessFile> file);

// Same, with the contents of CURRENT given as `current`.
std::unique_ptr<RandomAccessFile> DecryptedWith(absl::string_view current,
                                                std::unique_ptr<RandomAccessFile> file);

// True if CURRENT gives such a key, so that the files of `folder` are decrypted; kIsDecrypted is
// the note to show then.
bool IsDecrypted(absl::string_view folder);
inline constexpr char kIsDecrypted[] =
    "is encrypted by NetEase's edition of Minecraft, and read with the key that CURRENT shows";

}  // namespace sstable

#endif  // SSTABLE_DB_DATABASE_FILE_H_
