// The bytes of a value as V8 and Blink write them, read from the front.
#ifndef SSTABLE_DECODE_V8_INPUT_H_
#define SSTABLE_DECODE_V8_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

// Functions that read return false if the bytes are malformed. reason() describes the first
// failure.
class V8Input {
 public:
  explicit V8Input(absl::string_view bytes) : all_(bytes), rest_(bytes) {}

  size_t offset() const { return all_.size() - rest_.size(); }
  size_t left() const { return rest_.size(); }
  void set_offset(size_t offset) { rest_ = all_.substr(offset); }
  const std::string& reason() const { return reason_; }

  bool Fail(absl::string_view reason) {
    if (reason_.empty()) reason_ = absl::StrCat(reason, " at ", offset());
    return false;
  }

  bool Varint(uint64_t* number) { return ConsumeVarint64(&rest_, number) || Fail("no number"); }
  bool Varint32(uint32_t* number) { return ConsumeVarint32(&rest_, number) || Fail("no number"); }
  bool Take(uint64_t size, absl::string_view* bytes) {
    if (size > rest_.size())
      return Fail(absl::StrCat("size ", size, " of ", rest_.size(), " bytes"));
    *bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }
  bool Sized(absl::string_view* bytes) {
    uint64_t size = 0;
    return Varint(&size) && Take(size, bytes);
  }
  bool Real(double* real) {
    absl::string_view bytes;
    if (!Take(sizeof(*real), &bytes)) return false;
    std::memcpy(real, bytes.data(), sizeof(*real));
    return true;
  }
  // Returns the next tag, after any padding, without reading it; 0 at the end.
  char Peek() {
    while (!rest_.empty() && rest_.front() == 0) rest_.remove_prefix(1);
    return rest_.empty() ? '\0' : rest_.front();
  }
  char Tag() {
    const char tag = Peek();
    if (!rest_.empty()) rest_.remove_prefix(1);
    return tag;
  }
  bool Consume(char tag) {
    if (Peek() != tag) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool BadTag(char tag) {
    rest_ = all_.substr(offset() - (tag == 0 ? 0 : 1));
    return Fail(tag == 0 ? "no tag"
                         : absl::StrCat("tag 0x", absl::Hex(static_cast<unsigned char>(tag))));
  }

 private:
  const absl::string_view all_;
  absl::string_view rest_;
  std::string reason_;
};

// Returns the entry of `types` with this tag; null if there is none.
template <typename Type, size_t N>
const Type* Find(const Type (&types)[N], char tag) {
  for (const Type& type : types) {
    if (type.tag == tag) return &type;
  }
  return nullptr;
}

}  // namespace sstable

#endif  // SSTABLE_DECODE_V8_INPUT_H_
