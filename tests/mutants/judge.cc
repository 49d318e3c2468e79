#include "tests/mutants/judge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "report/text/words.h"
#include "sstable/format.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "tests/mutants/trial.h"
#include "tools/files/open_table.h"

namespace sstable::mutants {
namespace {

constexpr size_t kMaxLookups = 2000;  // above this, only one key in 16 is looked up
constexpr size_t kFewKeys = 16;       // with fewer, their order and kind may be undetectable

// Returns true if `get` reports the key as absent without mentioning unreadable data.
bool SaysAbsent(const SstResult& get) {
  return get.exit_code == 1 && absl::StrContains(get.err, " is not in ") &&
         !absl::StrContains(get.err, "is not in what could be read");
}

// Judges the commands that read a table.
class Judge {
 public:
  explicit Judge(Trial* trial)
      : trial_(*trial), original_(trial->original), mutant_(trial->mutant) {}

  void Run() {
    Arguments check = {"check", trial_.path};
    if (trial_.random.OneIn(4)) check.insert(check.begin() + 1, {"--format", "json"});
    trial_.check = trial_.Sst(check);
    trial_.dump = trial_.Sst({"dump", "--format", "jsonl", trial_.path});
    if (trial_.has_known_entries) JudgeDump();
    if (trial_.random.OneIn(4)) JudgeReverse();
    JudgeStats();
    JudgeSoundness(trial_.Sst({"layout", trial_.path}), trial_.Sst({"filter", trial_.path}));
    if (mutant_.is_reordered) JudgeDisorder();
    JudgeGets();
  }

 private:
  void JudgeDump() {
    // If there are few keys, missing or misplaced ones can change the kind that is guessed.
    const bool may_be_raw = original_.entries.size() < kFewKeys;
    if (trial_.dump.exit_code == 0) {
      trial_.Expect(trial_.IsSame(trial_.dump.out, original_.dump) ||
                        (may_be_raw && mutant_.is_reordered &&
                         trial_.IsSame(trial_.dump.out, original_.raw_dump)),
                    "dump: exit code 0, but the entries are not those of the original",
                    trial_.dump.out);
      return;
    }
    for (const absl::string_view line : Lines(trial_.dump.out)) {
      if (original_.dump_lines.contains(line)) continue;
      if (may_be_raw && original_.raw_line_set.contains(line)) continue;
      if (original_.index_lines.contains(line)) {
        trial_.verdict.doubts.push_back(absl::StrCat("dump: an entry of the index: ", line));
      } else {
        trial_.Expect(false, "dump: exit code 1, and an entry that never was", line);
        return;
      }
    }
  }

  void JudgeReverse() {
    const SstResult reverse = trial_.Sst({"dump", "--format", "jsonl", "--reverse", trial_.path});
    // If the index can't be walked backward, the positions of blocks are not checked.
    const bool may_differ =
        reverse.exit_code == 1 && trial_.check.exit_code == 1 &&
        absl::StrContains(reverse.err, "the index block's restart points are not at entries");
    trial_.Expect(reverse.exit_code == trial_.dump.exit_code || may_differ,
                  "dump: another exit code with --reverse", reverse.err);
    auto lines = Lines(reverse.out);
    std::reverse(lines.begin(), lines.end());
    trial_.Expect(trial_.dump.exit_code + reverse.exit_code > 0 || lines == Lines(trial_.dump.out),
                  "dump: --reverse gives other entries", reverse.out);
  }

  void JudgeStats() {
    const SstResult stats = trial_.Sst({"stats", "--format", "json", trial_.path});
    if (stats.exit_code != 0 || !trial_.has_known_entries) return;
    uint64_t value_bytes = 0;
    for (const OriginalEntry& entry : original_.entries) value_bytes += entry.value.size();
    const auto report = ParseJson(stats.out);
    const size_t count = original_.entries.size();
    trial_.Expect(
        report.is_object() && report.value("entries", uint64_t{0}) == count &&
            (count == 0 || report["value_sizes"].value("sum", uint64_t{0}) == value_bytes),
        "stats: exit code 0, but not the entries of the original", stats.out);
  }

  // If `check` finds no damage, the other commands must succeed and lookups must find every key.
  void JudgeSoundness(const SstResult& layout, const SstResult& filter) {
    const bool is_ok = trial_.check.exit_code == 0;
    trial_.Expect(is_ok || !original_.spec.has_value() || mutant_.bytes != original_.bytes,
                  "check: finds damage in a table that has none", trial_.check.out);
    trial_.Expect(layout.exit_code != 0 || trial_.check.exit_code != 2,
                  "layout: exit code 0, but check can't open the table", trial_.check.err);
    trial_.Expect(layout.exit_code == 0 || !is_ok, "check: exit code 0, but layout finds damage",
                  layout.err + layout.out);
    // The table's own filter must match every key, or be reported as damaged.
    if (filter.exit_code == 0 && !mutant_.repaired && original_.spec.has_value() &&
        original_.spec->bits_per_key.has_value()) {
      const std::string none = absl::StrCat(" 0 of ", Count(original_.entries.size(), "key"), "\n");
      trial_.Expect(absl::StrContains(filter.out, none),
                    "filter: exit code 0, but not every key of the original was asked for",
                    filter.out);
    }
    if (!is_ok || !original_.check_passes) return;
    // Tables of RocksDB have value types that dump can't print.
    const bool has_other_types =
        mutant_.repaired && absl::StrContains(trial_.dump.err, "without a tag of LevelDB");
    trial_.Expect(trial_.dump.exit_code == 0 || has_other_types,
                  "check: exit code 0, but dump fails", trial_.dump.err);
    if (!mutant_.repaired) return;
    trial_.Expect(filter.exit_code == 0, "check: exit code 0, but filter fails",
                  filter.err + filter.out);
    trial_.runner.Run([&](tools::Console* console) {
      const auto table = tools::OpenTable(trial_.path, {}, console);
      if (table.ok() && table->key_trust == KeyTrust::kOrdered && trial_.IsOrderChecked()) {
        JudgeLookups(*table->reader);
      }
      return tools::ExitCode::kOk;
    });
  }

  // Keys must ascend, and a lookup must find each of them.
  void JudgeLookups(const TableReader& reader) {
    const auto it = reader.NewIterator();
    std::string last;
    size_t count = 0;
    bool holds = true;
    for (it->SeekToFirst(); holds && it->Valid(); it->Next(), ++count) {
      const std::string key(it->key());
      holds = trial_.Expect(count == 0 || KeyOrderOf(reader).Compare(last, key) < 0,
                            "check: exit code 0, but a key is behind a larger one", key);
      last = key;
      if (count > kMaxLookups && !trial_.random.OneIn(16)) continue;
      bool is_found = false;
      const auto status = reader.InternalGet(key, [&](absl::string_view k, absl::string_view v) {
        is_found = k == key && v == it->value();
      });
      holds &= trial_.Expect(is_found && status.ok(),
                             "check: exit code 0, but a lookup does not find a key", key);
    }
  }

  // Neighbours were swapped, so the keys are not in bytewise order, as plain or as internal keys.
  void JudgeDisorder() {
    const std::string kind = original_.kind == KeyKind::kInternal ? "internal" : "plain";
    const SstResult given =
        trial_.Sst({"check", "--comparator", "bytewise", "--keys", kind, trial_.path});
    trial_.Expect(given.exit_code != 0,
                  "check: exit code 0 with --comparator, but keys are out of order", given.out);
    if (trial_.check.exit_code != 0) return;
    absl::flat_hash_set<std::string> keys;
    for (const OriginalEntry& entry : original_.entries) keys.insert(original_.UserKey(entry));
    // No order can be inferred from fewer than 8 keys. If two blocks were swapped, it takes 16,
    // since two ascending runs fit many orders.
    const bool are_two_blocks = original_.data_blocks.size() == 2 &&
                                absl::c_linear_search(mutant_.kinds, "swap-neighbours");
    trial_.Expect(keys.size() < (are_two_blocks ? 16 : 8),
                  "check: exit code 0, but keys are out of order", trial_.check.out);
    trial_.Expect(!trial_.IsOrderChecked(), "check: says ok of keys that are out of order",
                  trial_.check.out);
  }

  SstResult Get(const std::string& key) {
    return trial_.Sst({"get", "--encoding", "hex", trial_.path, absl::BytesToHexString(key)});
  }

  // Looks up a key that dump prints, the keys beside a break in the order, up to two keys of
  // damaged blocks, any one key, and one that the table never had.
  void JudgeGets() {
    if (mutant_.has_original_entries() || trial_.dump.exit_code == 0) JudgeGetOfDumped();
    if (!original_.readable) return;
    std::string absent = absl::StrCat("absent ", trial_.random.Number());
    if (!original_.entries.empty()) {
      std::vector<size_t> chosen = mutant_.moved, damaged;
      for (size_t i = 0; i < original_.entries.size(); ++i) {
        if (!trial_.IsInPlace(original_.data_blocks[original_.entries[i].block])) {
          damaged.push_back(i);
        }
      }
      for (int left = 2; left > 0 && !damaged.empty(); --left) {
        chosen.push_back(trial_.random.Pick(damaged));
      }
      chosen.push_back(trial_.random.Below(original_.entries.size()));
      for (const size_t i : chosen) JudgeGet(original_.UserKey(original_.entries[i]));
      absent = original_.UserKey(original_.entries[chosen.back()]);
      const size_t at = trial_.random.Below(absent.size() + 1);
      absent.insert(at, 1, static_cast<char>(trial_.random.Below(256)));
    }
    JudgeGet(absent);
  }

  void JudgeGet(const std::string& key) {
    const SstResult get = Get(key);
    if (!trial_.has_known_entries) return;
    const Expected expected = original_.Lookup(key);
    using Kind = Expected::Kind;
    if (expected.kind == Kind::kUnknown) return;
    const std::string detail =
        absl::StrCat(key, ": exit code ", get.exit_code, ", ", get.err, get.out);
    trial_.Expect(
        get.exit_code != 0 || (expected.kind == Kind::kFound && get.out == expected.value),
        "get: exit code 0, and a value that the key never had", detail);
    trial_.Expect(!SaysAbsent(get) || expected.kind == Kind::kAbsent,
                  "get: a key of the original is absent, and not a word of damage", detail);
    trial_.Expect(get.exit_code == 0 || !absl::StrContains(get.err, " is deleted, ") ||
                      expected.kind == Kind::kDeleted,
                  "get: a key of the original is deleted, and not a word of damage", detail);
  }

  void JudgeGetOfDumped() {
    const std::vector<absl::string_view> lines = Lines(trial_.dump.out);
    if (lines.empty()) return;
    const auto key = KeyInLine(trial_.random.Pick(lines));
    if (!key.has_value()) return;
    trial_.Expect(!SaysAbsent(Get(*key)), "get: a key that dump prints is absent", *key);
  }

  Trial& trial_;
  const Original& original_;
  const Mutant& mutant_;
};

}  // namespace

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random) {
  Trial trial(original, mutant, runner, random);
  Judge(&trial).Run();
  JudgeSalvage(&trial);
  return std::move(trial.verdict);
}

}  // namespace sstable::mutants
