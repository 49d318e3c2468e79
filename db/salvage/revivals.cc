#include "db/salvage/revivals.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

// Returns true if entries of `table` may have the same keys as the lost entries, and be older.
bool MayBeOlder(const NewTable& table, const LostEntries& lost, const SourceFolder& source,
                const Comparator& comparator, bool levels_kept) {
  if (lost.first.has_value() &&
      comparator.Compare(ExtractUserKey(table.largest), *lost.first) < 0) {
    return false;
  }
  if (lost.last.has_value() && comparator.Compare(ExtractUserKey(table.smallest), *lost.last) > 0) {
    return false;
  }
  const auto parsed = ParseDatabaseFileName(lost.file);
  if (!parsed.has_value() || parsed->kind != DatabaseFileKind::kTable) return true;
  // Other blocks of the same table have other keys. TableRescuer handles keys that span two blocks.
  if (table.number == parsed->number && lost.size > 0) return false;
  if (!levels_kept) return true;
  const auto found = source.named.find(parsed->number);
  if (found == source.named.end()) return true;
  const TableFile& named = *found->second;
  return named.level == 0 ? *table.level > 0 || table.number < named.number
                          : *table.level > named.level;
}

}  // namespace

void FindRevivals(const std::vector<NewTable>& tables, const SourceFolder& source,
                  const Comparator& comparator, bool levels_kept,
                  std::vector<LostEntries>* all_lost) {
  std::vector<const NewTable*> by_key;
  for (const NewTable& table : tables) by_key.push_back(&table);
  std::sort(by_key.begin(), by_key.end(), [&](const NewTable* a, const NewTable* b) {
    return comparator.Compare(ExtractUserKey(a->smallest), ExtractUserKey(b->smallest)) < 0;
  });
  std::vector<absl::string_view> highest;  // highest of the last keys up to each table
  for (const NewTable* table : by_key) {
    const absl::string_view last = ExtractUserKey(table->largest);
    const bool is_higher = highest.empty() || comparator.Compare(last, highest.back()) > 0;
    highest.push_back(is_higher ? last : highest.back());
  }
  const auto begins_after = [&](const std::string& key, const NewTable* table) {
    return comparator.Compare(key, ExtractUserKey(table->smallest)) < 0;
  };
  for (LostEntries& lost : *all_lost) {
    size_t i = by_key.size();
    if (lost.last.has_value()) {
      i = static_cast<size_t>(
          std::upper_bound(by_key.begin(), by_key.end(), *lost.last, begins_after) -
          by_key.begin());
    }
    for (; i > 0 && !lost.may_revive; --i) {
      if (lost.first.has_value() && comparator.Compare(highest[i - 1], *lost.first) < 0) break;
      lost.may_revive = MayBeOlder(*by_key[i - 1], lost, source, comparator, levels_kept);
    }
  }
}

}  // namespace sstable
