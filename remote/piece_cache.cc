#include "remote/piece_cache.h"

#include <cassert>

namespace sstable {

bool PieceCache::Copy(uint64_t piece_index, size_t piece_offset, size_t size, char* dst) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_index_.find(piece_index);
  if (found == by_index_.end()) return false;
  pieces_.splice(pieces_.begin(), pieces_, found->second);
  const std::string& bytes = found->second->second;
  assert(piece_offset <= bytes.size() && size <= bytes.size() - piece_offset);
  bytes.copy(dst, size, piece_offset);
  return true;
}

bool PieceCache::Contains(uint64_t piece_index) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return by_index_.count(piece_index) > 0;
}

void PieceCache::Add(uint64_t piece_index, absl::string_view piece) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (piece.size() > max_size_ || by_index_.count(piece_index) > 0) return;
  while (piece.size() > max_size_ - size_) {
    size_ -= pieces_.back().second.size();
    by_index_.erase(pieces_.back().first);
    pieces_.pop_back();
  }
  pieces_.emplace_front(piece_index, std::string(piece));
  by_index_[piece_index] = pieces_.begin();
  size_ += piece.size();
}

}  // namespace sstable
