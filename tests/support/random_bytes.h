// Reproducible random keys for property tests; print the seed in the failure text.
#ifndef SSTABLE_TESTS_SUPPORT_RANDOM_BYTES_H_
#define SSTABLE_TESTS_SUPPORT_RANDOM_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

using Rng = std::mt19937_64;

// Returns a number from 0 to `max`, inclusive.
inline uint64_t RandomUpTo(Rng& rng, uint64_t max) {
  return std::uniform_int_distribution<uint64_t>(0, max)(rng);
}

// `size` random bytes.
inline std::string RandomBytes(Rng& rng, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng());
  return bytes;
}

// Returns `size` bytes from `alphabet`. A small alphabet makes keys that share prefixes.
inline std::string RandomBytesOf(Rng& rng, size_t size, absl::string_view alphabet) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = alphabet[RandomUpTo(rng, alphabet.size() - 1)];
  return bytes;
}

// A copy of some bytes with nothing after it, so that AddressSanitizer detects a read past the end.
class ExactCopy {
 public:
  explicit ExactCopy(absl::string_view bytes) : data_(new char[bytes.size()]), size_(bytes.size()) {
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), size_);
  }
  absl::string_view view() const { return absl::string_view(data_.get(), size_); }

 private:
  std::unique_ptr<char[]> data_;
  size_t size_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_RANDOM_BYTES_H_
