// Finds a key in a block without rebuilding the keys of the entries that it passes.
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

// Calls `prefetch` with offsets in a block of `size` bytes that a search will probably touch: the
// end of the block, and a limited number of restart points about `stride` bytes apart, or of
// entries if there is only one restart point.
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
  bool has_user_key = false;    // its user key (or its plain key) equals the target's

  // The parts of its key, which BuildKey() puts together in the search's scratch buffer.
  size_t shared = 0;
  absl::string_view key_suffix;
  absl::string_view BuildKey(KeyBuffer* scratch) const {
    scratch->Replace(shared, key_suffix);
    return scratch->view();
  }

  absl::string_view value;
};

// The result of one step of a search for the entry that it examined.
enum class SearchStep {
  kContinue,       // it is below the target
  kFound,          // it is at or above the target, and so the result of the search
  kEnd,            // there are no more entries
  kMalformed,      // EntryError() says why
  kNeedsFullKeys,  // only a search that rebuilds keys can decide
};

// A search from a restart point, one entry per step. `Target` decides for each entry in turn
// whether it is below the target. It remembers enough of the previous entries to do so without
// rebuilding keys.
template <typename Target>
class EntrySearch {
 public:
  EntrySearch() = default;
  // `start` is the entry of a restart point, and not the block's end.
  EntrySearch(const char* start, const Block& block, const Target& target)
      : p_(start), end_(block.end()), target_(target) {}

  const char* position() const { return p_; }    // the next entry
  size_t key_size() const { return key_size_; }  // key size of the previous entry

  // Takes all steps.
  SearchStep Run(BlockSearchResult* result) {
    SearchStep step;
    do {
      step = Next(result);
    } while (step == SearchStep::kContinue);
    return step;
  }

  // Sets `*result` if it returns kFound.
  SearchStep Next(BlockSearchResult* result) {
    if (ABSL_PREDICT_FALSE(p_ >= end_)) return SearchStep::kEnd;
    BlockEntry entry;
    if (ABSL_PREDICT_FALSE(!DecodeEntry(p_, end_, &entry) || entry.shared > key_size_)) {
      return SearchStep::kMalformed;
    }
    key_size_ = size_t{entry.shared} + entry.unshared;
    bool has_user_key = false;
    const SearchStep step = target_.Judge(entry, &has_user_key);
    if (step == SearchStep::kContinue) {
      p_ = entry.next();
    } else if (step == SearchStep::kFound) {
      *result = {p_, entry.next(), has_user_key, entry.shared, entry.key_suffix(), entry.value()};
    }
    return step;
  }

 private:
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  Target target_;
  size_t key_size_ = 0;  // key size of the previous entry
};

// A target in bytewise order.
//
// Remembers how many bytes of the target the last entry matched: an entry that shares more is also
// below it, so bytes are compared only where they can decide.
class BytewiseTarget {
 public:
  BytewiseTarget() = default;
  // kCopySlack readable bytes follow `key`.
  explicit BytewiseTarget(absl::string_view key) : key_(key.data()), size_(key.size()) {}

  SearchStep Judge(const BlockEntry& entry, bool* has_user_key) {
    // An entry that shares more than the matched bytes also has the lower byte after them.
    if (entry.shared > matched_) return SearchStep::kContinue;
    const size_t rest_size = size_ - entry.shared;
    const char* const rest = key_ + entry.shared;
    const size_t limit = std::min<size_t>(entry.unshared, rest_size);
    const size_t common = CommonPrefixSizeWide(entry.suffix, rest, limit);
    const auto byte_at = [common](const char* p) { return static_cast<unsigned char>(p[common]); };
    if (common == rest_size || (entry.unshared > common && byte_at(entry.suffix) > byte_at(rest))) {
      *has_user_key = common == rest_size && common == entry.unshared;
      return SearchStep::kFound;
    }
    matched_ = entry.shared + common;
    return SearchStep::kContinue;
  }

 private:
  const char* key_ = nullptr;
  size_t size_ = 0;
  size_t matched_ = 0;  // how many leading bytes of the target the previous entry has
};
using BytewiseSearch = EntrySearch<BytewiseTarget>;

// An internal key as target; user keys are in bytewise order.
//
// Remembers how many bytes of the target's user key the last entry's full key matched, and whether
// the next byte was lower. That decides between different user keys. Between equal ones, the tags
// decide; the entry's tag is in its suffix unless the shared bytes reach into it. If they do, as
// between versions of one user key, or if bytes of the previous entry are needed for another
// reason, keys must be rebuilt.
class InternalTarget {
 public:
  InternalTarget() = default;
  // kCopySlack readable bytes follow `user_key`.
  InternalTarget(absl::string_view user_key, uint64_t tag)
      : user_key_(user_key.data()), size_(user_key.size()), tag_(tag) {}

  SearchStep Judge(const BlockEntry& entry, bool* has_user_key) {
    const size_t key_size = size_t{entry.shared} + entry.unshared;
    const size_t user_key_size = key_size < kTagSize ? key_size : key_size - kTagSize;
    const bool is_known = entry.shared > matched_;  // same byte after the matched ones as before
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
      if (is_known) return SearchStep::kNeedsFullKeys;
      is_below = ExtractTag(entry.key_suffix()) > tag_;  // the newest version comes first
      *has_user_key = true;
    }
    if (is_below) return SearchStep::kContinue;
    return is_known ? SearchStep::kNeedsFullKeys
                    : SearchStep::kFound;  // a result needs the shared bytes
  }

 private:
  const char* user_key_ = nullptr;
  size_t size_ = 0;
  uint64_t tag_ = 0;
  size_t matched_ = 0;     // leading bytes of user_key_ that the previous entry has, tag included
  bool is_lower_ = false;  // the next byte, if both have one, is lower than the target's
};
using InternalSearch = EntrySearch<InternalTarget>;

// Finds the restart point from which a search for `target` starts: the last one with a key below
// it, or else the first. The block must have entries. DataLoss for a malformed restart point.
absl::Status FindRestart(const Block& block, const KeyOrder& order, const LookupKey& target,
                         uint32_t* restart);

// Finds where a search for `target` starts, by FindRestart(). Only for the bytewise orders.
absl::Status FindRunStart(const Block& block, KeyOrder::Shape shape, const LookupKey& target,
                          const char** start);

// Searches `block` for `target`: a binary search over the restart points, then a linear one from
// the last restart point below the target. In the bytewise orders that is a BytewiseSearch or
// InternalSearch; in others it rebuilds each key in `*scratch`, so `target` must not point there.
// Errors: DataLoss, with the offset in the block, for the first malformed entry; `*result` is then
// undefined.
absl::Status SearchBlock(const Block& block, const KeyOrder& order, const LookupKey& target,
                         KeyBuffer* scratch, BlockSearchResult* result);

}  // namespace sstable

#endif  // SSTABLE_TABLE_BLOCK_BLOCK_SEARCH_H_
