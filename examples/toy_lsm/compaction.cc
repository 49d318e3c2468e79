#include "examples/toy_lsm/compaction.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "table/iterator.h"
#include "table/key_order.h"
#include "table/merging_iterator.h"
#include "table/table_iterator.h"
#include "table/table_reader.h"
#include "util/comparator.h"
#include "util/internal_key.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

std::pair<std::string, std::string> KeyRange(const std::vector<TablePtr>& tables) {
  std::pair<std::string, std::string> range(tables[0]->info().smallest, tables[0]->info().largest);
  for (const TablePtr& table : tables) {
    range.first = std::min(range.first, table->info().smallest);
    range.second = std::max(range.second, table->info().largest);
  }
  return range;
}

bool HasKeyBelow(const Version& version, int level, absl::string_view user_key) {
  for (int below = level + 1; below < kLevelCount; ++below) {
    const Table* const table = version.FindTable(below, user_key);
    if (table != nullptr && table->info().smallest <= user_key) return true;
  }
  return false;
}

}  // namespace

int LevelToCompact(const Version& version, const Options& options) {
  int best_level = -1;
  double best_score = 1;
  double target = static_cast<double>(options.level1_size);
  for (int level = 0; level + 1 < kLevelCount; ++level) {
    double score = static_cast<double>(version.levels[0].size()) / kLevel0Trigger;
    if (level > 0) {
      score = static_cast<double>(version.LevelSize(level)) / target;
      target *= 10;
    }
    if (score < best_score) continue;
    best_level = level;
    best_score = score;
  }
  return best_level;
}

int LevelToMerge(const Version& version) {
  int last = kLevelCount - 1;
  while (last > 0 && version.levels[last].empty()) --last;
  for (int level = 0; level < std::max(last, 1); ++level) {
    if (!version.levels[level].empty()) return level;
  }
  return -1;
}

Compaction PickCompaction(const Version& version, int level, std::string* last_key) {
  Compaction result;
  result.level = level;
  const std::vector<TablePtr>& tables = version.levels[level];
  if (level == 0) {
    result.inputs = {tables.back()};  // the oldest, and all that overlap: none may sink below older
    for (size_t count = 0; count < result.inputs.size();) {
      count = result.inputs.size();
      const auto [smallest, largest] = KeyRange(result.inputs);
      result.inputs = version.Overlapping(0, smallest, largest);
    }
  } else {
    const auto next = std::find_if(tables.begin(), tables.end(), [last_key](const TablePtr& table) {
      return table->info().largest > *last_key;
    });
    result.inputs = {next == tables.end() ? tables[0] : *next};
    *last_key = result.inputs[0]->info().largest;
  }
  const auto [smallest, largest] = KeyRange(result.inputs);
  result.next_inputs = version.Overlapping(level + 1, smallest, largest);
  return result;
}

absl::StatusOr<std::vector<TablePtr>> RunCompaction(const Compaction& compaction,
                                                    const Version& version, const Options& options,
                                                    uint64_t oldest_snapshot, TableStore* store,
                                                    absl::FunctionRef<absl::Status()> pause) {
  std::vector<std::unique_ptr<sstable::Iterator>> iterators;
  for (const TablePtr& table : compaction.inputs) {
    iterators.push_back(table->reader().NewIterator(sstable::FillCache::kNo));
  }
  iterators.push_back(NewLevelIterator(&compaction.next_inputs, sstable::FillCache::kNo));
  sstable::MergingIterator it(sstable::BytewiseComparator(), sstable::KeyKind::kInternal,
                              std::move(iterators));

  std::vector<TablePtr> outputs;
  std::unique_ptr<TableStore::Writer> writer;
  std::optional<std::string> last_user_key;
  uint64_t last_sequence = 0;  // of the last version of that key, which was a newer one
  uint64_t entry_count = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (++entry_count % 1024 == 0) RETURN_IF_ERROR(pause());
    const auto key = sstable::ParseInternalKey(it.key());
    if (!key.has_value()) {
      return absl::DataLossError(
          absl::StrCat("\"", absl::CHexEscape(it.key()), "\" is no internal key"));
    }
    const bool is_new_key = !last_user_key.has_value() || key->user_key != *last_user_key;
    const bool is_hidden = !is_new_key && last_sequence <= oldest_snapshot;
    if (is_new_key) last_user_key.emplace(key->user_key);
    last_sequence = key->sequence;
    if (is_hidden) continue;
    if (key->type == sstable::ValueType::kDeletion && key->sequence <= oldest_snapshot &&
        !HasKeyBelow(version, compaction.level + 1, key->user_key)) {
      continue;
    }
    // Versions of a key stay together, or a lookup would have to go on in the next table.
    if (writer != nullptr && is_new_key && writer->file_size() >= options.max_table_size) {
      ASSIGN_OR_RETURN(outputs.emplace_back(), writer->Finish());
      writer.reset();
    }
    if (writer == nullptr) {
      ASSIGN_OR_RETURN(writer, store->NewWriter());
    }
    RETURN_IF_ERROR(writer->Add(it.key(), it.value()));
  }
  RETURN_IF_ERROR(it.status());
  if (writer != nullptr) {
    ASSIGN_OR_RETURN(outputs.emplace_back(), writer->Finish());
  }
  return outputs;
}

}  // namespace toy_lsm
