// Findings of sstable/check.h, before it is known which of them are problems.
#ifndef SSTABLE_TABLE_INSPECT_CHECK_FINDINGS_H_
#define SSTABLE_TABLE_INSPECT_CHECK_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sstable/check.h"
#include "sstable/experimental/layout.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "table/inspect/order_evidence.h"

namespace sstable {

// A list of problems in the order in which they are found.
class Problems {
 public:
  explicit Problems(size_t max_kept) : max_kept_(max_kept) {}

  void Add(CheckProblem problem) {
    ++count_;
    if (kept_.size() < max_kept_) kept_.push_back(std::move(problem));
  }
  void Add(const BlockInfo& block, absl::string_view message) {
    Add({DescribeBlock(block.kind, block.handle), block.handle.offset, block.handle.size,
         std::string(message)});
  }
  void Add(const ByteRange& range, absl::string_view message) {
    Add({absl::StrFormat("bytes %d to %d", range.offset, range.offset + range.size - 1),
         range.offset, range.size, std::string(message)});
  }
  void Append(Problems other) {
    const uint64_t count = count_ + other.count_;
    for (CheckProblem& problem : other.kept_) Add(std::move(problem));
    count_ = count;
  }
  void MoveTo(CheckReport* report) && {
    report->problems = std::move(kept_);
    report->problem_count = count_;
  }

 private:
  size_t max_kept_;
  uint64_t count_ = 0;
  std::vector<CheckProblem> kept_;
};

// The findings of a walk over blocks.
struct Findings {
  Findings(KeyKind kind, size_t max_problems)
      : problems(max_problems),
        order_problems(max_problems),
        place_problems(max_problems),
        order_evidence(kind),
        index_evidence(kind) {}

  Layout layout;
  CheckReport report;  // the counts
  Problems problems;
  // The evidence decides which of these two are problems: the findings in the reader's order, or
  // those that need no order.
  Problems order_problems, place_problems;
  OrderEvidence order_evidence;  // this and the next only if the order is unknown
  IndexKeyEvidence index_evidence;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_INSPECT_CHECK_FINDINGS_H_
