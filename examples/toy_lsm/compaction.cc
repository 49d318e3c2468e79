#include "examples/toy_lsm/compaction.h"

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "sstable/iterator.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

bool HasKeyBelow(const Version& version, int level, absl::string_view user_key) {
  while (++level < kLevelCount) {
    const auto tables = version.TablesFor(level, user_key);
    if (!tables.empty() && tables[0]->smallest <= user_key) return true;
  }
  return false;
}

}  // namespace

int LevelToCompact(const Version& version, const Options& options, bool to_one_level) {
  int best_level = -1, last = kLevelCount - 1;
  while (last > 1 && version.levels[last].empty()) --last;
  double best_score = 1, limit = static_cast<double>(options.level1_size) / 10;
  for (int level = 0; level + 1 < kLevelCount; ++level, limit *= 10) {
    if (to_one_level && level < last && !version.levels[level].empty()) return level;
    if (version.levels[level].empty()) continue;  // even if the limit is 0
    const double score = level == 0 ? static_cast<double>(version.levels[0].size()) / kLevel0Trigger
                                    : static_cast<double>(version.LevelSize(level)) / limit;
    if (score < best_score) continue;
    best_level = level;
    best_score = score;
  }
  return best_level;
}

std::vector<TablePtr> PickInputs(const Version& version, int level, std::string* next_key) {
  // On level 0, takes the oldest table and all tables that overlap it, since none may move below an
  // older one.
  const absl::Span<const TablePtr> next = version.TablesFor(level, *next_key);
  std::vector<TablePtr> inputs = {level == 0     ? next.back()
                                  : next.empty() ? version.levels[level][0]
                                                 : next[0]};
  for (size_t count = 0; count < inputs.size();) {
    count = inputs.size();
    inputs = version.Overlapping(level, inputs);
  }
  *next_key = absl::StrCat(inputs[0]->largest, absl::string_view("\0", 1));
  const std::vector<TablePtr> next_inputs = version.Overlapping(level + 1, inputs);
  inputs.insert(inputs.end(), next_inputs.begin(), next_inputs.end());
  return inputs;
}

absl::StatusOr<std::vector<TablePtr>> Merge(const std::vector<TablePtr>& inputs, int level,
                                            const Version& version, const Options& options,
                                            uint64_t oldest_snapshot, TableStore* store,
                                            absl::FunctionRef<absl::Status()> pause) {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  for (const TablePtr& table : inputs) {
    iterators.push_back(table->reader->NewIterator(sstable::ReadOptions::ForScan()));
  }
  const auto entries = sstable::NewMergingIterator(
      sstable::BytewiseComparator(), sstable::KeyKind::kInternal, std::move(iterators));
  std::string last_user_key;
  uint64_t last_sequence = 0;  // sequence of the previous version, a newer one
  uint64_t entry_count = 0;
  const auto is_needed = [&](absl::string_view internal_key) -> absl::StatusOr<bool> {
    if (entry_count++ % 1024 == 0) RETURN_IF_ERROR(pause());
    const auto key = sstable::ParseInternalKey(internal_key);
    if (!key.has_value()) {
      return absl::DataLossError(
          absl::StrCat("key \"", absl::CHexEscape(internal_key), "\" is not an internal key"));
    }
    const bool is_same_key = entry_count > 1 && key->user_key == last_user_key;
    const bool is_hidden = is_same_key && last_sequence <= oldest_snapshot;
    if (!is_same_key) last_user_key.assign(key->user_key.data(), key->user_key.size());
    last_sequence = key->sequence;
    return !is_hidden &&
           (key->type == sstable::ValueType::kValue || key->sequence > oldest_snapshot ||
            HasKeyBelow(version, level, key->user_key));
  };
  return store->Write(entries.get(), options.max_table_size, is_needed);
}

}  // namespace toy_lsm
