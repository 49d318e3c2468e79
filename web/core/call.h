// How the page calls the core. Overview: web/README.md.
//
// A function returns 0; 1 if it failed; or 2 if it failed and the core must not be used any more,
// as after running out of memory. sst_result() is then its result (JSON unless the function says
// otherwise) or its error message. The result, and the memory that sst_argument() returns, are
// valid until the next call. JavaScript's numbers are doubles, so offsets are exact below 2^53.
#ifndef SSTABLE_WEB_CORE_CALL_H_
#define SSTABLE_WEB_CORE_CALL_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "decode/entry_decoder.h"
#include "report/json.h"
#include "sstable/experimental/table_salvage.h"

// build.sh exports these functions to JavaScript.
#define SST_EXPORT extern "C"

namespace sstable::tools {

extern std::string arguments[2];
extern std::string result;

void SetResult(const Json& json);

// Returns the decoder's format and doubt (decode/entry_decoder.h); null if `decoder` is null.
Json DecoderJson(const EntryDecoder* decoder);

// Calls `work`, and returns what the function is to return: 2 if an exception ended it.
int Guarded(absl::FunctionRef<absl::Status()> work);

// Salvages the file of sst_open() like `sst salvage --decode auto`: passes the new table to
// JavaScript through sst_write(), and then calls `describe`. Keys are not decoded if it is large.
absl::Status SalvageTable(
    absl::FunctionRef<void(const Salvager&, bool is_written, const EntryDecoder*)> describe);

}  // namespace sstable::tools

#endif  // SSTABLE_WEB_CORE_CALL_H_
