// URLs as messages may show them.
#ifndef SSTABLE_UTIL_URL_H_
#define SSTABLE_UTIL_URL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// A URL without user, password, query and fragment, which may be secret. If what stands for
// the host may be part of a password: only the scheme. Text that is no URL stays as it is.
std::string WithoutUrlSecrets(absl::string_view text);

}  // namespace sstable

#endif  // SSTABLE_UTIL_URL_H_
