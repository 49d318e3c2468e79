// Finds a key in a block without rebuilding the keys on the way.
#ifndef SSTABLE_TABLE_BLOCK_BLOCK_SEARCH_H_
#define SSTABLE_TABLE_BLOCK_BLOCK_SEARCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "table/block/block.h"
#include "table/block/key_order.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {

// Calls `prefetch` with offsets in a block of `size` bytes that a search will probably touch: its
// tail, and restart points, which are about `restart_distance` bytes apart. Few of them, however
// large the block: that of one large value is no reason to ask for all of it.
template <typename Prefetch>
inline void ForEachPrefetch(size_t size, size_t restart_distance, Prefetch prefetch) {
  prefetch(size - sizeof(uint32_t));
  const size_t end = std::min<size_t>(size, 16 * restart_distance);
  for (size_t at = restart_distance; at + 256 < end; at += restart_distance) {
    prefetch(at);
    prefetch(at + 64);
  }
}

// The first entry whose key is not below the target.
struct BlockSearchResult {
  const char* entry = nullptr;  // where it starts; null if every key is below the target
  const char* next = nullptr;   // where the one behind it starts
  bool equal = false;           // its key is the target

  // Its key: TakeKey() puts it into the scratch buffer of the search.
  size_t shared = 0;
  absl::string_view key_suffix;
  absl::string_view TakeKey(KeyBuffer* scratch) const {
    scratch->Replace(shared, key_suffix);
    return scratch->view();
  }

  absl::string_view value;
};

// A search for a key in bytewise order, entry by entry from a restart point on, one entry a step.
//
// It remembers how many bytes of the target the last entry matched: one that shares more is still
// below it, so bytes are compared only where they can decide, and no key is rebuilt.
class BytewiseRun {
 public:
  enum class Step {
    kGoOn,       // the entry is below the target
    kFound,      // it is not; result() has it
    kEnd,        // there are no more entries
    kMalformed,  // EntryError() says why
  };

  BytewiseRun() = default;
  // From `start`, a restart point's entry, whose offset is not the block's end. `target` has
  // kCopySlack readable bytes behind it.
  BytewiseRun(const char* start, const Block& block, absl::string_view target)
      : p_(start), end_(block.end()), target_(target.data()), target_size_(target.size()) {}

  const char* position() const { return p_; }    // the next entry
  size_t key_size() const { return key_size_; }  // of the entry before

  // For the caller's convenience: steps to the end of the search.
  Step Run(BlockSearchResult* result) {
    Step step;
    do {
      step = Next(result);
    } while (step == Step::kGoOn);
    return step;
  }

  Step Next(BlockSearchResult* result) {
    if (ABSL_PREDICT_FALSE(p_ >= end_)) return Step::kEnd;
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p_, end_, &entry) || entry.shared > key_size_)) {
      return Step::kMalformed;
    }
    key_size_ = size_t{entry.shared} + entry.unshared;
    // An entry that shares more than what matched has, like the one before, a lower byte there.
    if (entry.shared <= matched_) {
      const size_t rest_size = target_size_ - entry.shared;
      const char* const rest = target_ + entry.shared;
      const size_t limit = std::min<size_t>(entry.unshared, rest_size);
      const size_t common = CommonPrefixSizeWide(entry.suffix, rest, limit);
      const auto byte_at = [common](const char* p) {
        return static_cast<unsigned char>(p[common]);
      };
      if (common == rest_size ||
          (entry.unshared > common && byte_at(entry.suffix) > byte_at(rest))) {
        const bool equal = common == rest_size && common == entry.unshared;
        *result = {p_, entry.next(), equal, entry.shared, entry.key_suffix(), entry.value()};
        return Step::kFound;
      }
      matched_ = entry.shared + common;
    }
    p_ = entry.next();
    return Step::kGoOn;
  }

 private:
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  const char* target_ = nullptr;
  size_t target_size_ = 0;
  size_t matched_ = 0;   // leading bytes of the target that the entry before has
  size_t key_size_ = 0;  // of the entry before
};

// The same for internal keys whose user keys are in bytewise order.
//
// What it remembers is how many bytes of the target's user key the last entry's whole key
// matched, and whether the byte behind those was lower. That tells the order of user keys; of
// two equal ones the tags decide, and the entry's is in its suffix unless the bytes shared reach
// into it. Where they do, as between versions of one user key, and wherever else the bytes of
// the entry before would be needed, a search that rebuilds keys has to be made instead.
class InternalRun {
 public:
  enum class Step { kGoOn, kFound, kEnd, kMalformed, kRebuild };

  InternalRun() = default;
  // As for BytewiseRun; `user_key` has kCopySlack readable bytes behind it.
  InternalRun(const char* start, const Block& block, absl::string_view user_key, uint64_t tag)
      : p_(start),
        end_(block.end()),
        target_(user_key.data()),
        target_size_(user_key.size()),
        tag_(tag) {}

  const char* position() const { return p_; }    // the next entry
  size_t key_size() const { return key_size_; }  // of the entry before

  Step Run(BlockSearchResult* result) {
    Step step;
    do {
      step = Next(result);
    } while (step == Step::kGoOn);
    return step;
  }

  Step Next(BlockSearchResult* result) {
    if (ABSL_PREDICT_FALSE(p_ >= end_)) return Step::kEnd;
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p_, end_, &entry) || entry.shared > key_size_)) {
      return Step::kMalformed;
    }
    key_size_ = size_t{entry.shared} + entry.unshared;
    const size_t user_key_size = key_size_ < kTagSize ? key_size_ : key_size_ - kTagSize;
    const bool is_known = entry.shared > matched_;  // and the byte behind what matched is as before
    if (!is_known) {
      const size_t limit = std::min<size_t>(entry.unshared, target_size_ - entry.shared);
      const size_t common = CommonPrefixSizeWide(entry.suffix, target_ + entry.shared, limit);
      matched_ = entry.shared + common;
      is_lower_ = common < limit && static_cast<unsigned char>(entry.suffix[common]) <
                                        static_cast<unsigned char>(target_[matched_]);
    }
    bool is_below, is_equal = false;
    if (matched_ < std::min(user_key_size, target_size_)) {
      is_below = is_lower_;
    } else if (user_key_size != target_size_) {
      is_below = user_key_size < target_size_;
    } else {
      if (is_known) return Step::kRebuild;
      const uint64_t tag = ExtractTag(entry.key_suffix());
      is_below = tag > tag_;  // the newest version comes first
      is_equal = tag == tag_;
    }
    if (!is_below) {
      if (is_known) return Step::kRebuild;  // the result would need bytes of the entry before
      *result = {p_, entry.next(), is_equal, entry.shared, entry.key_suffix(), entry.value()};
      return Step::kFound;
    }
    p_ = entry.next();
    return Step::kGoOn;
  }

 private:
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  const char* target_ = nullptr;  // its user key
  size_t target_size_ = 0;
  uint64_t tag_ = 0;
  size_t matched_ = 0;     // leading bytes of target_ that the entry before has, tag included
  bool is_lower_ = false;  // the byte behind those, if both have one, is lower than the target's
  size_t key_size_ = 0;    // of the entry before
};

// The restart point that a search for `target` starts from: the last one with a key below it, or
// else the first one. The block has entries. DataLoss for a malformed restart point.
absl::Status FindRestart(const Block& block, const KeyOrder& order, absl::string_view target,
                         uint32_t* restart);

// Where a bytewise search for `target` starts, as FindRestart() has it.
absl::Status FindRestartBytewise(const Block& block, absl::string_view target, const char** start);

// Searches `block` for `target`. Binary search over the restart points, then entry by entry from
// the last one below the target: by a BytewiseRun or InternalRun, or in other orders rebuilding
// each key in `*scratch`, which the target is no view into. Errors: DataLoss, with the offset in
// the block, for the first malformed entry it meets. `*result` is then worth nothing.
absl::Status SearchBlock(const Block& block, const KeyOrder& order, absl::string_view target,
                         KeyBuffer* scratch, BlockSearchResult* result);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_SEARCH_H_
