#include "table/inspect/key_checker.h"

#include <cstddef>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "sstable/internal_key.h"
#include "table/block/block_iterator.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"

namespace sstable {
namespace {

// The keys of one block with the same fault: their number and the first of them.
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

}  // namespace

KeyChecker::KeyChecker(const TableReader& reader, bool order_known, Findings* found)
    : order_(KeyOrderOf(reader)),
      dialect_(reader.dialect()),
      filters_(reader),
      order_known_(order_known),
      found_(*found) {}

void KeyChecker::Check(const BlockInfo& info, const Block& block) {
  Faults untagged, out_of_order, repeated, denied, without_prefix;
  found_.order_evidence.BeginBlock();
  BlockIterator entries(&order_, block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    const absl::string_view key = entries.key();
    ++found_.report.entries;
    if (!order_known_) found_.order_evidence.Add(key);
    if (order_.kind() == KeyKind::kInternal && !HasTag(key, dialect_)) {
      untagged.Add([&] { return ShowKey(order_, key); });
    }
    if (last_key_.has_value() && order_.Compare(*last_key_, key) >= 0) {
      // The newer version of a user key comes first in any order.
      const bool is_same_user_key = order_.UserKey(*last_key_) == order_.UserKey(key);
      Faults& faults = is_same_user_key ? repeated : out_of_order;
      faults.Add([&] {
        return absl::StrCat(ShowKey(order_, key, *last_key_), " comes after ",
                            ShowKey(order_, *last_key_, key));
      });
    }
    if (filters_.has_filter()) {
      ++found_.report.keys_checked_with_filter;
      const FalseNegatives negatives = filters_.Test(info.handle.offset, key);
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

void KeyChecker::Skip(const BlockInfo& info) { last_index_key_ = info.name; }

// last_key <= index key < first key of the next block.
void KeyChecker::CheckIndexKey(const BlockInfo& info) {
  if (!order_known_) found_.index_evidence.Add(info.name, *last_key_);
  if (order_.Compare(*last_key_, info.name) <= 0) return;
  found_.order_problems.Add(
      info, absl::StrCat("its index key ", ShowKey(order_, info.name, *last_key_),
                         " is below its last key ", ShowKey(order_, *last_key_, info.name)));
}

void KeyChecker::CheckAgainstLastIndexKey(const BlockInfo& info, absl::string_view first_key) {
  if (!last_index_key_.has_value() || order_.Compare(*last_index_key_, first_key) < 0) return;
  found_.order_problems.Add(
      info, absl::StrCat("its first key ", ShowKey(order_, first_key, *last_index_key_),
                         " is not above the index key of the block before it, ",
                         ShowKey(order_, *last_index_key_, first_key)));
}

}  // namespace sstable
