#include "db/salvage/new_folder.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/first_manifest.h"
#include "db/folder.h"
#include "sstable/file_name.h"
#include "sstable/version_edit.h"
#include "util/status_util.h"

namespace sstable {

namespace fs = std::filesystem;

absl::Status PrepareNewFolder(absl::string_view folder, const std::string& new_folder) {
  std::error_code error;
  const fs::path old_path = fs::canonical(std::string(folder), error);
  if (error) return absl::NotFoundError(absl::StrCat(folder, ": ", error.message()));
  const fs::path new_path = fs::weakly_canonical(fs::absolute(new_folder), error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(new_folder, ": ", error.message()));
  const auto mismatch =
      std::mismatch(old_path.begin(), old_path.end(), new_path.begin(), new_path.end());
  if (mismatch.first == old_path.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(new_folder, ": is in ", folder, ", to which nothing is written"));
  }
  fs::create_directory(new_path, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat(new_folder, ": can't make the folder: ", error.message()));
  }
  const bool is_empty = fs::is_empty(new_path, error);
  if (error) return absl::InvalidArgumentError(absl::StrCat(new_folder, ": ", error.message()));
  if (!is_empty) return absl::AlreadyExistsError(absl::StrCat(new_folder, ": is not empty"));
  return absl::OkStatus();
}

absl::Status RenameFile(absl::string_view folder, absl::string_view old_name,
                        absl::string_view new_name) {
  const std::string old_path = PathIn(folder, old_name);
  std::error_code error;
  fs::rename(old_path, PathIn(folder, new_name), error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(old_path, ": can't rename: ", error.message()));
}

absl::Status RemoveFile(absl::string_view folder, absl::string_view name) {
  const std::string path = PathIn(folder, name);
  std::error_code error;
  fs::remove(path, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat(path, ": can't remove: ", error.message()));
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
  return SetCurrentFile(context->new_folder, manifest_number);
}

}  // namespace sstable
