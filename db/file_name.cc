#include <algorithm>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/slice.h"
#include "table/block/file_kind.h"
#include "util/escape.h"
#include "util/status_util.h"
#include "util/zeros.h"

namespace sstable {
namespace {

std::string Numbered(uint64_t number, absl::string_view suffix) {
  return absl::StrCat(absl::Dec(number, absl::kZeroPad6), suffix);
}

// Parses all of `text` as a decimal number: no sign, no space.
std::optional<uint64_t> ParseNumber(absl::string_view text) {
  uint64_t number = 0;
  if (text.find_first_not_of("0123456789") != text.npos || !absl::SimpleAtoi(text, &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<DatabaseFileName> ParseDatabaseFileName(Slice name) {
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
  // A file that CreateFileAtomically() has not renamed yet.
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

namespace {

// Returns the names of MANIFESTs found in `text`.
std::set<std::string> FindManifestNames(absl::string_view text) {
  constexpr absl::string_view kPrefix = "MANIFEST-";
  std::set<std::string> names;
  for (size_t at = 0; (at = text.find(kPrefix, at)) != text.npos;) {
    const size_t end =
        std::min(text.find_first_not_of("0123456789", at + kPrefix.size()), text.size());
    if (end > at + kPrefix.size()) names.emplace(text.substr(at, end - at));
    at = end;
  }
  return names;
}

// Describes what is wrong with CURRENT, and what it should be, if its contents show that.
std::string DescribeBadCurrent(absl::string_view contents) {
  const std::set<std::string> names = FindManifestNames(contents);
  const std::string expected =
      names.size() == 1 ? ShowBytes(*names.begin() + "\n") : "the name of a MANIFEST and a newline";
  const std::string found =
      contents.empty()     ? "is empty (0 bytes)"
      : AllZeros(contents) ? absl::StrCat("is ", contents.size(), " NUL bytes")
      : absl::StartsWith(contents, "<<<<<<<")
          ? absl::StrCat("has marks of a merge conflict, with ", absl::StrJoin(names, " and "))
          : absl::StrCat("is ", ShowBytes(contents));
  return absl::StrCat(found, ", expected ", expected);
}

}  // namespace

absl::StatusOr<std::string> ReadCurrentFile(Slice folder) {
  constexpr uint64_t kMaxSize = 200;  // bytes; far more than any name needs
  const std::string path = PathIn(folder, kCurrentFileName);
  ASSIGN_OR_RETURN(const auto file, OpenDatabaseFile(path));
  std::string contents(std::min(file->size(), kMaxSize), '\0');
  RETURN_IF_ERROR(AtPlace(path, file->Read(0, contents.size(), &contents[0])));
  absl::string_view name = contents;
  const bool has_newline = absl::ConsumeSuffix(&name, "\n");
  const auto parsed = ParseDatabaseFileName(name);
  if (has_newline && parsed.has_value() && parsed->kind == DatabaseFileKind::kManifest) {
    return std::string(name);
  }
  return ExplainByKind(*file, FileKind::kLog,
                       absl::DataLossError(absl::StrCat(path, ": ", DescribeBadCurrent(contents))));
}

absl::Status SetCurrentFile(Slice folder, uint64_t number) {
  ASSIGN_OR_RETURN(const auto file, CreateFileAtomically(PathIn(folder, kCurrentFileName)));
  RETURN_IF_ERROR(file->Append(ManifestFileName(number) + "\n"));
  RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace sstable
