#include "absl/strings/str_cat.h"
#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::Status CheckIsComplete(const VersionState& state) {
  const char* const missing = state.comparator.empty()              ? "comparator"
                              : !state.log_number.has_value()       ? "log number"
                              : !state.next_file_number.has_value() ? "next file number"
                              : !state.last_sequence.has_value()    ? "last sequence"
                                                                    : nullptr;
  if (missing == nullptr) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("no edit has a ", missing));
}

}  // namespace

absl::StatusOr<Manifest> ReadManifest(const RandomAccessFile& file) {
  Manifest manifest;
  const auto place = [&file](uint64_t offset) {
    return absl::StrCat(file.name(), ": at offset ", offset);
  };
  LogReader log(&file);
  while (log.Next() && log.drop_count() == 0) {
    const auto edit = VersionEdit::Decode(log.record());
    const absl::Status status = edit.ok() ? manifest.state.Apply(*edit) : edit.status();
    if (absl::IsUnimplemented(status)) return AtPlace(place(log.record_offset()), status);
    if (!status.ok()) {
      manifest.status = AtPlace(place(log.record_offset()), status);
      return manifest;
    }
    ++manifest.edit_count;
  }
  if (absl::IsUnimplemented(log.status())) {  // the file is of another kind
    manifest.status = absl::DataLossError(log.status().message());
    return manifest;
  }
  RETURN_IF_ERROR(log.status());
  if (log.drop_count() > 0) {
    const LogDrop& drop = log.damage()[0];
    manifest.status = AtPlace(place(drop.offset), absl::DataLossError(drop.message));
    return manifest;
  }
  manifest.torn_end = log.torn_end();
  manifest.status =
      AtPlace(file.name(), file.size() == 0 ? absl::DataLossError("is empty (0 bytes)")
                                            : CheckIsComplete(manifest.state));
  return manifest;
}

}  // namespace sstable
