// The orders of keys in which tables and blocks are tested.
#ifndef SSTABLE_TESTS_SUPPORT_ORDER_CASES_H_
#define SSTABLE_TESTS_SUPPORT_ORDER_CASES_H_

#include <vector>

#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "tests/support/comparators.h"

namespace sstable::test {

struct OrderCase {
  const char* name;
  const Comparator* comparator;  // never destroyed
  KeyKind kind;
};

inline std::vector<OrderCase> OrderCases() {
  static const auto* const folding = new CaseFoldingComparator;  // tests use it until they exit
  return {
      {"Bytewise", BytewiseComparator(), KeyKind::kPlain},
      {"Reverse", ReverseBytewiseComparator(), KeyKind::kPlain},
      {"UserMade", folding, KeyKind::kPlain},
      {"InternalBytewise", BytewiseComparator(), KeyKind::kInternal},
      {"InternalReverse", ReverseBytewiseComparator(), KeyKind::kInternal},
      {"InternalUserMade", folding, KeyKind::kInternal},
  };
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_ORDER_CASES_H_
