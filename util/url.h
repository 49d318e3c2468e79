// URLs as they are shown in messages.
#ifndef SSTABLE_UTIL_URL_H_
#define SSTABLE_UTIL_URL_H_

#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Removes user, password, query and fragment, which may be secret, from a URL. If the host may be
// part of a password, only the scheme is kept. Text that is not a URL is returned unchanged.
std::string WithoutUrlSecrets(absl::string_view text);

}  // namespace sstable

#endif  // SSTABLE_UTIL_URL_H_
