#include "remote/http_file.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "remote/http_client.h"
#include "util/status_util.h"
#include "util/url.h"

namespace sstable {
namespace {

// The most recently read pieces of a file.
//
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

// A small file, kept in memory.
class WholeFile final : public RandomAccessFile {
 public:
  WholeFile(std::string name, std::string contents)
      : RandomAccessFile(std::move(name), contents.size()), contents_(std::move(contents)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    contents_.copy(dst, size, offset);
    return absl::OkStatus();
  }
  std::optional<absl::string_view> Contents() const override { return contents_; }

 private:
  const std::string contents_;
};

class HttpFile final : public RandomAccessFile {
 public:
  HttpFile(std::string name, const HttpFileOptions& options, std::unique_ptr<HttpClient> client,
           HttpFileTail tail)
      : RandomAccessFile(std::move(name), tail.identity.size),
        options_(options),
        client_(std::move(client)),
        identity_(std::move(tail.identity)),
        cache_(options.cache_size) {
    AddToCache(size() - tail.bytes.size(), tail.bytes);
  }

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    assert(offset <= this->size() && size <= this->size() - offset);
    while (size > 0) {
      const uint64_t piece = offset / options_.piece_size;
      const size_t piece_offset = static_cast<size_t>(offset % options_.piece_size);
      size_t count = std::min(size, options_.piece_size - piece_offset);
      if (!cache_.Copy(piece, piece_offset, count, dst)) {
        const uint64_t begin = offset - piece_offset;
        ASSIGN_OR_RETURN(const std::string bytes, FetchMissing(begin, offset + size));
        count = std::min(size, bytes.size() - piece_offset);
        bytes.copy(dst, count, piece_offset);
      }
      offset += count;
      dst += count;
      size -= count;
    }
    return absl::OkStatus();
  }

 private:
  // Requests the piece at `begin` and the uncached pieces right after it, as far as `end`;
  // sometimes also some read-ahead.
  absl::StatusOr<std::string> FetchMissing(uint64_t begin, uint64_t end) const {
    const uint64_t max_end = begin + std::max(options_.max_request_size, options_.piece_size);
    uint64_t missing_end = begin + options_.piece_size;
    while (missing_end < std::min(end, max_end) &&
           !cache_.Contains(missing_end / options_.piece_size)) {
      missing_end += options_.piece_size;
    }
    missing_end = std::min(missing_end + ReadAhead(begin, missing_end), size());
    ASSIGN_OR_RETURN(std::string bytes,
                     client_->Fetch(identity_, begin, static_cast<size_t>(missing_end - begin)));
    AddToCache(begin, bytes);
    const std::lock_guard<std::mutex> lock(mutex_);
    last_end_ = missing_end;
    return bytes;
  }

  // Returns how many bytes to request after `end`: none, unless the reads are sequential.
  uint64_t ReadAhead(uint64_t begin, uint64_t end) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const uint64_t wanted = begin == last_end_ ? 2 * std::max(end - begin, read_ahead_) : 0;
    read_ahead_ = std::min<uint64_t>(wanted, options_.max_read_ahead);
    read_ahead_ -= read_ahead_ % options_.piece_size;
    return read_ahead_;
  }

  void AddToCache(uint64_t offset, absl::string_view bytes) const {
    const size_t piece_size = options_.piece_size;
    // The tail may begin inside a piece.
    const size_t skipped = static_cast<size_t>((piece_size - offset % piece_size) % piece_size);
    if (skipped >= bytes.size()) return;
    offset += skipped;
    bytes.remove_prefix(skipped);
    while (!bytes.empty()) {
      cache_.Add(offset / piece_size, bytes.substr(0, piece_size));
      offset += piece_size;
      bytes.remove_prefix(std::min(piece_size, bytes.size()));
    }
  }

  const HttpFileOptions options_;
  const std::unique_ptr<HttpClient> client_;
  const HttpFileIdentity identity_;
  mutable PieceCache cache_;

  mutable std::mutex mutex_;                  // guards the next two
  mutable uint64_t last_end_ = ~uint64_t{0};  // where the last request ended
  mutable uint64_t read_ahead_ = 0;           // bytes read ahead by the last request
};

}  // namespace

bool HttpRetryBudget::Charge(std::chrono::milliseconds time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  time_left_ -= time;
  if (retries_left_ <= 0 || time_left_ <= std::chrono::milliseconds(0)) return false;
  --retries_left_;
  return true;
}

bool IsHttpUrl(absl::string_view text) {
  return absl::StartsWithIgnoreCase(text, "http://") ||
         absl::StartsWithIgnoreCase(text, "https://");
}

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenHttpFile(absl::string_view url,
                                                               const HttpFileOptions& options) {
  if (!IsHttpUrl(url) || url.find('\0') != url.npos) {
    return absl::InvalidArgumentError("not a URL with http:// or https://");
  }
  if (options.piece_size == 0 || options.tail_size == 0 || options.max_request_size == 0) {
    return absl::InvalidArgumentError(
        "HttpFileOptions: piece_size, tail_size and max_request_size are at least 1");
  }
  std::string name = WithoutUrlSecrets(url);
  auto client = std::make_unique<HttpClient>(std::string(url), options);
  absl::StatusOr<HttpFileTail> tail = client->FetchTail();
  if (!tail.ok()) return AtPlace(name, tail.status());
  if (tail->bytes.size() == tail->identity.size) {
    return std::make_unique<WholeFile>(std::move(name), std::move(tail->bytes));
  }
  return std::make_unique<HttpFile>(std::move(name), options, std::move(client), *std::move(tail));
}

}  // namespace sstable
