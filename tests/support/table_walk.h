// Collects everything that an iterator visits, in one call.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_WALK_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_WALK_H_

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "sstable/iterator.h"

namespace sstable::test {

struct Walk {
  std::vector<std::pair<std::string, std::string>> entries;  // in table order
  absl::Status status;                                       // what ended the walk
};

inline Walk WalkForward(Iterator* it) {
  Walk walk;
  for (it->SeekToFirst(); it->Valid(); it->Next())
    walk.entries.emplace_back(it->key(), it->value());
  walk.status = it->status();
  return walk;
}

inline Walk WalkBackward(Iterator* it) {
  Walk walk;
  for (it->SeekToLast(); it->Valid(); it->Prev()) walk.entries.emplace_back(it->key(), it->value());
  walk.status = it->status();
  std::reverse(walk.entries.begin(), walk.entries.end());
  return walk;
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_WALK_H_
