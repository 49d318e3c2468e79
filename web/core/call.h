// How the page calls the core; web/README.md says how they fit together.
//
// A function returns 0, or 1 if it failed. sst_result() is then its result, JSON unless the
// function says otherwise, or the error. It is valid until the next call, and so is the memory that
// sst_argument() returns. JavaScript's numbers are doubles, so offsets are exact below 2^53.
#ifndef SSTABLE_WEB_CORE_CALL_H_
#define SSTABLE_WEB_CORE_CALL_H_

#include <exception>
#include <new>
#include <string>

#include "absl/status/status.h"
#include "decode/entry_decoder.h"
#include "report/json.h"

// build.sh exports these functions to JavaScript.
#define SST_EXPORT extern "C"

namespace sstable::tools {

extern std::string arguments[2];
extern std::string result;

void SetResult(const Json& json);
int Finish(const absl::Status& status);

// The format that `decoder` decodes, and its doubt (decode/entry_decoder.h); null if it is null.
Json DecoderJson(const EntryDecoder* decoder);

// Runs `work`, which returns a status. Running out of memory is handled like any other failure.
template <typename Work>
int Guarded(const Work& work) {
  result.clear();
  try {
    return Finish(work());
  } catch (const std::bad_alloc&) {
    return Finish(absl::ResourceExhaustedError("not enough memory for this in a page"));
  } catch (const std::exception& exception) {
    return Finish(absl::InternalError(exception.what()));
  }
}

}  // namespace sstable::tools

#endif  // SSTABLE_WEB_CORE_CALL_H_
