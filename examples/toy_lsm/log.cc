#include "examples/toy_lsm/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "util/coding.h"
#include "util/crc32c.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

constexpr size_t kHeaderSize = 12;

uint32_t MaskedCrc(absl::string_view bytes) { return sstable::MaskCrc(sstable::Crc32c(bytes)); }

// What stands where a record should begin, and isn't one.
enum class Trouble { kNone, kTorn, kDamaged };

// Takes a record's payload off the front of `*rest`. A torn record reaches to the end of the file,
// or would go beyond it; a power loss may leave zeros for bytes that were not yet written.
Trouble TakeRecord(absl::string_view* rest, absl::string_view* payload) {
  if (rest->size() < kHeaderSize) return Trouble::kTorn;
  const size_t size = sstable::DecodeFixed32(rest->data());
  if (sstable::DecodeFixed32(rest->data() + 4) != MaskedCrc(rest->substr(0, 4))) {
    const bool has_zeros_only = rest->find_first_not_of('\0', kHeaderSize - 1) == rest->npos;
    return has_zeros_only ? Trouble::kTorn : Trouble::kDamaged;
  }
  if (size > rest->size() - kHeaderSize) return Trouble::kTorn;
  *payload = rest->substr(kHeaderSize, size);
  if (sstable::DecodeFixed32(rest->data() + 8) != MaskedCrc(*payload)) {
    return size == rest->size() - kHeaderSize ? Trouble::kTorn : Trouble::kDamaged;
  }
  rest->remove_prefix(kHeaderSize + size);
  return Trouble::kNone;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogWriter>> LogWriter::Create(const std::string& path) {
  // Made this way the empty file is in its folder even after a crash of the machine.
  ASSIGN_OR_RETURN(const auto empty_file, sstable::CreateFileAtomically(path));
  RETURN_IF_ERROR(empty_file->Sync());
  RETURN_IF_ERROR(empty_file->Close());
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't open"));
  return std::make_unique<LogWriter>(sstable::NewDescriptorFile(descriptor, path), descriptor);
}

LogWriter::~LogWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

absl::Status LogWriter::Append(absl::string_view payload) {
  RETURN_IF_ERROR(status_);
  if (payload.size() > std::numeric_limits<uint32_t>::max()) {
    return absl::InvalidArgumentError(absl::StrCat("a record of ", payload.size(), " bytes"));
  }
  record_.clear();
  sstable::AppendFixed32(&record_, static_cast<uint32_t>(payload.size()));
  sstable::AppendFixed32(&record_, MaskedCrc(record_));
  sstable::AppendFixed32(&record_, MaskedCrc(payload));
  record_.append(payload.data(), payload.size());
  return status_ = file_->Append(record_);
}

absl::Status LogWriter::Sync() {
  if (status_.ok()) status_ = file_->Sync();
  return status_;
}

absl::StatusOr<uint64_t> ReadLog(const std::string& path, LogEnd end,
                                 absl::FunctionRef<absl::Status(absl::string_view)> visit) {
  ASSIGN_OR_RETURN(const auto file, sstable::OpenFile(path));
  absl::string_view rest = file->Contents().value_or("");
  while (!rest.empty()) {
    absl::string_view payload;
    const Trouble trouble = TakeRecord(&rest, &payload);
    if (trouble == Trouble::kTorn && end == LogEnd::kMayBeTorn) break;
    const uint64_t offset = file->size() - rest.size();
    if (trouble != Trouble::kNone) {
      return absl::DataLossError(absl::StrFormat("%s: no record at offset %d, with %d bytes left",
                                                 path, offset, rest.size()));
    }
    RETURN_IF_ERROR(
        sstable::AtPlace(absl::StrCat(path, ": record before offset ", offset), visit(payload)));
  }
  return rest.size();
}

}  // namespace toy_lsm
