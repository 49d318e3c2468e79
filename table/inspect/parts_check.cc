#include "table/inspect/parts_check.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "sstable/check.h"
#include "sstable/comparator.h"
#include "table/block/limits.h"
#include "table/index/table_index.h"
#include "table/inspect/block_checker.h"
#include "table/inspect/block_visits.h"

namespace sstable {
namespace {

// Enough to show the order, unless they have very few keys.
constexpr size_t kFirstBlocks = 64;

// A thread checks after this many blocks whether another one gave up.
constexpr size_t kBlocksAtOnce = 8;

// Parts have about the same number of bytes.
std::vector<size_t> PartStarts(const TableIndex& index, size_t count) {
  uint64_t total = 0, before = 0;
  for (size_t i = 0; i < index.size(); ++i) total += index.record(i).handle().size;
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i < index.size() && starts.size() < count; ++i) {
    before += index.record(i).handle().size;
    if (before >= total / count * starts.size()) starts.push_back(i + 1);
  }
  starts.push_back(index.size());
  return starts;
}

class PartsCheck {
 public:
  PartsCheck(const TableReader& reader, const LoadedTable& loaded, const CheckOptions& options);

  // Call once. Returns nullopt if it gave up.
  std::optional<Findings> Run();

 private:
  std::future<Findings> Begin(size_t part);
  Findings CheckPart(size_t first, size_t end);
  void VisitUntil(size_t end, BlockVisitor* visitor, BlockChecker* checker);

  const TableReader& reader_;
  const LoadedTable& loaded_;
  const CheckOptions options_;
  const std::vector<size_t> starts_;        // the first block of each part, and the end of the last
  const std::shared_ptr<WorkBudget> work_;  // shared by all threads
  std::atomic<bool> gave_up_{false};
};

PartsCheck::PartsCheck(const TableReader& reader, const LoadedTable& loaded,
                       const CheckOptions& options)
    : reader_(reader),
      loaded_(loaded),
      options_(options),
      starts_(PartStarts(*loaded.index, static_cast<size_t>(options.threads))),
      work_(WorkOf(reader)) {}

std::optional<Findings> PartsCheck::Run() {
  const bool order_known = options_.keys == KeyTrust::kOrdered;
  if (!order_known && &KeyOrderOf(reader_).user_comparator() != BytewiseComparator()) {
    return std::nullopt;
  }
  BlockChecker checker(reader_, loaded_, order_known, BlockChecker::BlockIdentity::kIgnore,
                       options_.max_problems);
  BlockVisitor visitor(reader_, /*verifier=*/nullptr, work_);
  visitor.VisitOtherBlocks([&checker](const VisitedBlock& block) { checker.Check(block); });
  if (checker.found().HasProblems()) return std::nullopt;
  if (!order_known) {
    VisitUntil(std::min(kFirstBlocks, starts_[1]), &visitor, &checker);
    const OrderEvidence& evidence = checker.found().order_evidence;
    if (gave_up_ || evidence.keys() < 2 || evidence.AreIndexedDbKeys()) return std::nullopt;
    checker.keys().SetOrderKnown();
  }
  std::vector<std::future<Findings>> others;
  for (size_t i = 1; i + 1 < starts_.size(); ++i) {
    if (starts_[i] > 0 && starts_[i] < starts_[i + 1]) others.push_back(Begin(i));
  }
  VisitUntil(starts_[1], &visitor, &checker);
  for (std::future<Findings>& other : others) checker.found().AddCounts(other.get());
  if (gave_up_) return std::nullopt;
  return std::move(checker.found());
}

std::future<Findings> PartsCheck::Begin(size_t part) {
  const auto check = [this, part] { return CheckPart(starts_[part], starts_[part + 1]); };
  try {
    return std::async(std::launch::async, check);
  } catch (const std::system_error&) {  // no more threads available; the caller's remains
    return std::async(std::launch::deferred, check);
  }
}

Findings PartsCheck::CheckPart(size_t first, size_t end) {
  BlockChecker checker(reader_, loaded_, /*order_known=*/true, BlockChecker::BlockIdentity::kIgnore,
                       /*max_problems=*/0);
  BlockVisitor visitor(reader_, /*verifier=*/nullptr, work_);
  // The keys of the first block must follow those of the block before, which another part counts.
  visitor.SkipTo(first - 1);
  VisitUntil(first, &visitor, &checker);
  if (checker.found().report.entries == 0) gave_up_ = true;  // those keys are further before
  checker.found().DropCounts();
  VisitUntil(end, &visitor, &checker);
  return std::move(checker.found());
}

void PartsCheck::VisitUntil(size_t end, BlockVisitor* visitor, BlockChecker* checker) {
  try {
    while (!gave_up_ && visitor->data_block() < end) {
      visitor->VisitDataBlocks(std::min(end, visitor->data_block() + kBlocksAtOnce),
                               [checker](const VisitedBlock& block) { checker->Check(block); });
      if (checker->found().HasProblems() || !checker->found().report.limit_status.ok()) {
        gave_up_ = true;
      }
    }
  } catch (...) {
    gave_up_ = true;  // stops the other threads
    throw;
  }
}

}  // namespace

std::optional<Findings> CheckInParts(const TableReader& reader, const LoadedTable& loaded,
                                     const CheckOptions& options) {
  try {
    return PartsCheck(reader, loaded, options).Run();
  } catch (const std::bad_alloc&) {  // one thread needs less
    return std::nullopt;
  }
}

}  // namespace sstable
