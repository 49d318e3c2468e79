#include "c/c_support.h"

#include <cstdlib>
#include <cstring>

#include "sstable/version.h"

namespace sstable {
namespace {

sstable_code CodeOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kOk:
      return SSTABLE_OK;
    case absl::StatusCode::kInvalidArgument:
      return SSTABLE_INVALID_ARGUMENT;
    case absl::StatusCode::kNotFound:
      return SSTABLE_NOT_FOUND;
    case absl::StatusCode::kAlreadyExists:
      return SSTABLE_ALREADY_EXISTS;
    case absl::StatusCode::kPermissionDenied:
      return SSTABLE_PERMISSION_DENIED;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kOutOfRange:  // a limit of the reader
      return SSTABLE_RESOURCE_EXHAUSTED;
    case absl::StatusCode::kFailedPrecondition:
      return SSTABLE_FAILED_PRECONDITION;
    case absl::StatusCode::kAborted:
      return SSTABLE_ABORTED;
    case absl::StatusCode::kUnimplemented:
      return SSTABLE_UNIMPLEMENTED;
    case absl::StatusCode::kUnavailable:
      return SSTABLE_UNAVAILABLE;
    case absl::StatusCode::kDataLoss:
      return SSTABLE_DATA_LOSS;
    default:
      return SSTABLE_UNKNOWN;
  }
}

}  // namespace

char* CopyForC(absl::string_view bytes) {
  char* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy == nullptr) return nullptr;
  if (!bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  copy[bytes.size()] = '\0';
  return copy;
}

sstable_code Report(sstable_code code, absl::string_view text, char** message) {
  if (message != nullptr) *message = code == SSTABLE_OK ? nullptr : CopyForC(text);
  return code;
}

sstable_code Report(const absl::Status& status, char** message) {
  return Report(CodeOf(status.code()), status.message(), message);
}

}  // namespace sstable

int sstable_api_version(void) { return SSTABLE_API_VERSION; }

const char* sstable_version(void) { return SSTABLE_VERSION; }

void sstable_free(void* pointer) { std::free(pointer); }
