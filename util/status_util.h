// The two status macros, and what errors say of places and exceptions. No other public header
// includes this one, so a program that has such macros already can do without.
#ifndef SSTABLE_UTIL_STATUS_UTIL_H_
#define SSTABLE_UTIL_STATUS_UTIL_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace sstable {

// `status` with "`place`: " in front of its message. The decoder names the field; block and file
// are each put in front once, on the way out.
inline absl::Status AtPlace(absl::string_view place, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(place, ": ", status.message()));
}

// True if reading ended at a limit of the reader: neither damage nor a failure of the device.
inline bool IsLimit(const absl::Status& status) { return absl::IsOutOfRange(status); }

// Whether what failed may succeed later: a device may work again, but bytes that are wrong stay
// wrong.
inline bool IsTransient(const absl::Status& status) {
  return !status.ok() && !absl::IsDataLoss(status) && !absl::IsUnimplemented(status) &&
         !IsLimit(status);
}

// The status of the exception that is being handled: ResourceExhausted for std::bad_alloc, else
// Unknown. Call it in a catch clause only. An object whose operation threw keeps this status, since
// what the operation had done by then is not known. If there is no memory for a message, it has
// none.
absl::Status StatusOfException() noexcept;

}  // namespace sstable

// Returns the absl::Status that `expression` gives, unless it is OK.
#define RETURN_IF_ERROR(expression)                          \
  do {                                                       \
    absl::Status status_macro_value = (expression);          \
    if (!status_macro_value.ok()) return status_macro_value; \
  } while (false)

#define SSTABLE_STATUS_CONCAT_(a, b) a##b
#define SSTABLE_STATUS_NAME_(a, b) SSTABLE_STATUS_CONCAT_(a, b)

// ASSIGN_OR_RETURN(auto x, F()): x is F()'s value, or the enclosing function returns F()'s error.
// It makes several statements, so it can't be the body of an `if` without braces.
#define ASSIGN_OR_RETURN(lhs, expression) \
  SSTABLE_ASSIGN_OR_RETURN_(SSTABLE_STATUS_NAME_(status_or_, __LINE__), lhs, expression)
#define SSTABLE_ASSIGN_OR_RETURN_(name, lhs, expression) \
  auto name = (expression);                              \
  if (!name.ok()) return std::move(name).status();       \
  lhs = *std::move(name)

#endif  // SSTABLE_UTIL_STATUS_UTIL_H_
