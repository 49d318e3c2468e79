#include "sstable/internal_key.h"

#include <cassert>
#include <utility>

#include "sstable/slice.h"
#include "util/coding.h"

namespace sstable {

void AppendInternalKey(std::string* dst, Slice user_key, uint64_t sequence, ValueType type) {
  assert(sequence <= kMaxSequence);
  dst->append(user_key.data(), user_key.size());
  AppendFixed64(dst, sequence << 8 | static_cast<uint8_t>(type));
}

std::string MakeInternalKey(Slice user_key, uint64_t sequence, ValueType type) {
  std::string key;
  AppendInternalKey(&key, user_key, sequence, type);
  return key;
}

void InternalKeyComparator::FindShortestSeparator(std::string* start,
                                                  absl::string_view limit) const {
  std::string user_key(ExtractUserKey(*start));
  user_comparator_->FindShortestSeparator(&user_key, ExtractUserKey(limit));
  ReplaceIfShorter(start, std::move(user_key));
}

void InternalKeyComparator::FindShortSuccessor(std::string* key) const {
  std::string user_key(ExtractUserKey(*key));
  user_comparator_->FindShortSuccessor(&user_key);
  ReplaceIfShorter(key, std::move(user_key));
}

void InternalKeyComparator::ReplaceIfShorter(std::string* key,
                                             std::string shortened_user_key) const {
  const absl::string_view user_key = ExtractUserKey(*key);
  if (shortened_user_key.size() < user_key.size() &&
      user_comparator_->Compare(user_key, shortened_user_key) < 0) {
    AppendFixed64(&shortened_user_key, SeekTag(kMaxSequence));
    *key = std::move(shortened_user_key);
  }
}

}  // namespace sstable
