#include "table/block/file_kind.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "util/coding.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/log_fragment.h"
#include "util/system.h"

namespace sstable {
namespace {

// Number of bytes examined to recognize text. Pointer files are smaller.
constexpr size_t kHeadSize = 512;

// Returns the bytes; empty if the file is too short or can't be read.
std::string ReadAt(const RandomAccessFile& file, uint64_t offset, size_t size) {
  std::string bytes;
  if (offset > file.size() || size > file.size() - offset) return bytes;
  bytes.resize(size);
  if (!file.Read(offset, size, &bytes[0]).ok()) bytes.clear();
  return bytes;
}

struct FirstBytes {
  absl::string_view bytes;
  const char* text;
};

// A template, since some of these have NUL bytes.
template <size_t kSize>
constexpr FirstBytes Begins(const char (&bytes)[kSize], const char* text) {
  return {absl::string_view(bytes, kSize - 1), text};
}

constexpr FirstBytes kForeignFormats[] = {
    Begins("\x1f\x8b\x08", "is compressed by gzip: uncompress it first"),
    Begins("PK\x03\x04", "is a zip archive, as .mcworld files are: unpack it first"),
    Begins("PK\x05\x06", "is a zip archive without files"),
    Begins("SQLite format 3\0", "is an SQLite database"),
    Begins("Bdgr", "is Badger's MANIFEST"),
    Begins("\x80\x1d\x30\x01",
           "is encrypted by NetEase's edition of Minecraft, and can be read only if the CURRENT "
           "next to it shows the key; nothing is lost"),
    Begins("\x90\x1d\x30\x01",
           "is encrypted by an older version of NetEase's edition of Minecraft, with a key that is "
           "on NetEase's server; nothing is lost"),
    Begins("\0\0\0\0\xfc\xb9\xcf\x9b",
           "is encrypted, as worlds of Minecraft's Marketplace are; nothing is lost"),
};

bool IsHtml(absl::string_view head) {
  const absl::string_view start = absl::StripLeadingAsciiWhitespace(head);
  return absl::StartsWithIgnoreCase(start, "<!doctype html") ||
         absl::StartsWithIgnoreCase(start, "<html");
}

bool IsText(absl::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) {
    return absl::ascii_isprint(static_cast<unsigned char>(c)) || c == '\n' || c == '\r' ||
           c == '\t';
  });
}

// Microsoft Access's lock files are called *.ldb, too. They have 64 bytes for each user of the
// database: the names of the computer and of the user, each 32 bytes, padded with NULs or spaces.
bool IsAccessLock(absl::string_view head, uint64_t size) {
  constexpr size_t kNameSize = 32, kMaxUsers = 255;
  if (size == 0 || size % (2 * kNameSize) != 0 || size > 2 * kNameSize * kMaxUsers) return false;
  for (; !head.empty(); head.remove_prefix(kNameSize)) {
    const absl::string_view field = head.substr(0, kNameSize);
    const size_t end = field.find('\0');
    if (end == 0 || end == field.npos || !IsText(field.substr(0, end))) return false;
  }
  return true;
}

// CHECKPOINT.data-00000-of-00001 contains only numbers; CHECKPOINT.index is a table.
bool IsTensorFlowData(absl::string_view name) {
  const auto consume_digits = [&name] {
    size_t count = 0;
    for (; absl::ascii_isdigit(name.empty() ? ' ' : name.back()); ++count) name.remove_suffix(1);
    return count == 5;
  };
  return consume_digits() && absl::ConsumeSuffix(&name, "-of-") && consume_digits() &&
         absl::EndsWith(name, ".data-");
}

// Determines the kind of a log's first record, if it has one: a write batch begins with a sequence
// and a count, a version edit with a tag.
FileKind KindOfRecord(const RandomAccessFile& file, absl::string_view head) {
  constexpr size_t kBatchHeaderSize = 12;
  if (head.size() < kFragmentHeaderSize) return FileKind::kUnknown;
  const FragmentHeader header = DecodeFragmentHeader(head);
  const std::string bytes = ReadAt(file, 0, kFragmentHeaderSize + header.payload_size);
  size_t end = 0;
  if (!IsFragmentAt(bytes, 0, &end)) return FileKind::kUnknown;
  const absl::string_view record = absl::string_view(bytes).substr(kFragmentHeaderSize);
  const bool is_batch =
      record.size() >= kBatchHeaderSize && DecodeFixed64(record.data()) <= kMaxSequence;
  return is_batch ? FileKind::kLog : FileKind::kManifest;
}

}  // namespace

FileIdentity IdentifyFile(const RandomAccessFile& file) {
  if (file.size() == 0) return {FileKind::kEmpty, "is empty (0 bytes)"};
  const std::string tail = ReadAt(file, file.size() - sizeof(kTableMagic), sizeof(kTableMagic));
  const uint64_t magic = tail.empty() ? 0 : DecodeFixed64(tail.data());
  if (magic == kTableMagic) return {FileKind::kTable, "is a table"};
  const std::string head = ReadAt(file, 0, std::min<uint64_t>(file.size(), kHeadSize));
  switch (const FileKind kind = KindOfRecord(file, head); kind) {
    case FileKind::kLog:
      return {kind, "is a database's log, judging by its first record"};
    case FileKind::kManifest:
      return {kind, "is a database's MANIFEST, judging by its first record"};
    default:
      break;
  }
  if (const absl::string_view format = ForeignFormatOf(magic); !format.empty()) {
    return {FileKind::kForeign,
            absl::StrFormat("ends with the magic of %s, 0x%016x", format, magic)};
  }
  if (absl::StartsWith(head, "version https://git-lfs.github.com/spec/")) {
    return {FileKind::kPointer, "is only a git-lfs pointer; `git lfs pull` fetches its content"};
  }
  const bool is_path = absl::StartsWith(head, "/") || absl::StartsWith(head, ".");
  if (is_path && IsText(head) && absl::StrContains(head, "/annex/objects/")) {
    return {FileKind::kPointer, kGitAnnexPointer};
  }
  for (const FirstBytes& format : kForeignFormats) {
    if (absl::StartsWith(head, format.bytes)) return {FileKind::kForeign, format.text};
  }
  if (IsHtml(head)) return {FileKind::kForeign, "is an HTML page, as a failed download leaves"};
  if (IsAccessLock(head, file.size())) {
    return {FileKind::kForeign, "is a lock file of Microsoft Access, whose name also ends in .ldb"};
  }
  if (IsTensorFlowData(file.name())) {
    return {FileKind::kForeign,
            "has the numbers of a TensorFlow checkpoint; its .index is the table"};
  }
  if (!head.empty() && IsText(head)) {
    return {FileKind::kText, absl::StrCat("begins with text: ", ShowBytes(head))};
  }
  return {};
}

bool LinksToAnnex(const std::string& path) {
  std::string target;
  FileInfo info;
  return sys::ReadLink(path, &target) && !StatFile(path, &info) &&
         absl::StrContains(target, "/annex/objects/");
}

absl::Status ExplainByKind(const RandomAccessFile& file, FileKind expected,
                           const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  const FileIdentity identity = IdentifyFile(file);
  const std::string message = absl::StrCat(file.name(), ": ", identity.text);
  switch (identity.kind) {
    case FileKind::kPointer:
      return absl::FailedPreconditionError(message);
    case FileKind::kForeign:
      return absl::UnimplementedError(message);
    case FileKind::kLog:
    case FileKind::kManifest:
      return expected == FileKind::kTable ? absl::UnimplementedError(message) : status;
    case FileKind::kText:
      return expected == FileKind::kTable
                 ? absl::DataLossError(absl::StrCat(status.message(), "; it ", identity.text))
                 : status;
    default:
      return status;
  }
}

}  // namespace sstable
