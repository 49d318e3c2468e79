#include "web/core/call.h"

#include <cstdint>
#include <exception>
#include <new>

namespace sstable::tools {
namespace {

int Fail(int code, absl::string_view message) {
  result = JsonText(message);
  return code;
}

}  // namespace

std::string arguments[2];
std::string result;

void SetResult(const Json& json) {
  result = json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json DecoderJson(const EntryDecoder* decoder) {
  if (decoder == nullptr) return Json();
  return {{"format", std::string(decoder->format())}, {"doubt", JsonText(decoder->doubt())}};
}

int Guarded(absl::FunctionRef<absl::Status()> work) {
  result.clear();
  try {
    const absl::Status status = work();
    return status.ok() ? 0 : Fail(1, status.message());
  } catch (const std::bad_alloc&) {
    return Fail(2, "not enough memory for this in a page");
  } catch (const std::exception& exception) {
    return Fail(2, exception.what());
  }
}

}  // namespace sstable::tools

using sstable::tools::arguments;
using sstable::tools::result;

// Allocates `size` bytes for argument `n` of the next call.
SST_EXPORT char* sst_argument(int n, uint32_t size) {
  arguments[n].assign(size, '\0');
  return &arguments[n][0];
}

SST_EXPORT const char* sst_result() { return result.data(); }
SST_EXPORT uint32_t sst_result_size() { return static_cast<uint32_t>(result.size()); }
