#include "examples/toy_lsm/manifest.h"

#include <filesystem>
#include <fstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "examples/toy_lsm/files.h"
#include "examples/toy_lsm/options.h"
#include "util/coding.h"
#include "util/file.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

bool ConsumeString(absl::string_view* input, std::string* bytes) {
  uint64_t size = 0;
  if (!sstable::ConsumeVarint64(input, &size) || size > input->size()) return false;
  *bytes = std::string(input->substr(0, size));
  input->remove_prefix(size);
  return true;
}

absl::Status Decode(absl::string_view bytes, ManifestState* state) {
  *state = {};
  bool is_good = sstable::ConsumeVarint64(&bytes, &state->log_number) &&
                 sstable::ConsumeVarint64(&bytes, &state->flushed_sequence);
  while (is_good && !bytes.empty()) {
    auto& [level, info] = state->tables.emplace_back();
    uint64_t stored_level = 0;
    is_good = sstable::ConsumeVarint64(&bytes, &stored_level) && stored_level < kLevelCount &&
              sstable::ConsumeVarint64(&bytes, &info.number) &&
              sstable::ConsumeVarint64(&bytes, &info.file_size) &&
              ConsumeString(&bytes, &info.smallest) && ConsumeString(&bytes, &info.largest);
    level = static_cast<int>(stored_level);
  }
  return is_good ? absl::OkStatus() : absl::DataLossError("is no state of a database");
}

}  // namespace

absl::StatusOr<std::optional<ManifestState>> Manifest::Read(const std::string& folder) {
  const std::string current = CurrentPath(folder);
  if (!std::filesystem::exists(current)) return std::nullopt;
  std::ifstream stream(current);
  std::string name;
  if (!std::getline(stream, name) || stream.eof() || !absl::StartsWith(name, "MANIFEST-")) {
    return absl::DataLossError(absl::StrCat(current, ": names no manifest"));
  }
  const std::string path = absl::StrCat(folder, "/", name);
  ManifestState state;
  RETURN_IF_ERROR(ReadLog(path, LogEnd::kMayBeTorn, [&](auto record) {
                    return Decode(record, &state);
                  }).status());
  if (state.log_number == 0) return absl::DataLossError(absl::StrCat(path, ": has no record"));
  return state;
}

absl::StatusOr<std::unique_ptr<Manifest>> Manifest::Create(const std::string& folder,
                                                           uint64_t number, uint64_t log_number,
                                                           uint64_t flushed_sequence,
                                                           const Version& version) {
  const std::string path = ManifestPath(folder, number);
  ASSIGN_OR_RETURN(auto log, LogWriter::Create(path));
  std::unique_ptr<Manifest> manifest(new Manifest(std::move(log)));
  RETURN_IF_ERROR(manifest->Append(log_number, flushed_sequence, version));
  ASSIGN_OR_RETURN(const auto current, sstable::CreateFileAtomically(CurrentPath(folder)));
  RETURN_IF_ERROR(current->Append(absl::StrCat(path.substr(folder.size() + 1), "\n")));
  RETURN_IF_ERROR(current->Sync());
  RETURN_IF_ERROR(current->Close());
  return manifest;
}

absl::Status Manifest::Append(uint64_t log_number, uint64_t flushed_sequence,
                              const Version& version) {
  std::string record;
  sstable::AppendVarint64(&record, log_number);
  sstable::AppendVarint64(&record, flushed_sequence);
  for (int level = 0; level < kLevelCount; ++level) {
    for (const TablePtr& table : version.levels[level]) {
      const TableInfo& info = table->info();
      sstable::AppendVarint64(&record, static_cast<uint64_t>(level));
      sstable::AppendVarint64(&record, info.number);
      sstable::AppendVarint64(&record, info.file_size);
      for (const std::string& key : {info.smallest, info.largest}) {
        sstable::AppendVarint64(&record, key.size());
        record += key;
      }
    }
  }
  RETURN_IF_ERROR(log_->Append(record));
  return log_->Sync();
}

}  // namespace toy_lsm
