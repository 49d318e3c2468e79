// The two status macros, and helpers for errors. No public header includes this one, so its macros
// can't clash with a program's own.
#ifndef SSTABLE_UTIL_STATUS_UTIL_H_
#define SSTABLE_UTIL_STATUS_UTIL_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sstable {

// Returns `status` with "`place`: " in front of its message. The decoder names the field; block and
// file are each added once, on the way out.
inline absl::Status AtPlace(absl::string_view place, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

// True if reading ended at a limit of the reader: neither damage nor a failure of the device.
inline bool IsLimit(const absl::Status& status) { return absl::IsOutOfRange(status); }

// True if the failed call may succeed later: a device may recover, but wrong bytes stay wrong.
inline bool IsTransient(const absl::Status& status) {
  return !status.ok() && !absl::IsDataLoss(status) && !absl::IsUnimplemented(status) &&
         !IsLimit(status);
}

// Returns the status for the exception that is being handled: ResourceExhausted for std::bad_alloc,
// otherwise Unknown. Call it only in a catch clause. An object whose operation threw keeps this
// status, since its state is not known. The message is empty if there is no memory for one.
absl::Status StatusOfException() noexcept;

}  // namespace sstable

// Returns the status of `expression` from the enclosing function, unless it is OK.
#define RETURN_IF_ERROR(expression)                          \
  do {                                                       \
    absl::Status status_macro_value = (expression);          \
    if (!status_macro_value.ok()) return status_macro_value; \
  } while (false)

#define SSTABLE_STATUS_CONCAT_(a, b) a##b
#define SSTABLE_STATUS_NAME_(a, b) SSTABLE_STATUS_CONCAT_(a, b)

// ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the enclosing function returns F()'s error.
// It expands to several statements, so it can't be the body of an `if` without braces.
#define ASSIGN_OR_RETURN(lhs, expression) \
  SSTABLE_ASSIGN_OR_RETURN_(SSTABLE_STATUS_NAME_(status_or_, __LINE__), lhs, expression)
#define SSTABLE_ASSIGN_OR_RETURN_(name, lhs, expression) \
  auto name = (expression);                              \
  if (!name.ok()) return std::move(name).status();       \
  lhs = *std::move(name)

#endif  // SSTABLE_UTIL_STATUS_UTIL_H_
