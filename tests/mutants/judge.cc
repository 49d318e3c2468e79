#include "tests/mutants/judge.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "report/text/words.h"
#include "sstable/format.h"
#include "sstable/table_iterator.h"
#include "table/table_internals.h"
#include "tests/support/hex.h"
#include "tests/support/whole_file.h"
#include "tools/files/open_table.h"
#include "util/coding.h"

namespace sstable::mutants {
namespace {

using Arguments = std::vector<std::string>;
using LineSet = absl::flat_hash_set<absl::string_view>;

constexpr char kTable[] = "mutant.ldb";
constexpr char kSaved[] = "saved.ldb";
constexpr char kDoubtful[] = "doubtful.jsonl";
constexpr size_t kMaxLookups = 2000;  // above this, one in 16 keys
constexpr size_t kFewKeys = 16;  // fewer need not show their order, or whether they are internal

LineSet SetOfLines(absl::string_view text) {
  const std::vector<absl::string_view> lines = Lines(text);
  return {lines.begin(), lines.end()};
}

nlohmann::json ParseJson(absl::string_view text) {
  return nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
}

// The key in a line of `sst dump --format jsonl`.
std::optional<std::string> KeyInLine(absl::string_view line) {
  const auto json = ParseJson(line);
  if (!json.is_object()) return std::nullopt;
  if (json.contains("key")) return json["key"].get<std::string>();
  if (json.contains("key_hex")) return test::FromHex(json["key_hex"].get<std::string>());
  return std::nullopt;
}

// Returns true if `get` calls the key absent, with no message about anything that it could not
// read.
bool SaysAbsent(const SstResult& get) {
  return get.exit_code == 1 && absl::StrContains(get.err, " is not in ") &&
         !absl::StrContains(get.err, "is not in what could be read");
}

bool HasMagicOfAnotherFormat(absl::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) return false;
  return !ForeignFormatOf(DecodeFixed64(bytes.data() + bytes.size() - sizeof(uint64_t))).empty();
}

class Judge {
 public:
  Judge(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random)
      : original_(original),
        mutant_(mutant),
        runner_(*runner),
        random_(*random),
        path_(runner->Path(kTable)),
        has_known_entries_(original.readable && mutant.has_original_entries()) {
    runner_.Write(kTable, mutant.bytes);
  }
  ~Judge() { runner_.Remove(kTable); }
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  Verdict Run() {
    Arguments check = {"check", path_};
    if (random_.OneIn(4)) check.insert(check.begin() + 1, {"--format", "json"});
    check_ = Sst(check);
    dump_ = Sst({"dump", "--format", "jsonl", path_});
    if (has_known_entries_) JudgeDump();
    if (random_.OneIn(4)) JudgeReverse();
    JudgeStats();
    JudgeSoundness(Sst({"layout", path_}), Sst({"filter", path_}));
    if (mutant_.is_reordered) JudgeDisorder();
    JudgeGets();
    JudgeSalvage();
    return std::move(verdict_);
  }

 private:
  // Notes a violation if a rule is broken; `detail` is about this mutant.
  bool Expect(bool holds, absl::string_view rule, absl::string_view detail) {
    if (!holds) {
      verdict_.violations.push_back({std::string(rule), absl::CHexEscape(detail.substr(0, 500))});
    }
    return holds;
  }

  SstResult Sst(const Arguments& arguments) {
    SstResult result = runner_.Run(arguments);
    const std::string name = arguments[0] + ": ";
    verdict_.runs.push_back(
        {arguments[0], result.exit_code, result.cpu_seconds, result.memory_bytes});
    const std::string detail =
        absl::StrCat("sst ", absl::StrJoin(arguments, " "), ": exit code ", result.exit_code, ", ",
                     result.memory_bytes >> 20, " MiB, ", result.err);
    Expect(result.exit_code >= 0 && result.exit_code <= 2,
           name + "an exit code that sst does not have", detail);
    Expect(result.exit_code == 0 || !result.err.empty() || !result.out.empty(),
           name + "fails, and not a word", detail);
    Expect(result.memory_bytes <= kMaxMemory, name + "too much memory", detail);
    // No message says that the checksum of an intact block is wrong.
    const std::string& report = arguments[0] == "check" ? result.out : result.err;
    if (!original_.readable || !absl::StrContains(report, "crc32c stored")) return result;
    for (const BlockHandle& handle : original_.data_blocks) {
      const std::string claim = absl::StrCat("data block at offset ", handle.offset, " (",
                                             handle.size, " bytes): crc32c stored");
      Expect(!absl::StrContains(report, claim) || !IsInPlace(handle),
             name + "a wrong checksum of an intact block", claim);
    }
    return result;
  }

  // Returns true if the original's block is still in its place.
  bool IsInPlace(const BlockHandle& handle) const {
    const size_t size = handle.size + kBlockTrailerSize;
    return handle.offset + size <= mutant_.bytes.size() &&
           mutant_.bytes.compare(handle.offset, size, original_.bytes, handle.offset, size) == 0;
  }

  // Returns true if the original's block is in its place or elsewhere. If a value has a copy of it, a
  // block that is found elsewhere may be that copy.
  bool IsIntact(const BlockHandle& handle) const {
    if (IsInPlace(handle)) return true;
    const absl::string_view was = original_.bytes;
    const absl::string_view block = was.substr(handle.offset, handle.size + kBlockTrailerSize);
    const bool is_unique = !original_.is_nested || was.find(block) == was.rfind(block);
    return is_unique && absl::StrContains(mutant_.bytes, block);
  }

  // Returns true if `check`, which found nothing, says that it compared the order of keys.
  bool IsOrderChecked() const {
    return !absl::StrContains(check_.out, "no damage found") &&
           !absl::StrContains(check_.out, "\"order_checked\":false");
  }

  // Returns true if `found` is as `expected`; in any order if entries of the mutant are in another.
  bool IsSame(absl::string_view found, absl::string_view expected) const {
    return mutant_.is_reordered
               ? found.size() == expected.size() && SetOfLines(found) == SetOfLines(expected)
               : found == expected;
  }

  void JudgeDump() {
    // The kind of a few keys is not certain if some are missing, or their order is wrong.
    const bool may_be_raw = original_.entries.size() < kFewKeys;
    if (dump_.exit_code == 0) {
      Expect(IsSame(dump_.out, original_.dump) ||
                 (may_be_raw && mutant_.is_reordered && IsSame(dump_.out, original_.raw_dump)),
             "dump: exit code 0, but the entries are not those of the original", dump_.out);
      return;
    }
    for (const absl::string_view line : Lines(dump_.out)) {
      if (original_.dump_lines.contains(line)) continue;
      if (may_be_raw && original_.raw_line_set.contains(line)) continue;
      if (original_.index_lines.contains(line)) {
        verdict_.doubts.push_back(absl::StrCat("dump: an entry of the index: ", line));
      } else {
        Expect(false, "dump: exit code 1, and an entry that never was", line);
        return;
      }
    }
  }

  void JudgeReverse() {
    const SstResult reverse = Sst({"dump", "--format", "jsonl", "--reverse", path_});
    // If the index can't be walked backward, blocks' places are not checked.
    const bool may_differ =
        reverse.exit_code == 1 && check_.exit_code == 1 &&
        absl::StrContains(reverse.err, "the index block's restart points are not at entries");
    Expect(reverse.exit_code == dump_.exit_code || may_differ,
           "dump: another exit code with --reverse", reverse.err);
    auto lines = Lines(reverse.out);
    std::reverse(lines.begin(), lines.end());
    Expect(dump_.exit_code + reverse.exit_code > 0 || lines == Lines(dump_.out),
           "dump: --reverse gives other entries", reverse.out);
  }

  void JudgeStats() {
    const SstResult stats = Sst({"stats", "--format", "json", path_});
    if (stats.exit_code != 0 || !has_known_entries_) return;
    uint64_t value_bytes = 0;
    for (const OriginalEntry& entry : original_.entries) value_bytes += entry.value.size();
    const auto report = ParseJson(stats.out);
    const size_t count = original_.entries.size();
    Expect(report.is_object() && report.value("entries", uint64_t{0}) == count &&
               (count == 0 || report["value_sizes"].value("sum", uint64_t{0}) == value_bytes),
           "stats: exit code 0, but not the entries of the original", stats.out);
  }

  // If `check` finds a table sound, the others must read it, and a lookup find each key.
  void JudgeSoundness(const SstResult& layout, const SstResult& filter) {
    const bool is_ok = check_.exit_code == 0;
    Expect(is_ok || !original_.spec.has_value() || mutant_.bytes != original_.bytes,
           "check: finds damage in a table that has none", check_.out);
    Expect(layout.exit_code != 0 || check_.exit_code != 2,
           "layout: exit code 0, but check can't open the table", check_.err);
    Expect(layout.exit_code == 0 || !is_ok, "check: exit code 0, but layout finds damage",
           layout.err + layout.out);
    // The table's own filter must match every key, or be reported as damaged.
    if (filter.exit_code == 0 && !mutant_.repaired && original_.spec.has_value() &&
        original_.spec->bits_per_key.has_value()) {
      const std::string none = absl::StrCat(" 0 of ", Count(original_.entries.size(), "key"), "\n");
      Expect(absl::StrContains(filter.out, none),
             "filter: exit code 0, but not every key of the original was asked for", filter.out);
    }
    if (!is_ok || !original_.check_passes) return;
    // RocksDB has more value types than can be printed.
    const bool has_other_types =
        mutant_.repaired && absl::StrContains(dump_.err, "without a tag of LevelDB");
    Expect(dump_.exit_code == 0 || has_other_types, "check: exit code 0, but dump fails",
           dump_.err);
    if (!mutant_.repaired) return;
    Expect(filter.exit_code == 0, "check: exit code 0, but filter fails", filter.err + filter.out);
    runner_.Run([&](tools::Console* console) {
      const auto table = tools::OpenTable(path_, {}, console);
      if (table.ok() && table->key_trust == KeyTrust::kOrdered && IsOrderChecked()) {
        JudgeLookups(*table->reader);
      }
      return tools::ExitCode::kOk;
    });
  }

  // Keys must ascend, and each must be found.
  void JudgeLookups(const TableReader& reader) {
    const auto it = reader.NewIterator();
    std::string last;
    size_t count = 0;
    bool holds = true;
    for (it->SeekToFirst(); holds && it->Valid(); it->Next(), ++count) {
      const std::string key(it->key());
      holds = Expect(count == 0 || KeyOrderOf(reader).Compare(last, key) < 0,
                     "check: exit code 0, but a key is behind a larger one", key);
      last = key;
      if (count > kMaxLookups && !random_.OneIn(16)) continue;
      bool is_found = false;
      const auto status = reader.InternalGet(key, [&](absl::string_view k, absl::string_view v) {
        is_found = k == key && v == it->value();
      });
      holds &= Expect(is_found && status.ok(),
                      "check: exit code 0, but a lookup does not find a key", key);
    }
  }

  // Neighbours are swapped, so the keys are in neither order.
  void JudgeDisorder() {
    const std::string kind = original_.kind == KeyKind::kInternal ? "internal" : "plain";
    const SstResult given = Sst({"check", "--comparator", "bytewise", "--keys", kind, path_});
    Expect(given.exit_code != 0, "check: exit code 0 with --comparator, but keys are out of order",
           given.out);
    if (check_.exit_code != 0) return;
    absl::flat_hash_set<std::string> keys;
    for (const OriginalEntry& entry : original_.entries) keys.insert(original_.UserKey(entry));
    // Fewer than 8 keys show no order; nor do fewer than 16 in two blocks that changed places,
    // since any order with two ascending runs may look like that.
    const bool are_two_blocks = original_.data_blocks.size() == 2 &&
                                absl::c_linear_search(mutant_.kinds, "swap-neighbours");
    Expect(keys.size() < (are_two_blocks ? 16 : 8), "check: exit code 0, but keys are out of order",
           check_.out);
    Expect(!IsOrderChecked(), "check: says ok of keys that are out of order", check_.out);
  }

  SstResult Get(const std::string& key) {
    return Sst({"get", "--encoding", "hex", path_, absl::BytesToHexString(key)});
  }

  // Looks up a key that dump prints; those beside a break in the order; two of damaged blocks, if
  // there are any; one of any block; and one that the table never had.
  void JudgeGets() {
    if (mutant_.has_original_entries() || dump_.exit_code == 0) JudgeGetOfDumped();
    if (!original_.readable) return;
    std::string absent = absl::StrCat("absent ", random_.Number());
    if (!original_.entries.empty()) {
      std::vector<size_t> chosen = mutant_.moved, damaged;
      for (size_t i = 0; i < original_.entries.size(); ++i) {
        if (!IsInPlace(original_.data_blocks[original_.entries[i].block])) damaged.push_back(i);
      }
      for (int left = 2; left > 0 && !damaged.empty(); --left) {
        chosen.push_back(random_.Pick(damaged));
      }
      chosen.push_back(random_.Below(original_.entries.size()));
      for (const size_t i : chosen) JudgeGet(original_.UserKey(original_.entries[i]));
      absent = original_.UserKey(original_.entries[chosen.back()]);
      const size_t at = random_.Below(absent.size() + 1);
      absent.insert(at, 1, static_cast<char>(random_.Below(256)));
    }
    JudgeGet(absent);
  }

  void JudgeGet(const std::string& key) {
    const SstResult get = Get(key);
    if (!has_known_entries_) return;
    const Expected expected = original_.Lookup(key);
    using Kind = Expected::Kind;
    if (expected.kind == Kind::kUnknown) return;
    const std::string detail =
        absl::StrCat(key, ": exit code ", get.exit_code, ", ", get.err, get.out);
    Expect(get.exit_code != 0 || (expected.kind == Kind::kFound && get.out == expected.value),
           "get: exit code 0, and a value that the key never had", detail);
    Expect(!SaysAbsent(get) || expected.kind == Kind::kAbsent,
           "get: a key of the original is absent, and not a word of damage", detail);
    Expect(get.exit_code == 0 || !absl::StrContains(get.err, " is deleted, ") ||
               expected.kind == Kind::kDeleted,
           "get: a key of the original is deleted, and not a word of damage", detail);
  }

  void JudgeGetOfDumped() {
    const std::vector<absl::string_view> lines = Lines(dump_.out);
    if (lines.empty()) return;
    const auto key = KeyInLine(random_.Pick(lines));
    if (!key.has_value()) return;
    Expect(!SaysAbsent(Get(*key)), "get: a key that dump prints is absent", *key);
  }

  // The entries that `salvage` wrote to the file for doubtful blocks.
  struct Apart {
    LineSet lines;  // without the offset and the brace
    absl::flat_hash_set<uint64_t> offsets;
  };

  static Apart ParseApart(absl::string_view text) {
    constexpr absl::string_view kOffset = ",\"offset\":";
    Apart apart;
    for (const absl::string_view line : Lines(text)) {
      const size_t end = line.rfind(kOffset);
      apart.lines.insert(line.substr(0, end));
      if (end == absl::string_view::npos) continue;
      uint64_t offset = 0;
      if (absl::SimpleAtoi(absl::StripSuffix(line.substr(end + kOffset.size()), "}"), &offset)) {
        apart.offsets.insert(offset);
      }
    }
    return apart;
  }

  // The file for doubtful blocks has every block that the report counts, and none that is inside an
  // intact one. If no value is a table, each of its entries is the original's, read as a key of
  // either kind, or its index's. This is laxer than JudgeForeign(), since nobody says that they are
  // the table's.
  void JudgeApart(const Apart& apart, const SstResult& salvage, const nlohmann::json& report) {
    Expect(apart.offsets.size() == report.at("doubtful_blocks") &&
               apart.lines.empty() == apart.offsets.empty() &&
               (apart.lines.empty() || salvage.exit_code == 1),
           "salvage: another number of doubtful blocks than it says", salvage.out);
    for (const BlockHandle& handle : original_.data_blocks) {
      const bool is_cut =
          std::any_of(apart.offsets.begin(), apart.offsets.end(), [&handle](uint64_t offset) {
            return offset > handle.offset && offset < handle.offset + handle.size;
          });
      Expect(!is_cut || !IsInPlace(handle), "salvage: a doubtful block within an intact one",
             salvage.out);
    }
    if (!has_known_entries_ || original_.is_nested) return;
    for (const absl::string_view start : apart.lines) {
      const std::string line = absl::StrCat(start, "}");
      const bool is_known = original_.raw_line_set.contains(line) ||
                            original_.dump_lines.contains(line) ||
                            original_.index_lines.contains(line);
      if (!Expect(is_known, "salvage: an entry apart that never was", line)) return;
    }
  }

  void JudgeSalvage() {
    const std::string saved = runner_.Path(kSaved);
    const std::string doubtful = runner_.Path(kDoubtful);
    const SstResult salvage =
        Sst({"salvage", "--format", "json", "--doubtful", doubtful, path_, "-o", saved});
    const bool is_written = runner_.Exists(kSaved);
    std::string apart;
    if (runner_.Exists(kDoubtful)) {
      apart = test::ReadWholeFile(doubtful);
      runner_.Remove(kDoubtful);
    }
    const std::string said = salvage.err + salvage.out;
    if (HasMagicOfAnotherFormat(mutant_.bytes)) {  // its index would be taken for data
      Expect(
          salvage.exit_code == 2 && !is_written && absl::StrContains(said, "not a LevelDB table"),
          "salvage: another format is not refused", said);
      return;
    }
    // The mutation may have made a property one that RocksDB uses and this library does not
    // support.
    if (mutant_.repaired && absl::StrContains(said, "which are not read")) return;
    const auto report = ParseJson(salvage.out);
    if (!Expect(report.is_object() && salvage.exit_code != 2, "salvage: fails", said)) return;
    Expect(is_written || salvage.exit_code != 0, "salvage: exit code 0, but no table", said);
    std::string entries;
    if (is_written) {
      entries = ReadSaved(saved);
      Expect(Lines(entries).size() == report.at("entries_saved"),
             "salvage: another number of entries than it says", said);
    }
    const Apart saved_apart = ParseApart(apart);
    JudgeApart(saved_apart, salvage, report);
    if (!mutant_.has_original_entries()) {
      JudgeSavedOfRepaired(salvage, entries);
    } else if (has_known_entries_ && original_.salvage_is_whole) {
      const bool is_ok = salvage.exit_code == 0;
      Expect(!is_ok || IsSame(entries, original_.raw_dump),
             "salvage: exit code 0, but not the entries of the original", entries);
      Expect(is_ok || mutant_.bytes != original_.bytes,
             "salvage: exit code 1, but the table has no damage", said);
      const LineSet lines = SetOfLines(entries);
      JudgeForeign(lines, salvage, report);
      JudgeLost(lines, saved_apart, salvage, report);
    }
  }

  // Returns the entries of the saved table, with tags as parts of the keys.
  std::string ReadSaved(const std::string& saved) {
    const SstResult check = Sst({"check", saved});
    SstResult dump = Sst({"dump", "--format", "jsonl", "--keys", "plain", saved});
    // Read as plain keys, versions of a user key in two blocks may be in another order.
    Expect(dump.exit_code == 0 || Sst({"dump", saved}).exit_code == 0,
           "salvage: dump of its table fails", dump.err);
    runner_.Remove(kSaved);
    // In a table with other blocks, the sample for guessing the kind of keys has other keys.
    const bool may_be_of_another_kind =
        mutant_.repaired && !mutant_.is_reordered && absl::StrContains(check.out, "no valid tag");
    Expect(check.exit_code == 0 || may_be_of_another_kind, "salvage: check of its table fails",
           check.out);
    return std::move(dump.out);
  }

  // From a sound table, everything is saved.
  void JudgeSavedOfRepaired(const SstResult& salvage, absl::string_view saved) {
    if (!original_.salvage_is_whole || !original_.check_passes) return;
    if (check_.exit_code != 0 || dump_.exit_code != 0) return;
    // In an unknown order, duplicates can't be recognized as wrong. They are saved once.
    const bool is_ordered = IsOrderChecked();
    Expect(salvage.exit_code == 0 || !is_ordered, "salvage: exit code 1, but check finds nothing",
           salvage.out);
    const SstResult raw = Sst({"dump", "--format", "jsonl", "--keys", "plain", path_});
    Expect(is_ordered ? raw.out == saved : SetOfLines(raw.out) == SetOfLines(saved),
           "salvage: of a sound table, but other entries", saved);
  }

  // Each saved entry is the original's, or the report says that some may not be.
  void JudgeForeign(const LineSet& lines, const SstResult& salvage, const nlohmann::json& report) {
    const bool admits = salvage.exit_code == 1 && !report.at("belonging_known");
    verdict_.admits_foreign_entries = admits;
    for (const absl::string_view line : lines) {
      if (original_.raw_line_set.contains(line)) continue;
      if (admits) {
        ++verdict_.admitted_entries;
      } else if (salvage.exit_code == 1 && !original_.spec.has_value() &&
                 original_.index_lines.contains(line)) {
        // An index block of one entry may be a data block as well.
        index_keys_.insert(KeyInLine(line).value_or(""));
        verdict_.doubts.push_back(absl::StrCat("salvage: an entry of the index: ", line));
      } else if (!Expect(false, "salvage: an entry that never was", line)) {
        return;
      }
    }
  }

  // Every entry of an intact block is saved. If a block may be another table's, it may be saved
  // apart, which the report says: if values are tables, unless there is a guide in its place
  // (IntactGuide); else only after more than one change, if there is no guide, or if the block was
  // moved and the index is damaged. An entry of the index that is saved may be instead of one with
  // its key. No block is both saved and reported as lost.
  void JudgeLost(const LineSet& lines, const Apart& apart, const SstResult& salvage,
                 const nlohmann::json& report) {
    const auto is_apart = [&](absl::string_view line) {
      return apart.lines.contains(line.substr(0, line.size() - 1));  // without the brace
    };
    const std::vector<absl::string_view> own_lines = Lines(original_.dump);
    const Guide guide = IntactGuide();
    // A table at the end of the file may be a value of a block that was cut there, too.
    const bool is_changed_twice = mutant_.kinds.size() != 1;
    const bool all_may_be_apart =
        (guide == Guide::kMovedIndex && original_.is_nested) ||
        (guide == Guide::kNone && (original_.is_nested || is_changed_twice));
    const bool moved_may_be_apart = is_changed_twice && !IsInPlace(original_.index);
    const bool any_is_left_out = report.at("left_out_count") > 0;
    bool is_any_apart = false;
    std::vector<bool> intact, reported, has_index_key(original_.data_blocks.size(), false);
    for (const BlockHandle& handle : original_.data_blocks) {
      intact.push_back(IsIntact(handle));
      reported.push_back(IsInPlace(handle) && IsReportedLost(handle, report));
    }
    for (const OriginalEntry& entry : original_.entries) {
      if (index_keys_.contains(entry.key)) has_index_key[entry.block] = true;
    }
    for (size_t i = 0; i < original_.entries.size(); ++i) {
      const size_t block = original_.entries[i].block;
      if (!intact[block]) continue;
      const absl::string_view line = original_.raw_lines[i];
      const bool is_moved = !IsInPlace(original_.data_blocks[block]);
      const bool may_be_apart =
          all_may_be_apart || has_index_key[block] || (is_moved && moved_may_be_apart);
      const bool may_be_left_out =
          any_is_left_out && may_be_apart && (guide == Guide::kNone || has_index_key[block]);
      // A copy of an entry may be saved from a value, and lost in its own block.
      const bool is_saved =
          lines.contains(line) && !(original_.is_nested && reported[block] &&
                                    apart.offsets.contains(original_.data_blocks[block].offset));
      if (!is_saved &&
          (may_be_left_out || (may_be_apart && (is_apart(line) || is_apart(own_lines[i]))))) {
        if (!is_any_apart) {
          verdict_.doubts.emplace_back("salvage: an intact block is saved apart, which it says");
        }
        is_any_apart = true;
        continue;
      }
      const std::string detail = absl::StrCat(line.substr(0, 200), "; it says ", salvage.out);
      if (!Expect(is_saved, "salvage: an entry of an intact block is not saved", detail)) return;
      if (!Expect(!reported[block], "salvage: a saved block is lost, it says", detail)) return;
    }
  }

  // The part that identifies the table's own blocks: the index in its place; or the footer, since
  // its offsets are only valid there, with the metaindex, which these blocks touch; or the index
  // elsewhere.
  enum class Guide { kNone, kMovedIndex, kInPlace };
  Guide IntactGuide() const {
    const absl::string_view is = mutant_.bytes, was = original_.bytes;
    const bool has_footer =
        is.size() == was.size() && absl::EndsWith(is, was.substr(was.size() - kFooterSize));
    if (IsInPlace(original_.index) || (has_footer && IsInPlace(original_.metaindex))) {
      return Guide::kInPlace;
    }
    const BlockHandle& index = original_.index;
    const size_t at = is.find(was.substr(index.offset, index.size + kBlockTrailerSize));
    if (at == absl::string_view::npos) return Guide::kNone;
    return original_.is_nested && ContradictsItself(at) ? Guide::kNone : Guide::kMovedIndex;
  }

  // Returns true if an index lies where, judging by the place of one of its blocks, another of its
  // blocks would be. So it is wrong about that one, or is another table's.
  bool ContradictsItself(uint64_t index_at) const {
    const absl::string_view is = mutant_.bytes, was = original_.bytes;
    for (const BlockHandle& placed : original_.data_blocks) {
      const size_t at = is.find(was.substr(placed.offset, placed.size + kBlockTrailerSize));
      if (at == absl::string_view::npos) continue;
      for (const BlockHandle& other : original_.data_blocks) {
        const uint64_t start = at + other.offset - placed.offset;
        if (index_at >= start && index_at < start + other.size) return true;
      }
    }
    return false;
  }

  static bool IsReportedLost(const BlockHandle& handle, const nlohmann::json& report) {
    const auto& lost = report.at("lost");
    return std::any_of(lost.begin(), lost.end(), [&](const nlohmann::json& range) {
      const uint64_t offset = range.at("offset"), size = range.at("size");
      return handle.offset >= offset && handle.offset + handle.size <= offset + size;
    });
  }

  const Original& original_;
  const Mutant& mutant_;
  SstRunner& runner_;
  Random& random_;
  const std::string path_;
  const bool has_known_entries_;
  SstResult check_, dump_;  // for the mutant
  // The keys of those entries in the saved table that are the index's.
  absl::flat_hash_set<std::string> index_keys_;
  Verdict verdict_;
};

}  // namespace

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random) {
  return Judge(original, mutant, runner, random).Run();
}

}  // namespace sstable::mutants
