// Objects of sstable/c.h that several source files use.
#ifndef SSTABLE_C_C_OBJECTS_H_
#define SSTABLE_C_C_OBJECTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"

namespace sstable {

// The damage that iterators over a table or database have skipped. Thread-safe.
class SkippedDamage {
 public:
  // Does not add damage that is in `known`.
  explicit SkippedDamage(const std::vector<DatabaseProblem>& known = {}) {
    for (const DatabaseProblem& problem : known) messages_.insert(problem.message);
  }
  void Add(const DatabaseProblem& problem) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (problems_.size() < kMaxProblems && messages_.insert(problem.message).second) {
      problems_.push_back(problem);
    }
  }
  std::vector<DatabaseProblem> problems() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return problems_;
  }

 private:
  static constexpr size_t kMaxProblems = 1000;

  mutable std::mutex mutex_;
  std::vector<DatabaseProblem> problems_;
  std::set<std::string> messages_;  // several iterators may find the same damage
};

}  // namespace sstable

struct sstable_reader {
  // Both are shared with iterators.
  std::shared_ptr<const sstable::TableReader> reader;
  std::shared_ptr<sstable::SkippedDamage> skipped;  // null: damage ends an iteration
  std::optional<std::string> filter_policy;
};

struct sstable_database {
  std::shared_ptr<const sstable::Comparator> order;  // null: the one that the MANIFEST names
  // Both are shared with iterators. The view keeps `order`.
  std::shared_ptr<const sstable::DatabaseView> view;
  std::shared_ptr<sstable::SkippedDamage> skipped;  // null: damage ends an iteration
};

struct sstable_problems {
  struct Problem {
    std::string text;
    uint64_t offset;
    bool is_damage;
  };
  std::vector<Problem> list;
  uint64_t total = 0;
};

namespace sstable {

inline absl::Status NeedInternalKeys(const TableReader& reader) {
  if (KeyOrderOf(reader).kind() == KeyKind::kInternal) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(reader.file().name(),
                   ": a snapshot needs internal keys, but the table was opened with plain ones"));
}

}  // namespace sstable

#endif  // SSTABLE_C_C_OBJECTS_H_
