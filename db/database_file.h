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
// it. Such a file is 4 bytes shorter than on disk, and must not be copied or linked byte for byte.
// Errors: as for OpenFile().
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenDatabaseFile(const std::string& path);

// Like OpenDatabaseFile(), for an open file whose name() is its path.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> Decrypted(std::unique_ptr<RandomAccessFile> file);

// Like Decrypted(), with the contents of CURRENT passed as `current`.
std::unique_ptr<RandomAccessFile> DecryptedWith(absl::string_view current,
                                                std::unique_ptr<RandomAccessFile> file);

// Returns true if the key can be derived from CURRENT in `folder`, so that its files are decrypted.
// Callers then show the note kIsDecrypted.
bool IsDecrypted(absl::string_view folder);
inline constexpr char kIsDecrypted[] =
    "is encrypted by NetEase's edition of Minecraft, and read with the key that CURRENT shows";

}  // namespace sstable

#endif  // SSTABLE_DB_DATABASE_FILE_H_
