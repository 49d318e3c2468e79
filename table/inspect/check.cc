#include "sstable/check.h"

#include <optional>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/internal_key.h"
#include "sstable/layout.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/inspect/block_visits.h"
#include "table/inspect/filter_tester.h"
#include "table/inspect/order_evidence.h"
#include "table/inspect/placement.h"
#include "table/inspect/restart_points.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Problems in the order in which they are found.
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

// What a walk over all blocks finds.
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
  // Which of these two are problems, the evidence decides: what was found in the order of the
  // reader, or without an order.
  Problems order_problems, place_problems;
  OrderEvidence order_evidence;  // unless the order is known; so the next
  IndexKeyEvidence index_evidence;
};

// Keys of one block that have one fault, and the first of them.
struct Faults {
  size_t count = 0;
  std::string first;
  void Add(absl::FunctionRef<std::string()> describe) {
    if (count++ == 0) first = describe();
  }
  std::string Describe(const BlockInfo& info, absl::string_view what) const {
    return absl::StrFormat("%d of %d keys %s; the first: %s", count, info.entry_count, what, first);
  }
};

// Checks the keys of data blocks, given in the index's order, and the index keys between them.
class KeyChecker {
 public:
  KeyChecker(const TableReader& reader, bool order_known, Findings* found)
      : order_(KeyOrderOf(reader)),
        dialect_(reader.dialect()),
        filters_(reader),
        order_known_(order_known),
        found_(*found) {}

  void Check(const BlockInfo& info, const Block& block) {
    Faults untagged, out_of_order, repeated, denied, without_prefix;
    found_.order_evidence.BeginBlock();
    BlockIterator entries(&order_, block);
    filters_.StartBlock(info.handle, block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      const absl::string_view key = entries.key();
      ++found_.report.entries;
      if (!order_known_) found_.order_evidence.Add(key);
      if (order_.kind() == KeyKind::kInternal && !HasTag(key, dialect_)) {
        untagged.Add([&] { return ShowKey(order_, key); });
      }
      if (last_key_.has_value() && order_.Compare(*last_key_, key) >= 0) {
        // Of versions of one user key, the newer one is first in whatever order.
        const bool is_same_user_key = order_.UserKey(*last_key_) == order_.UserKey(key);
        Faults& faults = is_same_user_key ? repeated : out_of_order;
        faults.Add([&] {
          return absl::StrCat(ShowKey(order_, key), " comes after ", ShowKey(order_, *last_key_));
        });
      }
      if (filters_.has_filter()) {
        ++found_.report.keys_checked_with_filter;
        const FalseNegatives negatives = filters_.Test(key, entries.entry_offset());
        if (negatives.any()) {
          const bool is_denied = negatives.of_block_filter || negatives.of_table_filter;
          (is_denied ? denied : without_prefix).Add([&] { return ShowKey(order_, key); });
        }
      }
      if (entries.entry_offset() == 0) CheckAgainstLastIndexKey(info, key);
      if (!last_key_.has_value()) last_key_.emplace();
      last_key_->assign(key.data(), key.size());
    }
    if (info.entry_count > 0) CheckIndexKey(info);
    last_index_key_ = info.name;
    if (untagged.count > 0) {
      found_.problems.Add(
          info, untagged.Describe(info, "have no valid tag (8 bytes of sequence and type)"));
    }
    if (repeated.count > 0) {
      found_.problems.Add(info, repeated.Describe(info, "occur twice, or follow an older version"));
    }
    if (denied.count > 0) {
      found_.problems.Add(info, denied.Describe(info, "are not in the filter"));
    }
    if (without_prefix.count > 0) {
      found_.problems.Add(info,
                          without_prefix.Describe(info, "have a prefix that is not in the filter"));
    }
    if (out_of_order.count > 0) {
      found_.order_problems.Add(info, out_of_order.Describe(info, "are out of order"));
    }
  }

  // A block whose keys can't be read.
  void Skip(const BlockInfo& info) {
    last_index_key_ = info.name;
    filters_.SkipBlock();
  }

 private:
  // last_key <= index key < first key of the next block.
  void CheckIndexKey(const BlockInfo& info) {
    if (!order_known_) found_.index_evidence.Add(info.name, *last_key_);
    if (order_.Compare(*last_key_, info.name) <= 0) return;
    found_.order_problems.Add(
        info, absl::StrCat("its index key ", ShowKey(order_, info.name), " is below its last key ",
                           ShowKey(order_, *last_key_)));
  }
  void CheckAgainstLastIndexKey(const BlockInfo& info, absl::string_view first_key) {
    if (!last_index_key_.has_value() || order_.Compare(*last_index_key_, first_key) < 0) return;
    found_.order_problems.Add(info,
                              absl::StrCat("its first key ", ShowKey(order_, first_key),
                                           " is not above the index key of the block before it, ",
                                           ShowKey(order_, *last_index_key_)));
  }

  const KeyOrder& order_;
  const TypeByteDialect dialect_;
  FilterTester filters_;
  const bool order_known_;
  Findings& found_;
  std::optional<std::string> last_key_;
  std::optional<std::string> last_index_key_;
};

// Checks each block, and the keys in it.
Findings CheckBlocks(const TableReader& reader, const LoadedTable& loaded,
                     const CheckOptions& options) {
  Findings found(KeyOrderOf(reader).kind(), options.max_problems);
  KeyChecker keys(reader, options.order_known, &found);
  std::optional<PlacementChecker> placement;  // unless the order is known
  if (!options.order_known && loaded.index_status.ok()) {
    placement.emplace(&reader, /*order_known=*/false);
  }
  const auto add_status = [&found](const BlockInfo& block, const absl::Status& status) {
    if (!status.ok()) found.problems.Add(block, status.message());
  };
  VisitBlocks(reader, [&](const VisitedBlock& block) {
    const BlockInfo& info = block.info;
    const bool is_data = info.kind == BlockKind::kData;
    found.layout.blocks.push_back(info);
    if (is_data) ++found.report.data_blocks;
    if (!info.status.ok()) {
      add_status(info, info.status);
      if (is_data) {
        ++found.report.damaged_data_blocks;
        keys.Skip(info);
      }
      return;
    }
    if (block.parsed != nullptr) {
      const std::optional<std::string> problem =
          FindRestartProblem(KeyOrderOf(reader), *block.parsed);
      if (problem.has_value()) found.problems.Add(info, *problem);
    }
    // The rest may be readable as a block, but not as what it should be.
    if (info.kind == BlockKind::kMetaindex) add_status(info, MetaindexOf(reader).status());
    if (info.kind == BlockKind::kIndex) {
      add_status(info, loaded.index_status.status);
      if (loaded.index_status.ok() && !loaded.index->order_status().ok()) {
        found.order_problems.Add(info, loaded.index->order_status().message());
      }
    }
    if (!is_data) return;
    if (placement.has_value()) {
      const absl::Status status = placement->Check(found.report.data_blocks - 1, *block.parsed);
      if (!status.ok()) found.place_problems.Add(info, status.message());
    }
    keys.Check(info, *block.parsed);
  });
  return found;
}

// Bytes that no block claims, or that several do. There is an index.
void CheckRanges(const TableReader& reader, Findings* found) {
  Layout& layout = found->layout;
  layout.file_size = reader.file().size();
  ArrangeLayout(&layout);
  // RocksDB may align blocks.
  if (reader.dialect() != TypeByteDialect::kRocksDb && reader.metaindex_status().ok()) {
    for (const ByteRange& range : layout.unreferenced) {
      found->problems.Add(range, "belong to no block");
    }
  }
  for (const ByteRange& range : layout.doubly_used) {
    found->problems.Add(range, "belong to more than one block");
  }
  if (const absl::Status status = CheckExtent(reader);
      !status.ok() && layout.unreferenced.empty() && layout.doubly_used.empty()) {
    BlockInfo index;
    index.kind = BlockKind::kIndex;
    index.handle = reader.footer().index;
    found->problems.Add(index, status.message());
  }
}

// Damage to a block has been reported, except for what only a filter's reader sees, and what could
// not be read only when it was loaded.
void CheckFilterStatus(const BlockStatus& filter, Findings* found) {
  if (filter.ok() || (filter.kind != BlockKind::kFilter && filter.kind != BlockKind::kData)) return;
  for (const BlockInfo& block : found->layout.blocks) {
    if (block.kind == filter.kind && block.handle == filter.handle && block.status.ok()) {
      return found->problems.Add(block, filter.status.message());
    }
  }
}

// Whether what was found by comparing keys is wrong, or these are in no order that is known.
CheckReport Conclude(const TableReader& reader, const LoadedTable& loaded, bool order_known,
                     Findings found) {
  CheckReport report = std::move(found.report);
  report.filter_status = loaded.FilterStatus().At(reader.file());
  if (!order_known) {
    const OrderGuess guess = WeighOrder(found.order_evidence, found.index_evidence);
    report.order_reason = guess.reason;
    report.order_checked = guess.comparator == &KeyOrderOf(reader).user_comparator();
    report.order_assumed = report.order_checked && guess.has_strays;
  }
  found.problems.Append(
      std::move(report.order_checked ? found.order_problems : found.place_problems));
  std::move(found.problems).MoveTo(&report);
  return report;
}

}  // namespace

CheckReport CheckTable(const TableReader& reader, const CheckOptions& options) {
  // Once: what can't be read now, but a moment later, is reported.
  const LoadedTable& loaded = LoadNow(reader);
  Findings found = CheckBlocks(reader, loaded, options);
  if (loaded.index_status.ok()) CheckRanges(reader, &found);
  CheckFilterStatus(loaded.filter_status, &found);
  CheckFilterStatus(loaded.table_filter.status, &found);
  return Conclude(reader, loaded, options.order_known, std::move(found));
}

}  // namespace sstable
