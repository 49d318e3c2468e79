#include "web/core/call.h"

#include <cstdint>

namespace sstable::tools {

std::string arguments[2];
std::string result;

void SetResult(const Json& json) {
  result = json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json DecoderJson(const EntryDecoder* decoder) {
  if (decoder == nullptr) return Json();
  return {{"format", std::string(decoder->format())}, {"doubt", JsonText(decoder->doubt())}};
}

int Finish(const absl::Status& status) {
  if (status.ok()) return 0;
  result = JsonText(status.message());
  return 1;
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
