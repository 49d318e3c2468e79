#include "db/salvage/new_folder.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/first_manifest.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {

namespace fs = std::filesystem;

absl::StatusOr<bool> PrepareNewFolder(absl::string_view folder, const std::string& new_folder) {
  std::error_code error;
  const fs::path old_path = folder.empty() ? "" : fs::canonical(sys::ToPath(folder), error);
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  fs::path new_path = fs::weakly_canonical(fs::absolute(sys::ToPath(new_folder)), error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(new_folder, ": ", error.message()));
  const auto mismatch =
      std::mismatch(old_path.begin(), old_path.end(), new_path.begin(), new_path.end());
  if (!folder.empty() && mismatch.first == old_path.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(new_folder, ": is in ", folder, ", to which nothing is written"));
  }
  new_path = sys::ToPath(sys::FromPath(new_path));  // the form that Windows needs for long paths
  const bool is_new = fs::create_directory(new_path, error);
  if (is_new && !error) fs::permissions(new_path, fs::perms::owner_all, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(new_folder, ": can't make the folder: ", error.message()));
  }
  const bool is_empty = fs::is_empty(new_path, error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(new_folder, ": ", error.message()));
  if (!is_empty) {
    return absl::AlreadyExistsError(
        absl::StrCat(new_folder, ": is not empty; name a folder that is not there yet"));
  }
  return is_new;
}

bool LinkFile(const std::string& old_path, const std::string& new_path, uint64_t size) {
  FileInfo info;
  if (!StatFile(old_path, &info) || info.size != size) return false;
  return sys::HardLink(old_path, new_path) == 0 || sys::Clone(old_path, new_path);
}

absl::Status RenameFile(absl::string_view folder, absl::string_view old_name,
                        absl::string_view new_name) {
  const std::string old_path = PathIn(folder, old_name);
  if (sys::Rename(old_path, PathIn(folder, new_name)) == 0) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(old_path, ": can't rename: ", std::generic_category().message(errno)));
}

absl::Status RemoveFile(absl::string_view folder, absl::string_view name) {
  const std::string path = PathIn(folder, name);
  if (sys::Remove(path) == 0 || errno == ENOENT) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat(path, ": can't remove: ", std::generic_category().message(errno)));
}

absl::Status WriteManifest(const DatabaseSalvageReport& report, RescueContext* context) {
  VersionEdit edit;
  edit.comparator = report.comparator_name;
  edit.last_sequence = report.last_sequence;
  edit.new_files = report.tables;
  ASSIGN_OR_RETURN(const uint64_t manifest_number,
                   WriteFirstManifest(context->new_folder, std::move(edit), context->next_number));
  context->next_number = manifest_number + 1;
  RETURN_IF_ERROR(context->Advance(0));
  if (!sys::SyncFilesIn(context->new_folder)) {
    return ErrnoError(context->new_folder, "can't sync its files");
  }
  return SetCurrentFile(context->new_folder, manifest_number);
}

}  // namespace sstable
