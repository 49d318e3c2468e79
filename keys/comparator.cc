#include "sstable/comparator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "keys/indexed_db_key.h"

namespace sstable {
namespace {

class BytewiseComparatorImpl final : public Comparator {
 public:
  absl::string_view Name() const override { return "leveldb.BytewiseComparator"; }

  int Compare(absl::string_view a, absl::string_view b) const override { return a.compare(b); }

  // Raises the first byte in which the two differ and drops the rest, if the result is below
  // `limit`. Like LevelDB, does not try later bytes if that one can't be raised.
  void FindShortestSeparator(std::string* start, absl::string_view limit) const override {
    const size_t common_limit = std::min(start->size(), limit.size());
    size_t diff = 0;
    while (diff < common_limit && (*start)[diff] == limit[diff]) ++diff;
    if (diff == common_limit) return;  // one is a prefix of the other
    const auto byte = static_cast<uint8_t>((*start)[diff]);
    if (byte < 0xff && byte + 1 < static_cast<uint8_t>(limit[diff])) {
      (*start)[diff] = static_cast<char>(byte + 1);
      start->resize(diff + 1);
    }
  }

  // Raises the first byte that can be raised and drops the rest.
  void FindShortSuccessor(std::string* key) const override {
    for (size_t i = 0; i < key->size(); ++i) {
      const auto byte = static_cast<uint8_t>((*key)[i]);
      if (byte == 0xff) continue;
      (*key)[i] = static_cast<char>(byte + 1);
      key->resize(i + 1);
      return;
    }
  }
};

class ReverseBytewiseComparatorImpl final : public Comparator {
 public:
  absl::string_view Name() const override { return "rocksdb.ReverseBytewiseComparator"; }
  int Compare(absl::string_view a, absl::string_view b) const override { return b.compare(a); }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class IndexedDbComparatorImpl final : public Comparator {
 public:
  absl::string_view Name() const override { return "idb_cmp1"; }
  int Compare(absl::string_view a, absl::string_view b) const override {
    return CompareIndexedDbKeys(a, b);
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

}  // namespace

const Comparator* BytewiseComparator() {
  static const auto* comparator = new BytewiseComparatorImpl;  // outlives all statics
  return comparator;
}

const Comparator* ReverseBytewiseComparator() {
  static const auto* comparator = new ReverseBytewiseComparatorImpl;
  return comparator;
}

const Comparator* IndexedDbComparator() {
  static const auto* comparator = new IndexedDbComparatorImpl;
  return comparator;
}

absl::Span<const Comparator* const> KnownComparators() {
  static const Comparator* const comparators[] = {BytewiseComparator(), ReverseBytewiseComparator(),
                                                  IndexedDbComparator()};
  return comparators;
}

const Comparator* ComparatorByName(Slice name) {
  for (const Comparator* comparator : KnownComparators()) {
    if (comparator->Name() == name) return comparator;
  }
  return nullptr;
}

}  // namespace sstable
