// The type of the parameters that take bytes.
#ifndef SSTABLE_SLICE_H_
#define SSTABLE_SLICE_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "absl/strings/string_view.h"

namespace sstable {

// An absl::string_view to which more types convert: any with data() and size() over char. So the
// API takes std::string_view (which, depending on how Abseil was built, may be a different type
// from absl::string_view), std::string, leveldb::Slice, std::vector<char> and C strings. What the
// API returns is an absl::string_view.
//
// Lifetime: it is a view. A call that keeps the bytes copies them, unless it says otherwise.
class Slice : public absl::string_view {
 public:
  constexpr Slice() = default;
  constexpr Slice(const char* data, size_t size) : absl::string_view(data, size) {}
  constexpr Slice(absl::string_view bytes) : absl::string_view(bytes) {}
  Slice(const char* c_string) : absl::string_view(c_string) {}

  template <typename Bytes, typename = std::enable_if_t<std::is_same_v<
                                char, std::remove_cv_t<std::remove_pointer_t<
                                          decltype(std::declval<const Bytes&>().data())>>>>>
  constexpr Slice(const Bytes& bytes) : absl::string_view(bytes.data(), bytes.size()) {}
};

}  // namespace sstable

#endif  // SSTABLE_SLICE_H_
