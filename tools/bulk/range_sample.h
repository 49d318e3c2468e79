// A sample of records, used to divide their keys into parts of about the same size.
#ifndef SSTABLE_TOOLS_BULK_RANGE_SAMPLE_H_
#define SSTABLE_TOOLS_BULK_RANGE_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/comparator.h"

namespace sstable::tools {

// Keeps the records whose keys have a hash up to a limit, which is halved when there are too many.
// So the sample depends only on the records, not on their order.
class RangeSample {
 public:
  // Keeps at most `max_count` records, with keys of at most `max_key_bytes` in total.
  RangeSample(size_t max_count, size_t max_key_bytes)
      : max_count_(max_count), max_key_bytes_(max_key_bytes) {}

  // `size` is the size of the record in bytes.
  void Add(absl::string_view key, uint64_t size);

  // Returns keys, in ascending order, that divide the sorted records into `parts` parts of about
  // the same size: each key is the first of a part. There are fewer parts only if the sample has
  // fewer keys. An empty key is never returned: if it is not the first key, it is in the part of
  // the previous one.
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
    uint64_t size;  // bytes of its records
  };
  void Halve();
  // Returns the keys that may begin a part, with the size of all their records, in ascending order.
  std::vector<SizedKey> SortedKeys(const Comparator& comparator) const;

  const size_t max_count_;
  const size_t max_key_bytes_;
  std::vector<Kept> kept_;
  size_t key_bytes_ = 0;
  uint64_t max_hash_ = std::numeric_limits<uint64_t>::max();
  uint64_t record_count_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BULK_RANGE_SAMPLE_H_
