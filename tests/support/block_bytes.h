// Blocks encoded by hand, so that tests of readers don't depend on the builder, and can use blocks
// that it would not write.
#ifndef SSTABLE_TESTS_SUPPORT_BLOCK_BYTES_H_
#define SSTABLE_TESTS_SUPPORT_BLOCK_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace sstable::test {

// A copy of some bytes followed by exactly kCopySlack readable bytes, so that AddressSanitizer
// detects a read past those.
class PaddedBytes {
 public:
  explicit PaddedBytes(absl::string_view bytes);
  absl::string_view view() const { return absl::string_view(bytes_.get(), size_); }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_;
};

// Returns varint32 shared, varint32 unshared, varint32 value_size, suffix, value.
std::string EncodeEntry(uint32_t shared, absl::string_view suffix, absl::string_view value);

// Returns only the three sizes, for an entry whose bytes are missing.
std::string EncodeEntrySizes(uint32_t shared, uint32_t unshared, uint32_t value_size);

// Returns a fixed32 for each restart point, then their number as a fixed32.
std::string EncodeRestarts(const std::vector<uint32_t>& restarts);

// How a block is encoded. Every combination yields a valid block.
struct BlockShape {
  int restart_interval = 16;
  size_t max_shared = std::numeric_limits<size_t>::max();  // some writers share less than possible
};

// Returns a block with these entries in this order.
std::string EncodeBlock(const std::vector<std::pair<std::string, std::string>>& entries,
                        const BlockShape& shape = {});

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_BLOCK_BYTES_H_
