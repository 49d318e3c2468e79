// The most recently read pieces of a file.
#ifndef SSTABLE_REMOTE_PIECE_CACHE_H_
#define SSTABLE_REMOTE_PIECE_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/strings/string_view.h"

namespace sstable {

// Threads: safe to use concurrently.
class PieceCache {
 public:
  // Keeps at most `max_size` bytes of pieces.
  explicit PieceCache(size_t max_size) : max_size_(max_size) {}

  // Copies `size` bytes at `piece_offset` in a piece to `dst`; they must lie inside the piece.
  // Returns false if the piece is not cached.
  bool Copy(uint64_t piece_index, size_t piece_offset, size_t size, char* dst);

  bool Contains(uint64_t piece_index) const;

  void Add(uint64_t piece_index, absl::string_view piece);

 private:
  using Piece = std::pair<uint64_t, std::string>;  // index and bytes

  const size_t max_size_;
  mutable std::mutex mutex_;
  size_t size_ = 0;
  std::list<Piece> pieces_;  // the most recently used first
  std::unordered_map<uint64_t, std::list<Piece>::iterator> by_index_;
};

}  // namespace sstable

#endif  // SSTABLE_REMOTE_PIECE_CACHE_H_
