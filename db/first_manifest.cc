#include "db/first_manifest.h"

#include "absl/status/status.h"
#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<uint64_t> WriteFirstManifest(absl::string_view folder, VersionEdit edit,
                                            uint64_t next_number) {
  const uint64_t manifest_number = next_number + 1;
  edit.log_number = next_number;
  edit.previous_log_number = 0;
  edit.next_file_number = manifest_number + 1;
  ASSIGN_OR_RETURN(const auto log,
                   CreateFileAtomically(PathIn(folder, LogFileName(*edit.log_number))));
  RETURN_IF_ERROR(log->Sync());
  RETURN_IF_ERROR(log->Close());
  ASSIGN_OR_RETURN(const auto manifest,
                   CreateFileAtomically(PathIn(folder, ManifestFileName(manifest_number))));
  RETURN_IF_ERROR(LogWriter(manifest.get()).AddRecord(edit.Encode()));
  RETURN_IF_ERROR(manifest->Sync());
  RETURN_IF_ERROR(manifest->Close());
  return manifest_number;
}

}  // namespace sstable
