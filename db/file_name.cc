#include "sstable/file_name.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "db/folder.h"
#include "sstable/file.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

std::string Numbered(uint64_t number, absl::string_view suffix) {
  return absl::StrCat(absl::Dec(number, absl::kZeroPad6), suffix);
}

// All of `text` as a decimal number: no sign, no space.
std::optional<uint64_t> ParseNumber(absl::string_view text) {
  uint64_t number = 0;
  if (text.find_first_not_of("0123456789") != text.npos || !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<DatabaseFileName> ParseDatabaseFileName(absl::string_view name) {
  using Kind = DatabaseFileKind;
  constexpr struct {
    const char* name;
    Kind kind;
  } kNames[] = {{"CURRENT", Kind::kCurrent},
                {"CURRENT.bak", Kind::kCurrent},
                {"LOCK", Kind::kLock},
                {"LOG", Kind::kInfoLog},
                {"LOG.old", Kind::kInfoLog}};
  constexpr struct {
    const char* prefix;
    const char* suffix;
    Kind kind;
  } kNumbered[] = {{"", ".ldb", Kind::kTable},       {"", ".sst", Kind::kTable},
                   {"", ".log", Kind::kLog},         {"MANIFEST-", "", Kind::kManifest},
                   {"CURRENT.", "", Kind::kCurrent}, {"", ".dbtmp", Kind::kTemporary},
                   {"", ".tmp", Kind::kTemporary}};
  for (const auto& known : kNames) {
    if (name == known.name) return DatabaseFileName{known.kind, 0};
  }
  for (const auto& known : kNumbered) {
    absl::string_view rest = name;
    if (!absl::ConsumePrefix(&rest, known.prefix) || !absl::ConsumeSuffix(&rest, known.suffix)) {
      continue;
    }
    const std::optional<uint64_t> number = ParseNumber(rest);
    if (number.has_value()) return DatabaseFileName{known.kind, *number};
  }
  // As CreateFileAtomically() names what it has not yet renamed.
  const size_t temporary = name.rfind(".tmp-");
  if (temporary == name.npos || !ParseDatabaseFileName(name.substr(0, temporary)).has_value()) {
    return std::nullopt;
  }
  return DatabaseFileName{Kind::kTemporary, 0};
}

std::string TableFileName(uint64_t number) { return Numbered(number, ".ldb"); }
std::string LogFileName(uint64_t number) { return Numbered(number, ".log"); }
std::string ManifestFileName(uint64_t number) {
  return absl::StrCat("MANIFEST-", Numbered(number, ""));
}

absl::StatusOr<std::string> ReadCurrentFile(absl::string_view folder) {
  constexpr uint64_t kMaxSize = 100;  // far more than any name has
  const std::string path = PathIn(folder, kCurrentFileName);
  ASSIGN_OR_RETURN(const auto file, OpenFile(path, FileAccess::kRead));
  std::string contents(std::min(file->size(), kMaxSize), '\0');
  RETURN_IF_ERROR(AtPlace(path, file->Read(0, contents.size(), &contents[0])));
  absl::string_view name = contents;
  const bool has_newline = absl::ConsumeSuffix(&name, "\n");
  const auto parsed = ParseDatabaseFileName(name);
  if (has_newline && parsed.has_value() && parsed->kind == DatabaseFileKind::kManifest) {
    return std::string(name);
  }
  return absl::DataLossError(absl::StrCat(path, ": is ", ShowBytes(contents),
                                          ", expected the name of a MANIFEST and a newline"));
}

absl::Status SetCurrentFile(absl::string_view folder, uint64_t number) {
  ASSIGN_OR_RETURN(const auto file, CreateFileAtomically(PathIn(folder, kCurrentFileName)));
  RETURN_IF_ERROR(file->Append(ManifestFileName(number) + "\n"));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace sstable
