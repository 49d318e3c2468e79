#include "util/status_util.h"

#include <exception>
#include <new>

namespace sstable {
namespace {

absl::Status MakeStatus(absl::StatusCode code, absl::string_view what,
                        absl::string_view detail) noexcept {
  try {
    return absl::Status(code, absl::StrCat(what, detail));
  } catch (...) {
    return absl::Status(code, "");  // does not allocate
  }
}

}  // namespace

absl::Status StatusOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "out of memory", "");
  } catch (const std::exception& exception) {
    return MakeStatus(absl::StatusCode::kUnknown, "exception: ", exception.what());
  } catch (...) {
    return MakeStatus(absl::StatusCode::kUnknown, "exception", "");
  }
}

}  // namespace sstable
