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
// tail, and a limited number of restart points, or of entries if it has one such point, which are
// about `stride` bytes apart.
template <typename Prefetch>
inline void ForEachPrefetch(size_t size, size_t stride, Prefetch prefetch) {
  prefetch(size - sizeof(uint32_t));
  const size_t end = std::min<size_t>(size, 16 * stride);
  for (size_t at = stride; at + 256 < end; at += stride) {
    prefetch(at);
    prefetch(at + 64);
  }
}

// The first entry whose key is not below the target.
struct BlockSearchResult {
  const char* entry = nullptr;  // where it starts; null if every key is below the target
  const char* next = nullptr;   // where the next one starts
  bool has_user_key = false;    // its user key is the target's; of plain keys, it is the target

  // Its key: TakeKey() puts it into the scratch buffer of the search.
  size_t shared = 0;
  absl::string_view key_suffix;
  absl::string_view TakeKey(KeyBuffer* scratch) const {
    scratch->Replace(shared, key_suffix);
    return scratch->view();
  }

  absl::string_view value;
};

// What one step of a search says of the entry that it looked at.
enum class RunStep {
  kGoOn,       // it is below the target
  kFound,      // it is not: the result of the search
  kEnd,        // there are no more entries
  kMalformed,  // EntryError() says why
  kRebuild,    // only a search that rebuilds keys can decide
};

// A search from a restart point on, one entry a step. `Target` says of each entry in turn whether
// it is below, from what it remembers of those before it, so that no key is rebuilt.
template <typename Target>
class EntryRun {
 public:
  EntryRun() = default;
  // From `start`, a restart point's entry, whose offset is not the block's end.
  EntryRun(const char* start, const Block& block, const Target& target)
      : p_(start), end_(block.end()), target_(target) {}

  const char* position() const { return p_; }    // the next entry
  size_t key_size() const { return key_size_; }  // of the entry before

  // Steps to the end of the search.
  RunStep Run(BlockSearchResult* result) {
    RunStep step;
    do {
      step = Next(result);
    } while (step == RunStep::kGoOn);
    return step;
  }

  // Sets `*result` if it returns kFound.
  RunStep Next(BlockSearchResult* result) {
    if (ABSL_PREDICT_FALSE(p_ >= end_)) return RunStep::kEnd;
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p_, end_, &entry) || entry.shared > key_size_)) {
      return RunStep::kMalformed;
    }
    key_size_ = size_t{entry.shared} + entry.unshared;
    bool has_user_key = false;
    const RunStep step = target_.Judge(entry, &has_user_key);
    if (step == RunStep::kGoOn) {
      p_ = entry.next();
    } else if (step == RunStep::kFound) {
      *result = {p_, entry.next(), has_user_key, entry.shared, entry.key_suffix(), entry.value()};
    }
    return step;
  }

 private:
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  Target target_;
  size_t key_size_ = 0;  // of the entry before
};

// A key in bytewise order.
//
// Remembers how many bytes of the target the last entry matched: one that shares more is still
// below it, so bytes are compared only where they can decide.
class BytewiseTarget {
 public:
  BytewiseTarget() = default;
  // kCopySlack readable bytes follow `key`.
  explicit BytewiseTarget(absl::string_view key) : key_(key.data()), size_(key.size()) {}

  RunStep Judge(const BlockEntry& entry, bool* has_user_key) {
    // An entry that shares more than what matched has, like the one before, a lower byte there.
    if (entry.shared > matched_) return RunStep::kGoOn;
    const size_t rest_size = size_ - entry.shared;
    const char* const rest = key_ + entry.shared;
    const size_t limit = std::min<size_t>(entry.unshared, rest_size);
    const size_t common = CommonPrefixSizeWide(entry.suffix, rest, limit);
    const auto byte_at = [common](const char* p) { return static_cast<unsigned char>(p[common]); };
    if (common == rest_size || (entry.unshared > common && byte_at(entry.suffix) > byte_at(rest))) {
      *has_user_key = common == rest_size && common == entry.unshared;
      return RunStep::kFound;
    }
    matched_ = entry.shared + common;
    return RunStep::kGoOn;
  }

 private:
  const char* key_ = nullptr;
  size_t size_ = 0;
  size_t matched_ = 0;  // leading bytes of the key that the entry before has
};
using BytewiseRun = EntryRun<BytewiseTarget>;

// An internal key, where user keys are in bytewise order.
//
// Remembers how many bytes of the target's user key the last entry's whole key matched, and whether
// the byte after those was lower. That decides between different user keys. Between equal ones the
// tags decide, and the entry's is in its suffix unless the bytes shared reach into it. If they do,
// as between versions of one user key, or if bytes of the entry before are needed otherwise, keys
// must be rebuilt.
class InternalTarget {
 public:
  InternalTarget() = default;
  // kCopySlack readable bytes follow `user_key`.
  InternalTarget(absl::string_view user_key, uint64_t tag)
      : user_key_(user_key.data()), size_(user_key.size()), tag_(tag) {}

  RunStep Judge(const BlockEntry& entry, bool* has_user_key) {
    const size_t key_size = size_t{entry.shared} + entry.unshared;
    const size_t user_key_size = key_size < kTagSize ? key_size : key_size - kTagSize;
    const bool is_known = entry.shared > matched_;  // the byte after what matched is as before
    if (!is_known) {
      const size_t limit = std::min<size_t>(entry.unshared, size_ - entry.shared);
      const size_t common = CommonPrefixSizeWide(entry.suffix, user_key_ + entry.shared, limit);
      matched_ = entry.shared + common;
      is_lower_ = common < limit && static_cast<unsigned char>(entry.suffix[common]) <
                                        static_cast<unsigned char>(user_key_[matched_]);
    }
    bool is_below;
    if (matched_ < std::min(user_key_size, size_)) {
      is_below = is_lower_;
    } else if (user_key_size != size_) {
      is_below = user_key_size < size_;
    } else {
      if (is_known) return RunStep::kRebuild;
      is_below = ExtractTag(entry.key_suffix()) > tag_;  // the newest version comes first
      *has_user_key = true;
    }
    if (is_below) return RunStep::kGoOn;
    return is_known ? RunStep::kRebuild : RunStep::kFound;  // a result needs the bytes shared
  }

 private:
  const char* user_key_ = nullptr;
  size_t size_ = 0;
  uint64_t tag_ = 0;
  size_t matched_ = 0;     // leading bytes of user_key_ that the entry before has, tag included
  bool is_lower_ = false;  // the byte after those, if both have one, is lower than the target's
};
using InternalRun = EntryRun<InternalTarget>;

// The restart point that a search for `target` starts from: the last one with a key below it, or
// else the first one. The block has entries. DataLoss for a malformed restart point.
absl::Status FindRestart(const Block& block, const KeyOrder& order, const LookupKey& target,
                         uint32_t* restart);

// Where a search for `target` starts, as FindRestart() has it; only in one of the bytewise orders.
absl::Status FindRunStart(const Block& block, KeyOrder::Shape shape, const LookupKey& target,
                          const char** start);

// Searches `block` for `target`. Binary search over the restart points, then entry by entry from
// the last one below the target: by a BytewiseRun or InternalRun, or in other orders rebuilding
// each key in `*scratch`, which `target` must not point into. Errors: DataLoss, with the offset in
// the block, for the first malformed entry; `*result` is then meaningless.
absl::Status SearchBlock(const Block& block, const KeyOrder& order, const LookupKey& target,
                         KeyBuffer* scratch, BlockSearchResult* result);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_SEARCH_H_
