// How the page calls the core. Overview: web/README.md.
//
// A function returns 0, or 1 if it failed. sst_result() is then its result (JSON unless the
// function says otherwise) or its error message. The result, and the memory that sst_argument()
// returns, are valid until the next call. JavaScript's numbers are doubles, so offsets are exact
// below 2^53.
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

// Returns the decoder's format and doubt (decode/entry_decoder.h); null if `decoder` is null.
Json DecoderJson(const EntryDecoder* decoder);

// Calls `work`, which returns a status. Out of memory is reported like any other failure.
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
