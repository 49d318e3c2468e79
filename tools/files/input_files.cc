#include "tools/files/input_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/folder_kind.h"
#include "remote/http_file.h"
#include "report/text/words.h"
#include "sstable/database_files.h"
#include "table/block/file_kind.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

absl::string_view NameOf(absl::string_view path) { return path.substr(sys::FolderPartSize(path)); }

FileRole RoleOf(absl::string_view path) {
  const std::optional<DatabaseFileName> name = ParseDatabaseFileName(NameOf(path));
  if (!name.has_value()) return FileRole::kTable;
  switch (name->kind) {
    case DatabaseFileKind::kTable:
    case DatabaseFileKind::kTemporary:
      return FileRole::kTable;
    case DatabaseFileKind::kLog:
      return FileRole::kLog;
    case DatabaseFileKind::kManifest:
      return FileRole::kManifest;
    case DatabaseFileKind::kCurrent:
    case DatabaseFileKind::kLock:
    case DatabaseFileKind::kInfoLog:
      break;
  }
  return FileRole::kOther;
}

// Determines the role of the file at `path`: by its contents if possible, since a copy may have any
// name.
FileRole RoleByContents(const std::string& path, FileRole by_name) {
  const auto file = OpenDatabaseFile(path);
  if (!file.ok()) return by_name;
  switch (IdentifyFile(**file).kind) {
    case FileKind::kTable:
      return FileRole::kTable;
    case FileKind::kLog:
      return FileRole::kLog;
    case FileKind::kManifest:
      return FileRole::kManifest;
    default:
      return by_name;
  }
}

bool IsTableName(absl::string_view name) {
  return absl::EndsWith(name, ".ldb") || absl::EndsWith(name, ".sst");
}

bool IsWanted(FileRole role, WantedFiles wanted) {
  return role == FileRole::kTable ||
         (wanted == WantedFiles::kDatabases && role != FileRole::kOther);
}

const char* Describe(FileRole role) {
  switch (role) {
    case FileRole::kManifest:
      return "a database's MANIFEST";
    case FileRole::kLog:
      return "a database's log";
    case FileRole::kOther:
      return "a database's CURRENT, LOCK or LOG, judging by its name";
    case FileRole::kTable:
    case FileRole::kDatabase:
      break;
  }
  return "a table";
}

// Calls `visit` with the names in a folder, until it returns false. Returns 0 or an errno.
int VisitNames(const std::string& folder, absl::FunctionRef<bool(const std::string& name)> visit) {
  sys::Folder directory;
  if (!directory.Open(folder)) return errno;
  std::string name;
  FileType type;
  while (directory.Next(&name, &type)) {
    if (!visit(name)) return 0;
  }
  return errno;
}

// A file on a web server. After a failed read, requests nothing more: a command that continues
// after damage would otherwise wait again for each block.
class RemoteFile final : public RandomAccessFile {
 public:
  explicit RemoteFile(std::unique_ptr<RandomAccessFile> file)
      : RandomAccessFile(file->name(), file->size()), file_(std::move(file)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      RETURN_IF_ERROR(status_);
    }
    const absl::Status status = file_->Read(offset, size, dst);
    if (status.ok()) return status;
    const std::lock_guard<std::mutex> lock(mutex_);
    status_.Update(status);
    return status_;
  }
  std::optional<absl::string_view> Contents() const override { return file_->Contents(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  mutable std::mutex mutex_;
  mutable absl::Status status_;  // first failure
};

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenRemote(const std::string& url) {
  // Shared by all files of a command.
  static const auto* const budget = new std::shared_ptr<HttpRetryBudget>(
      std::make_shared<HttpRetryBudget>(/*retries=*/10, std::chrono::seconds(30)));
  HttpFileOptions options;
  options.retry_budget = *budget;
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenHttpFile(url, options));
  return std::make_unique<RemoteFile>(std::move(file));
}

InputFile MakeInputFile(const std::string& path) {
  InputFile file(path);
  file.role = RoleOf(file.name);
  FileInfo info;
  if (StatFile(path, &info)) file.size = info.size;
  return file;
}

InputFile UnreadableFile(const std::string& path, absl::Status status) {
  InputFile file(path);
  file.status = std::move(status);
  return file;
}

// A file that was found in a folder and not named by the user: opening a pipe would wait.
InputFile FoundFile(const std::string& path) {
  FileInfo info;
  if (!StatFile(path, &info) || info.type == FileType::kRegular) return MakeInputFile(path);
  return UnreadableFile(path,
                        absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file")));
}

void AddTables(const std::string& folder, std::vector<InputFile>* files) {
  const auto number = [](const std::string& name) {
    const std::optional<DatabaseFileName> parsed = ParseDatabaseFileName(name);
    return parsed.has_value() ? parsed->number : 0;
  };
  std::vector<std::pair<uint64_t, std::string>> names;
  const int error = VisitNames(folder, [&](const std::string& name) {
    if (IsTableName(name)) names.emplace_back(number(name), name);
    return true;
  });
  std::sort(names.begin(), names.end());
  for (const auto& name : names) files->push_back(FoundFile(PathIn(folder, name.second)));
  if (error != 0) {
    files->push_back(UnreadableFile(
        folder, absl::ErrnoToStatus(error, absl::StrCat(folder, ": can't read the folder"))));
  } else if (names.empty()) {
    files->push_back(UnreadableFile(
        folder,
        absl::InvalidArgumentError(absl::StrCat(
            folder, IsDatabase(folder)
                        ? ": is a database that has no tables yet; `sst dump` shows what is "
                          "in its logs"
                        : ": is a folder without tables (.ldb, .sst); folders in it are "
                          "not read"))));
  }
}

bool HasDatabaseName(const std::string& name) {
  const std::optional<DatabaseFileName> parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind != DatabaseFileKind::kLock &&
         parsed->kind != DatabaseFileKind::kInfoLog && parsed->kind != DatabaseFileKind::kTemporary;
}

// Adds the database in a folder, or its tables, whatever their names.
void AddFolder(const std::string& folder, WantedFiles wanted, std::vector<InputFile>* found) {
  const auto listed = ListFolder(folder);
  if (!listed.ok()) return found->push_back(UnreadableFile(folder, listed.status()));
  const auto any = [&](bool (*has_name)(const std::string& name)) {
    return std::any_of(listed->begin(), listed->end(),
                       [&](const DatabaseFile& file) { return has_name(file.name); });
  };
  absl::Status kind = CheckFolderKind(folder, *listed);
  const bool has_others =
      absl::IsNotFound(kind) && any([](const std::string& name) { return IsTableName(name); });
  if (!kind.ok() && !has_others) return found->push_back(UnreadableFile(folder, std::move(kind)));
  if (wanted != WantedFiles::kDatabases || !any(HasDatabaseName)) return AddTables(folder, found);
  InputFile database(folder);
  database.role = FileRole::kDatabase;
  for (const DatabaseFile& file : *listed) database.size += file.size;
  found->push_back(std::move(database));
}

}  // namespace

bool IsFolder(const std::string& path) {
  FileInfo info;
  return StatFile(path, &info) && info.type == FileType::kFolder;
}

bool IsDatabase(const std::string& path) {
  bool found = false;
  VisitNames(path, [&found](const std::string& name) {
    found = HasDatabaseName(name);
    return !found;
  });
  return found;
}

InputFiles FindInputFiles(absl::Span<const std::string> arguments, WantedFiles wanted,
                          Console* console) {
  InputFiles found;
  found.many = arguments.size() > 1;
  uint64_t left_out = 0;
  for (const std::string& argument : arguments) {
    if (IsFolder(argument)) {
      found.many = true;
      AddFolder(argument, wanted, &found.files);
      continue;
    }
    InputFile file = MakeInputFile(argument);
    if (file.size > 0) file.role = RoleByContents(argument, file.role);
    if (IsWanted(file.role, wanted)) {
      found.files.push_back(std::move(file));
    } else if (arguments.size() > 1) {
      ++left_out;
    } else {
      file.status = absl::InvalidArgumentError(
          absl::StrCat(file.name, ": is ", Describe(file.role), ", not a table"));
      found.files.push_back(std::move(file));
    }
  }
  if (left_out > 0) {
    console->Say(absl::StrCat("left out: ", Count(left_out, "file"),
                              " of a database, by their names, that are not tables"));
  }
  return found;
}

absl::StatusOr<std::shared_ptr<const int>> OpenShared(const std::string& path) {
  // Does not wait for the writer of a pipe; OpenToRead() refuses pipes.
  const int descriptor = OpenDescriptor(path, sys::OpenFor::kReadWithoutWait);
  if (descriptor < 0) return ErrnoError(path, "can't open");
  return std::shared_ptr<const int>(new int(descriptor), [](const int* owned) {
    sys::Close(*owned);
    delete owned;
  });
}

absl::Status CheckIsNoUrl(const std::string& path) {
  if (!IsHttpUrl(path)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path), ": is a URL; expected a local file or folder"));
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenToRead(const InputFile& file) {
  if (file.descriptor == nullptr) {
    return IsHttpUrl(file.path) ? OpenRemote(file.path) : OpenDatabaseFile(file.path);
  }
  ASSIGN_OR_RETURN(auto opened, OpenFileDescriptor(*file.descriptor, file.name, FileAccess::kRead));
  return Decrypted(std::move(opened));
}

}  // namespace sstable::tools
