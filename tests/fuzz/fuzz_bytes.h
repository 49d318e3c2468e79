// Takes choices from the front of a fuzzer's input.
#ifndef SSTABLE_TESTS_FUZZ_FUZZ_BYTES_H_
#define SSTABLE_TESTS_FUZZ_FUZZ_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace sstable::fuzz {

// After the end of the input, choices are zero and strings empty.
class FuzzBytes {
 public:
  explicit FuzzBytes(absl::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return bytes_.empty(); }
  absl::string_view rest() const { return bytes_; }

  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  bool Bool() { return (Byte() & 1) != 0; }

  // Returns a number from `least` to `most`, which may differ by at most 255.
  int Between(int least, int most) { return least + Byte() % (most - least + 1); }

  // Returns up to `max_size` bytes, at most 255.
  absl::string_view String(size_t max_size) {
    const size_t size = std::min<size_t>({Byte(), max_size, bytes_.size()});
    const absl::string_view string = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return string;
  }

 private:
  absl::string_view bytes_;
};

}  // namespace sstable::fuzz

#endif  // SSTABLE_TESTS_FUZZ_FUZZ_BYTES_H_
