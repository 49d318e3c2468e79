// Helpers for the functions of sstable/c.h: convert statuses to codes, and C's pointers and numbers
// to C++.
#ifndef SSTABLE_C_C_SUPPORT_H_
#define SSTABLE_C_C_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/c.h"
#include "util/status_util.h"

namespace sstable {

inline constexpr char kNoMemory[] = "out of memory";

// Returns a NUL-terminated copy, to be freed by sstable_free(); null if out of memory.
char* CopyForC(absl::string_view bytes);

// Returns the code of an error, and sets `*message` as sstable/c.h requires.
sstable_code Report(sstable_code code, absl::string_view text, char** message);
sstable_code Report(const absl::Status& status, char** message);

// Calls `function` and reports its status. The library throws no exceptions of its own, but an
// allocation may.
template <typename Function>
sstable_code Guard(char** message, Function function) {
  try {
    return Report(function(), message);
  } catch (const std::bad_alloc&) {
    return Report(SSTABLE_RESOURCE_EXHAUSTED, kNoMemory, message);
  } catch (const std::exception& exception) {
    return Report(SSTABLE_UNKNOWN, exception.what(), message);
  }
}

template <typename T>
T* NewOrNull() {
  try {
    return new T();  // owned by C, until it calls a destroy function
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

inline absl::Status NotNull(const void* pointer, absl::string_view name) {
  if (pointer != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, " is NULL"));
}

inline absl::StatusOr<absl::string_view> Bytes(const void* data, size_t size,
                                               absl::string_view name) {
  if (size > 0) RETURN_IF_ERROR(NotNull(data, name));
  return absl::string_view(static_cast<const char*>(data), size);
}

// Reads a sequence of byte strings that are concatenated in C's memory. Borrows them.
class ItemsOfC {
 public:
  // Returns InvalidArgument for a null pointer where one is not allowed.
  static absl::StatusOr<ItemsOfC> Make(size_t count, const void* data, const size_t* sizes,
                                       absl::string_view name) {
    if (count > 0) RETURN_IF_ERROR(NotNull(sizes, absl::StrCat(name, "_sizes")));
    if (data == nullptr) {
      for (size_t i = 0; i < count; ++i) {
        if (sizes[i] > 0) RETURN_IF_ERROR(NotNull(data, absl::StrCat(name, "s")));
      }
      data = "";
    }
    return ItemsOfC(static_cast<const char*>(data), sizes);
  }

  absl::string_view Next() {
    const absl::string_view item(next_, *next_size_++);
    next_ += item.size();
    return item;
  }

 private:
  ItemsOfC(const char* data, const size_t* sizes) : next_(data), next_size_(sizes) {}

  const char* next_;
  const size_t* next_size_;
};

// Converts a number from 0 to `max` to an enum.
template <typename Enum>
absl::StatusOr<Enum> ToEnum(int number, Enum max, absl::string_view name) {
  if (number >= 0 && number <= static_cast<int>(max)) return static_cast<Enum>(number);
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is ", number, ", expected 0 to ", static_cast<int>(max)));
}

// Passes ownership of `object`, if there is one, to C.
template <typename T>
absl::Status Give(absl::StatusOr<std::unique_ptr<T>> object, T** to) {
  if (object.ok()) *to = object->release();
  return object.status();
}

}  // namespace sstable

#endif  // SSTABLE_C_C_SUPPORT_H_
