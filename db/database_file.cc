#include "db/database_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sstable/database_files.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

constexpr size_t kKeySize = 8;

class DecryptedFile final : public RandomAccessFile {
 public:
  DecryptedFile(std::unique_ptr<RandomAccessFile> file, std::string key)
      : RandomAccessFile(file->name(), file->size() - kNetEaseMagicSize),
        file_(std::move(file)),
        key_(std::move(key)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    RETURN_IF_ERROR(file_->Read(kNetEaseMagicSize + offset, size, dst));
    for (size_t i = 0; i < size; ++i) dst[i] ^= key_[(offset + i) % kKeySize];
    return absl::OkStatus();
  }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const std::string key_;
};

// The text is "MANIFEST-", a number and a newline, so its first 8 bytes give the key, and the rest
// confirms it.
std::string NetEaseKey(absl::string_view current) {
  if (!absl::ConsumePrefix(&current, kNetEaseMagic) || current.size() < kKeySize) return "";
  std::string key(current.substr(0, kKeySize)), text(current);
  for (size_t i = 0; i < kKeySize; ++i) key[i] ^= "MANIFEST"[i];
  for (size_t i = 0; i < text.size(); ++i) text[i] ^= key[i % kKeySize];
  absl::string_view name = text;
  if (!absl::ConsumeSuffix(&name, "\n")) return "";
  const auto parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind == DatabaseFileKind::kManifest ? key : "";
}

// Returns the bytes of CURRENT in `folder`, which ends in a slash; empty if it can't be read.
std::string ReadCurrent(absl::string_view folder) {
  constexpr uint64_t kMaxSize = 100;  // bytes; far more than any name needs
  const auto file = OpenFile(absl::StrCat(folder, kCurrentFileName), FileAccess::kRead);
  if (!file.ok() || (*file)->size() > kMaxSize) return "";
  std::string bytes((*file)->size(), '\0');
  return (*file)->Read(0, bytes.size(), &bytes[0]).ok() ? bytes : "";
}

bool IsEncrypted(const RandomAccessFile& file) {
  char magic[kNetEaseMagicSize];
  return file.size() >= kNetEaseMagicSize && !absl::EndsWith(file.name(), ".log") &&
         file.Read(0, kNetEaseMagicSize, magic).ok() &&  // a later read reports the error
         absl::string_view(magic, kNetEaseMagicSize) == kNetEaseMagic;
}

}  // namespace

bool IsDecrypted(absl::string_view folder) {
  return !NetEaseKey(ReadCurrent(absl::StrCat(folder, "/"))).empty();
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> Decrypted(
    std::unique_ptr<RandomAccessFile> file) {
  if (!IsEncrypted(*file)) return file;
  const std::string current =
      ReadCurrent(file->name().substr(0, sys::FolderPartSize(file->name())));
  return DecryptedWith(current, std::move(file));
}

std::unique_ptr<RandomAccessFile> DecryptedWith(absl::string_view current,
                                                std::unique_ptr<RandomAccessFile> file) {
  std::string key = NetEaseKey(current);
  if (key.empty() || !IsEncrypted(*file)) return file;
  return std::make_unique<DecryptedFile>(std::move(file), std::move(key));
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenDatabaseFile(const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenFile(path, FileAccess::kRead));
  return Decrypted(std::move(file));
}

}  // namespace sstable
