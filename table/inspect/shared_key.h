// A copy of a key that is kept in several places.
#ifndef SSTABLE_TABLE_INSPECT_SHARED_KEY_H_
#define SSTABLE_TABLE_INSPECT_SHARED_KEY_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable {

// Copies share the bytes of a large key; a small one is copied, which is cheaper. A key can have 8
// MiB (in Chromium's IndexedDB), and the evidence of its order keeps it in a dozen places.
class SharedKey {
 public:
  void Assign(absl::string_view key) {
    if (key.size() <= kMostCopied) {
      large_.reset();
      small_.assign(key.data(), key.size());
    } else {
      small_.clear();
      large_ = std::make_shared<const std::string>(key);
    }
  }

  absl::string_view view() const { return large_ == nullptr ? small_ : *large_; }

 private:
  static constexpr size_t kMostCopied = 4096;

  std::string small_;                         // empty if it is a large one
  std::shared_ptr<const std::string> large_;  // null for a small key
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_SHARED_KEY_H_
