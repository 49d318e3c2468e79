#include "util/url.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace sstable {
namespace {

bool IsScheme(absl::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '-' || c == '.';
  });
}

// Returns true if `host` has nothing after a colon but a port.
bool IsHostAndPort(absl::string_view host) {
  const size_t colon = host.rfind(':');
  if (colon == host.npos || host.back() == ']') return true;
  const absl::string_view port = host.substr(colon + 1);
  return std::all_of(port.begin(), port.end(), absl::ascii_isdigit);
}

}  // namespace

std::string WithoutUrlSecrets(absl::string_view text) {
  const size_t scheme_size = text.find("://");
  if (scheme_size == text.npos || !IsScheme(text.substr(0, scheme_size))) return std::string(text);
  // libcurl ignores a third slash.
  const size_t start = std::min(text.find_first_not_of('/', scheme_size + 1), text.size());
  const absl::string_view rest = text.substr(start, text.find_first_of("?#", start) - start);
  const absl::string_view authority = rest.substr(0, rest.find('/'));
  const absl::string_view host = authority.substr(authority.rfind('@') + 1);
  const absl::string_view scheme = text.substr(0, scheme_size + 3);
  // If a password contains "/", "?" or "#", its first part is where the port would be.
  if (!IsHostAndPort(host)) return absl::StrCat(scheme, "...");
  return absl::StrCat(scheme, host, rest.substr(authority.size()));
}

}  // namespace sstable
