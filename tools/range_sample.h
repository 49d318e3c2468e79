// A sample of records, to cut their keys into parts of about the same size.
#ifndef SSTABLE_TOOLS_RANGE_SAMPLE_H_
#define SSTABLE_TOOLS_RANGE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"

namespace sstable::tools {

// Keeps the records whose keys have a hash up to a limit, which is halved when there are too many:
// the sample depends on the records alone, not on their order.
class RangeSample {
 public:
  // Keeps at most `max_count` records, with keys of at most `max_key_bytes` in all.
  RangeSample(size_t max_count, size_t max_key_bytes)
      : max_count_(max_count), max_key_bytes_(max_key_bytes) {}

  // `size` is the record's in bytes.
  void Add(absl::string_view key, uint64_t size);

  // Keys in ascending order that cut the sorted records into `parts` parts of about the same number
  // of bytes: each is the first of a part. There are fewer parts only if the sample has fewer keys.
  // No cut is empty: an empty key that is not the first is in the part of the key before it.
  std::vector<std::string> Cuts(const Comparator& comparator, size_t parts) const;

  uint64_t record_count() const { return record_count_; }
  size_t count() const { return kept_.size(); }

 private:
  struct Kept {
    uint64_t hash;
    std::string key;
    uint64_t size;
  };
  struct SizedKey {
    absl::string_view key;
    uint64_t size;  // of its records
  };
  void Halve();
  // The keys that may begin a part, with the bytes of all records, in ascending order.
  std::vector<SizedKey> SortedKeys(const Comparator& comparator) const;

  const size_t max_count_;
  const size_t max_key_bytes_;
  std::vector<Kept> kept_;
  size_t key_bytes_ = 0;
  uint64_t max_hash_ = std::numeric_limits<uint64_t>::max();
  uint64_t record_count_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RANGE_SAMPLE_H_
