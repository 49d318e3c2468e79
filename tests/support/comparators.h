// An order of keys other than the library's own, for tests of custom comparators.
#ifndef SSTABLE_TESTS_SUPPORT_COMPARATORS_H_
#define SSTABLE_TESTS_SUPPORT_COMPARATORS_H_

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"

namespace sstable::test {

// Orders keys alphabetically, ignoring ASCII case, then by bytes. Shortens keys in its own way, so
// that an index made with it has separators that are not keys.
class CaseFoldingComparator final : public Comparator {
 public:
  absl::string_view Name() const override { return "test.CaseFoldingComparator"; }

  int Compare(absl::string_view a, absl::string_view b) const override {
    const size_t common_size = std::min(a.size(), b.size());
    for (size_t i = 0; i < common_size; ++i) {
      const int diff = int{Fold(a[i])} - int{Fold(b[i])};
      if (diff != 0) return diff;
    }
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }

  void FindShortestSeparator(std::string* start, absl::string_view limit) const override {
    const size_t common_size = std::min(start->size(), limit.size());
    size_t i = 0;
    while (i < common_size && Fold((*start)[i]) == Fold(limit[i])) ++i;
    if (i == common_size || i + 1 == start->size()) return;
    const unsigned char raised = Fold((*start)[i]) + 1;
    if (raised != 0 && Fold(raised) == raised && raised < Fold(limit[i])) {
      start->resize(i + 1);
      start->back() = static_cast<char>(raised);
    }
  }

  void FindShortSuccessor(std::string* key) const override {
    if (key->size() > 1 && Fold(key->front()) < 'z') *key = "z";
  }

 private:
  static unsigned char Fold(char c) {
    return static_cast<unsigned char>(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_COMPARATORS_H_
