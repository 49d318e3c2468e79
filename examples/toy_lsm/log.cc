#include "examples/toy_lsm/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

constexpr size_t kSequenceOffset = 12;
constexpr size_t kHeaderSize = 20;  // with the sequence

uint32_t MaskedCrc(absl::string_view bytes) { return sstable::MaskCrc(sstable::Crc32c(bytes)); }

// What stands where a record should begin.
enum class Found { kRecord, kTorn, kDamage };

// A torn record reaches to the end of the file, or would go beyond it; a power loss may leave zeros
// for bytes that were not yet written.
Found LookAt(absl::string_view rest, size_t* payload_size) {
  if (rest.size() < kHeaderSize) return Found::kTorn;
  const auto has_zeros_from = [rest](size_t i) {
    return rest.find_first_not_of('\0', i) == rest.npos;
  };
  if (sstable::DecodeFixed32(rest.data() + 4) != MaskedCrc(rest.substr(0, 4))) {
    return has_zeros_from(7) ? Found::kTorn : Found::kDamage;
  }
  *payload_size = sstable::DecodeFixed32(rest.data());
  const size_t size = kHeaderSize + *payload_size;
  if (size > rest.size()) return Found::kTorn;
  const uint32_t crc = MaskedCrc(rest.substr(kSequenceOffset, size - kSequenceOffset));
  if (sstable::DecodeFixed32(rest.data() + 8) == crc) return Found::kRecord;
  return has_zeros_from(size) ? Found::kTorn : Found::kDamage;
}

}  // namespace

std::string MakeRecord(uint64_t sequence, absl::string_view payload) {
  std::string record;
  record.reserve(kHeaderSize + payload.size());
  sstable::AppendFixed32(&record, static_cast<uint32_t>(payload.size()));
  sstable::AppendFixed32(&record, MaskedCrc(record));
  sstable::AppendFixed32(&record, 0);
  sstable::AppendFixed64(&record, sequence);
  record.append(payload.data(), payload.size());
  sstable::EncodeFixed32(&record[8], MaskedCrc(absl::string_view(record).substr(kSequenceOffset)));
  return record;
}

absl::Status SyncFolder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = descriptor >= 0 && ::fsync(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  return is_synced ? absl::OkStatus()
                   : absl::ErrnoToStatus(error, absl::StrCat(folder, ": can't sync"));
}

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(const std::string& path) {
  auto writer = std::make_unique<LogWriter>(path);
  writer->descriptor_ =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644);
  if (writer->descriptor_ < 0) {
    return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't create"));
  }
  writer->file_ = sstable::NewDescriptorFile(writer->descriptor_, path);
  return writer;
}

LogWriter::~LogWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

absl::Status LogWriter::Sync() {
  RETURN_IF_ERROR(file_->Sync());
  if (std::exchange(has_durable_name_, true)) return absl::OkStatus();
  return SyncFolder(std::filesystem::path(path_).parent_path());
}

absl::StatusOr<uint64_t> ReadLog(const std::string& path, RecordVisitor visit) {
  ASSIGN_OR_RETURN(const auto file, sstable::OpenFile(path));
  absl::string_view rest = file->Contents().value_or("");
  for (size_t size = 0; !rest.empty(); rest.remove_prefix(kHeaderSize + size)) {
    const std::string place = absl::StrCat(path, ": at offset ", file->size() - rest.size());
    const Found found = LookAt(rest, &size);
    if (found == Found::kTorn) break;
    if (found == Found::kDamage) {
      return absl::DataLossError(
          absl::StrFormat("%s: no record, with %d bytes left", place, rest.size()));
    }
    RETURN_IF_ERROR(
        sstable::AtPlace(place, visit(sstable::DecodeFixed64(rest.data() + kSequenceOffset),
                                      rest.substr(kHeaderSize, size))));
  }
  return rest.size();
}

}  // namespace toy_lsm
