// The rules for check, dump, filter, stats and layout, which read a whole mutant.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "report/text/words.h"
#include "sstable/check.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "tests/mutants/rules.h"
#include "tools/files/open_table.h"

namespace sstable::mutants {
namespace {

constexpr size_t kMaxLookups = 2000;  // above this, one in 16 keys

// With fewer entries, a single descending pair does not show that the others are in order.
constexpr size_t kFewEntries = 16;

bool HasFewReordered(const Trial& trial) {
  return trial.mutant.is_reordered && trial.original.entries.size() < kFewEntries;
}

// A few keys among others, or in no order, may belong to either kind, and are printed as one or the
// other.
bool IsOfOriginal(const Trial& trial, absl::string_view line) {
  const Original& original = trial.original;
  return original.dump_lines.contains(line) ||
         (original.entries.size() < kFewEntries && original.raw_line_set.contains(line));
}

bool IsWholeDump(const Trial& trial) {
  const Original& original = trial.original;
  if (!trial.mutant.is_reordered) return trial.dump.out == original.dump;
  return HaveSameLines(trial.dump.out, original.dump) ||
         (HasFewReordered(trial) && HaveSameLines(trial.dump.out, original.raw_dump));
}

void JudgeDump(Trial* trial) {
  const SstResult& dump = trial->dump;
  if (dump.exit_code == 0) {
    if (IsWholeDump(*trial)) return;
    return trial->Violate(
        "dump: exit code 0, but the entries are not those of the original",
        absl::StrCat(Difference(dump.out, trial->original.dump), "; it says ", Start(dump.err)));
  }
  for (absl::string_view line : Lines(dump.out)) {
    if (IsOfOriginal(*trial, line)) continue;
    if (trial->original.index_lines.contains(line)) {
      trial->verdict.doubts.push_back(absl::StrCat("dump: an entry of the index: ", Start(line)));
      continue;
    }
    return trial->Violate("dump: exit code 1, and an entry that never was",
                          absl::StrCat(Start(line), "; it says ", Start(dump.err)));
  }
}

// If `check` finds a table sound, the others must read it.
void JudgeSoundness(Trial* trial) {
  const SstResult& dump = trial->dump;
  if (!trial->original.check_passes || trial->check.exit_code != 0) return;
  // RocksDB has more value types than can be printed.
  const bool has_other_types = absl::StrContains(dump.err, "without a tag of LevelDB");
  if (dump.exit_code != 0 && !(trial->mutant.repaired && has_other_types)) {
    trial->Violate("check: exit code 0, but dump fails", Start(dump.err));
  }
  if (trial->filter.exit_code != 0 && trial->mutant.repaired) {
    trial->Violate("check: exit code 0, but filter fails",
                   absl::StrCat(Start(trial->filter.err), Start(trial->filter.out)));
  }
}

// Keys must ascend, and each must be found.
void JudgeLookups(const TableReader& reader, Trial* trial) {
  const auto it = reader.NewIterator();
  std::string last;
  size_t count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
    const std::string key(it->key());
    if (count > 0 && KeyOrderOf(reader).Compare(last, key) >= 0) {
      return trial->Violate("check: exit code 0, but a key is behind a larger one",
                            absl::StrCat(Start(key), " is behind ", Start(last)));
    }
    last = key;
    if (count > kMaxLookups && !trial->random.OneIn(16)) continue;
    bool is_found = false;
    const auto status = reader.InternalGet(key, [&](absl::string_view k, absl::string_view v) {
      is_found = k == key && v == it->value();
    });
    if (is_found && status.ok()) continue;
    return trial->Violate("check: exit code 0, but a lookup does not find a key",
                          absl::StrCat(Start(key), ": ", status.ToString()));
  }
}

void JudgeLookupsOfSound(Trial* trial) {
  if (!trial->original.check_passes || trial->check.exit_code != 0) return;
  trial->runner.Run([trial](tools::Console* console) {
    const auto table = tools::OpenTable(trial->path, {}, console);
    if (table.ok() && table->key_trust == KeyTrust::kOrdered && trial->is_order_checked()) {
      JudgeLookups(*table->reader, trial);
    }
    return tools::ExitCode::kOk;
  });
}

// Returns true if it reports that it can't go back through the index; the places of blocks are then
// only checked forward.
bool SaysThatNoWayLeadsBack(const SstResult& reverse) {
  return reverse.exit_code == 1 &&
         absl::StrContains(reverse.err, "the index block's restart points are not at entries");
}

void JudgeReverse(Trial* trial) {
  const SstResult& dump = trial->dump;
  const SstResult reverse = trial->Sst({"dump", "--format", "jsonl", "--reverse", trial->path});
  const bool may_differ = SaysThatNoWayLeadsBack(reverse) && trial->check.exit_code == 1;
  if (reverse.exit_code != dump.exit_code && !may_differ) {
    return trial->Violate("dump: another exit code with --reverse",
                          absl::StrCat(dump.exit_code, ", with --reverse ", reverse.exit_code, ": ",
                                       Start(reverse.err)));
  }
  auto lines = Lines(reverse.out);
  std::reverse(lines.begin(), lines.end());
  if (dump.exit_code == 0 && lines != Lines(dump.out)) {
    trial->Violate("dump: --reverse gives other entries", Difference(reverse.out, dump.out));
  }
}

// Returns true if the keys, in their new order, may appear to be in a proper order: fewer than 8
// distinct keys show none; nor do fewer than 16 in two blocks that changed places, since any order
// with two ascending runs may look like that.
bool MayBeAnOrder(const Trial& trial) {
  absl::flat_hash_set<std::string> keys;
  for (const OriginalEntry& entry : trial.original.entries) {
    keys.insert(trial.original.UserKey(entry));
  }
  const bool are_two_blocks = trial.original.data_blocks.size() == 2 &&
                              absl::c_linear_search(trial.mutant.kinds, "swap-neighbours");
  return keys.size() < (are_two_blocks ? 16 : 8);
}

// Neighbours are swapped, so the keys are in neither order.
void JudgeDisorder(Trial* trial) {
  const Original& original = trial->original;
  const std::string keys = original.kind == KeyKind::kInternal ? "internal" : "plain";
  const SstResult given =
      trial->Sst({"check", "--comparator", "bytewise", "--keys", keys, trial->path});
  if (given.exit_code == 0) {
    trial->Violate("check: exit code 0 with --comparator, but keys are out of order",
                   Start(given.out));
  }
  if (trial->check.exit_code != 0) return;
  if (!MayBeAnOrder(*trial)) {
    trial->Violate("check: exit code 0, but keys are out of order", Start(trial->check.out));
  } else if (trial->is_order_checked()) {
    trial->Violate("check: says ok of keys that are out of order", Start(trial->check.out));
  }
}

void JudgeStats(Trial* trial) {
  const SstResult stats = trial->Sst({"stats", "--format", "json", trial->path});
  if (stats.exit_code != 0 || !trial->original.readable || !trial->mutant.has_original_entries()) {
    return;
  }
  uint64_t value_bytes = 0;
  for (const OriginalEntry& entry : trial->original.entries) value_bytes += entry.value.size();
  const auto report = nlohmann::json::parse(stats.out, nullptr, /*allow_exceptions=*/false);
  const bool is_right = report.is_object() &&
                        report.value("entries", uint64_t{0}) == trial->original.entries.size() &&
                        (trial->original.entries.empty() ||
                         report["value_sizes"].value("sum", uint64_t{0}) == value_bytes);
  if (!is_right) {
    trial->Violate("stats: exit code 0, but not the entries of the original",
                   absl::StrCat(trial->original.entries.size(), " entries with values of ",
                                value_bytes, " bytes; it says ", Start(stats.out)));
  }
}

void JudgeLayout(Trial* trial) {
  const SstResult layout = trial->Sst({"layout", trial->path});
  if (layout.exit_code == 0 && trial->check.exit_code == 2) {
    trial->Violate("layout: exit code 0, but check can't open the table", Start(trial->check.err));
  }
  if (trial->check.exit_code == 0 && layout.exit_code != 0) {
    trial->Violate("check: exit code 0, but layout finds damage",
                   absl::StrCat(Start(layout.err), Start(layout.out)));
  }
}

// The table's own filter must match every key, or be reported as damaged.
void JudgeFilter(Trial* trial) {
  const SstResult& filter = trial->filter;
  const Original& original = trial->original;
  if (filter.exit_code != 0 || trial->mutant.repaired || !original.spec.has_value()) return;
  if (!original.spec->bits_per_key.has_value()) return;
  const std::string known = absl::StrCat(" 0 of ", Count(original.entries.size(), "key"), "\n");
  if (!absl::StrContains(filter.out, known)) {
    trial->Violate("filter: exit code 0, but not every key of the original was asked for",
                   absl::StrCat(original.entries.size(), " keys; it says ", Start(filter.out)));
  }
}

}  // namespace

void JudgeScans(Trial* trial) {
  if (trial->original.readable && trial->mutant.has_original_entries()) JudgeDump(trial);
  if (trial->mutant.repaired || trial->original.readable) JudgeSoundness(trial);
  if (trial->mutant.repaired) JudgeLookupsOfSound(trial);
  if (trial->random.OneIn(4)) JudgeReverse(trial);
  if (trial->mutant.is_reordered) JudgeDisorder(trial);
  // An unchanged table with known contents.
  if (trial->mutant.bytes == trial->original.bytes && trial->original.spec.has_value() &&
      trial->check.exit_code != 0) {
    trial->Violate("check: finds damage in a table that has none", Start(trial->check.out));
  }
  JudgeStats(trial);
  JudgeLayout(trial);
  JudgeFilter(trial);
}

}  // namespace sstable::mutants
