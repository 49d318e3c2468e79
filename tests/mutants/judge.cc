#include "tests/mutants/judge.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "table/table_iterator.h"
#include "tools/table_input.h"

namespace sstable::mutants {
namespace {

constexpr char kTable[] = "mutant.ldb";
constexpr char kSaved[] = "saved.ldb";

std::string Start(absl::string_view text) { return absl::CHexEscape(text.substr(0, 300)); }

class Judge {
 public:
  Judge(const Original& original, const Mutant& mutant, SstRunner* runner, Random* random)
      : original_(original), mutant_(mutant), runner_(*runner), random_(*random) {}

  Verdict Run() {
    path_ = runner_.Path(kTable);
    runner_.Write(kTable, mutant_.bytes);
    FindIntactBlocks();
    std::vector<std::string> check_args = {"check", path_};
    if (random_.OneIn(4)) check_args.insert(check_args.begin() + 1, {"--format", "json"});
    check_ = Sst(check_args);
    dump_ = Sst({"dump", "--format", "jsonl", path_});
    filter_ = Sst({"filter", path_});
    if (mutant_.repaired) {
      JudgeAgreement();
    } else if (original_.readable) {
      JudgeTruth();
    }
    JudgeReverse();
    JudgeGets();
    JudgeSalvage();
    runner_.Remove(kTable);
    return std::move(verdict_);
  }

 private:
  void Violation(const std::string& text) { verdict_.violations.push_back(text); }

  SstResult Sst(const std::vector<std::string>& arguments) {
    SstResult result = runner_.Run(arguments);
    verdict_.runs.push_back(
        {arguments[0], result.exit_code, result.cpu_seconds, result.memory_bytes});
    const std::string command = absl::StrCat("sst ", absl::StrJoin(arguments, " "));
    if (result.exit_code < 0 || result.exit_code > 2) {
      Violation(absl::StrCat(command, ": exit code ", result.exit_code, ", ", Start(result.err)));
    }
    if (result.exit_code != 0 && result.err.empty() && result.out.empty()) {
      Violation(absl::StrCat(command, ": exit code ", result.exit_code, ", and not a word"));
    }
    if (result.memory_bytes > kMaxMemory) {
      Violation(absl::StrCat(command, ": took ", result.memory_bytes >> 20, " MiB"));
    }
    return result;
  }

  // A block is intact if it is as it was, here or elsewhere.
  void FindIntactBlocks() {
    const absl::string_view was = original_.bytes;
    const absl::string_view is = mutant_.bytes;
    for (const BlockHandle& handle : original_.data_blocks) {
      const absl::string_view block = was.substr(handle.offset, handle.size + kBlockTrailerSize);
      intact_.push_back(is.substr(std::min<size_t>(handle.offset, is.size()), block.size()) ==
                            block ||
                        is.find(block) != absl::string_view::npos);
    }
  }

  // What a mutant says that is not repaired.
  void JudgeTruth() {
    if (dump_.exit_code == 0 && dump_.out != original_.dump) {
      Violation(absl::StrCat("dump: exit code 0, but the entries are not those of the original: ",
                             Difference(dump_.out, original_.dump), "; it says ",
                             Start(dump_.err)));
    }
    for (absl::string_view line : Lines(dump_.out)) {
      if (dump_.exit_code == 0 || original_.dump_lines.contains(line)) continue;
      if (original_.index_lines.contains(line)) {
        verdict_.doubts.push_back(absl::StrCat("dump: an entry of the index: ", Start(line)));
        continue;
      }
      Violation(absl::StrCat("dump: exit code 1, and an entry that never was: ", Start(line),
                             "; it says ", Start(dump_.err)));
      break;
    }
    if (check_.exit_code == 0 && original_.check_passes && dump_.exit_code != 0) {
      Violation(absl::StrCat("check: exit code 0, but dump fails: ", Start(dump_.err)));
    }
  }

  static absl::flat_hash_set<absl::string_view> SetOf(absl::string_view text) {
    const std::vector<absl::string_view> lines = Lines(text);
    return {lines.begin(), lines.end()};
  }

  static std::string Difference(absl::string_view found, absl::string_view expected) {
    const size_t at = static_cast<size_t>(
        std::mismatch(found.begin(), found.end(), expected.begin(), expected.end()).first -
        found.begin());
    const size_t line = found.rfind('\n', at) == absl::string_view::npos || at == 0
                            ? 0
                            : found.rfind('\n', at - 1) + 1;
    return absl::StrCat(Lines(found).size(), " of ", Lines(expected).size(), " lines; found ",
                        Start(found.substr(line)), ", expected ", Start(expected.substr(line)));
  }

  // What commands say of the same repaired table.
  void JudgeAgreement() {
    if (!original_.check_passes || check_.exit_code != 0) return;
    // RocksDB has more types of values than can be printed.
    if (dump_.exit_code != 0 && !absl::StrContains(dump_.err, "without a tag of LevelDB")) {
      Violation(absl::StrCat("check: exit code 0, but dump fails: ", Start(dump_.err)));
    }
    if (filter_.exit_code != 0) {
      Violation(absl::StrCat("check: exit code 0, but filter fails: ", Start(filter_.err),
                             Start(filter_.out)));
    }
    runner_.Run([this](tools::Console* console) {
      const auto table = tools::OpenTable(path_, {}, console);
      if (table.ok() && table->order_known() && IsOrderChecked()) JudgeLookups(*table->reader);
      return tools::ExitCode::kOk;
    });
  }

  bool IsOrderChecked() const {
    return !absl::StrContains(check_.out, "order of keys") &&
           !absl::StrContains(check_.out, "\"order_checked\":false");
  }

  // Keys ascend, and each is found.
  void JudgeLookups(const TableReader& reader) {
    const auto it = reader.NewIterator();
    std::string last;
    size_t count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++count) {
      const std::string key(it->key());
      if (count > 0 && reader.order().Compare(last, key) >= 0) {
        return Violation(
            absl::StrCat("check: exit code 0, but ", Start(key), " is behind ", Start(last)));
      }
      last = key;
      if (count > kMaxLookups && !random_.OneIn(16)) continue;
      bool is_found = false;
      const auto status = reader.InternalGet(key, [&](absl::string_view k, absl::string_view v) {
        is_found = k == key && v == it->value();
      });
      if (is_found && status.ok()) continue;
      return Violation(absl::StrCat("check: exit code 0, but a lookup does not find ", Start(key),
                                    ": ", status.ToString()));
    }
  }

  void JudgeReverse() {
    if (!random_.OneIn(4)) return;
    const SstResult reverse = Sst({"dump", "--format", "jsonl", "--reverse", path_});
    if (reverse.exit_code != dump_.exit_code) {
      return Violation(absl::StrCat("dump: exit code ", dump_.exit_code, ", with --reverse ",
                                    reverse.exit_code, ": ", Start(reverse.err)));
    }
    auto lines = Lines(reverse.out);
    std::reverse(lines.begin(), lines.end());
    if (dump_.exit_code == 0 && lines != Lines(dump_.out)) {
      Violation("dump: --reverse gives other entries");
    }
  }

  // Two keys of damaged blocks, if there are some, one of any, one that the table never had.
  void JudgeGets() {
    if (!original_.readable) return;
    std::vector<size_t> damaged;
    for (size_t i = 0; i < original_.entries.size(); ++i) {
      if (!intact_[original_.entries[i].block]) damaged.push_back(i);
    }
    std::string absent = absl::StrCat("absent ", random_.Number());
    if (!original_.entries.empty()) {
      for (int left = 2; left > 0 && !damaged.empty(); --left)
        JudgeGet(KeyOf(random_.Pick(damaged)));
      absent = KeyOf(random_.Below(original_.entries.size()));
      JudgeGet(absent);
      const size_t at = random_.Below(absent.size() + 1);
      absent.insert(at, 1, static_cast<char>(random_.Below(256)));
    }
    JudgeGet(absent);
  }

  std::string KeyOf(size_t entry) const { return original_.UserKey(original_.entries[entry]); }

  void JudgeGet(const std::string& key) {
    const SstResult get = Sst({"get", "--encoding", "hex", path_, absl::BytesToHexString(key)});
    if (mutant_.repaired) return;
    const Expected expected = original_.Lookup(key);
    if (expected.kind == Expected::Kind::kUnknown) return;
    const std::string what = absl::StrCat("get ", absl::BytesToHexString(key), ": exit code ",
                                          get.exit_code, ", ", Start(get.err));
    if (get.exit_code == 0) {
      if (expected.kind != Expected::Kind::kFound || get.out != expected.value) {
        Violation(absl::StrCat(what, ", and a value that it never had: ", Start(get.out)));
      }
      return;
    }
    const bool says_damage = absl::StrContains(get.err, "is not in what could be read");
    const bool says_absent = absl::StrContains(get.err, " is not in ") && !says_damage;
    const bool says_deleted = absl::StrContains(get.err, " is deleted, ");
    if ((says_absent && expected.kind != Expected::Kind::kAbsent) ||
        (says_deleted && expected.kind != Expected::Kind::kDeleted)) {
      Violation(absl::StrCat(what, ", and not a word of damage; the original has it"));
    }
  }

  void JudgeSalvage() {
    const std::string saved = runner_.Path(kSaved);
    const SstResult salvage = Sst({"salvage", path_, "-o", saved});
    if (salvage.exit_code == 2) Violation(absl::StrCat("salvage: fails, ", Start(salvage.err)));
    if (!runner_.Exists(kSaved)) {
      if (salvage.exit_code == 0) Violation("salvage: exit code 0, but no table");
      if (salvage.exit_code == 1) JudgeSaved(salvage, "");
      return;
    }
    const SstResult check = Sst({"check", saved});
    const SstResult dump = Sst({"dump", "--format", "jsonl", "--keys", "plain", saved});
    runner_.Remove(kSaved);
    // The sample of keys that kinds are guessed by has others in a table with other blocks.
    if (check.exit_code != 0 && mutant_.repaired && absl::StrContains(check.out, "no valid tag")) {
      verdict_.doubts.emplace_back("salvage: another kind of keys is guessed of its table");
    } else if (check.exit_code != 0) {
      Violation(absl::StrCat("salvage: check of its table fails: ", Start(check.out)));
    }
    if (dump.exit_code != 0) {
      Violation(absl::StrCat("salvage: dump of its table fails: ", Start(dump.err)));
    }
    JudgeSaved(salvage, dump.out);
  }

  // `saved` are the entries of the table that was made, one a line.
  void JudgeSaved(const SstResult& salvage, absl::string_view saved) {
    if (mutant_.repaired) return JudgeSavedOfRepaired(salvage, saved);
    if (!original_.readable || !original_.salvage_is_whole) return;
    if (salvage.exit_code == 0 && saved != original_.raw_dump) {
      Violation(absl::StrCat("salvage: exit code 0, but ", Difference(saved, original_.raw_dump),
                             "; it says ", Start(salvage.err)));
    }
    absl::flat_hash_set<absl::string_view> lines;
    bool has_index_entry = false;
    for (absl::string_view line : Lines(saved)) {
      lines.insert(line);
      if (original_.raw_line_set.contains(line)) continue;
      // An index block of one entry, alone, may be a data block as well.
      if (salvage.exit_code == 1 && original_.index_lines.contains(line)) {
        verdict_.doubts.push_back(absl::StrCat("salvage: an entry of the index: ", Start(line)));
        has_index_entry = true;
        continue;
      }
      return Violation(absl::StrCat("salvage: an entry that never was: ", Start(line), "; it says ",
                                    Start(salvage.err)));
    }
    // Nor does anything tell which is which, where such an entry and another have the same key.
    const bool has_left_out = salvage.exit_code == 1 && absl::StrContains(salvage.err, "left out:");
    for (size_t i = 0; i < original_.entries.size(); ++i) {
      const OriginalEntry& entry = original_.entries[i];
      if (has_index_entry && has_left_out) break;
      if (!intact_[entry.block] || lines.contains(original_.raw_lines[i])) continue;
      return Violation(absl::StrCat(
          "salvage: an entry of an intact block is not saved: ", Start(original_.raw_lines[i]),
          ", of block ", entry.block, "; it says ", Start(salvage.err)));
    }
  }

  void JudgeSavedOfRepaired(const SstResult& salvage, absl::string_view saved) {
    if (!original_.salvage_is_whole || !original_.check_passes || check_.exit_code != 0) return;
    if (dump_.exit_code != 0) return;
    // In no known order, what is there twice can't be told to be wrong. It is saved once.
    if (salvage.exit_code != 0 && IsOrderChecked()) {
      return Violation(absl::StrCat("check: exit code 0, but salvage says ", Start(salvage.err)));
    }
    const SstResult raw = Sst({"dump", "--format", "jsonl", "--keys", "plain", path_});
    const bool is_same = IsOrderChecked() ? raw.out == saved : SetOf(raw.out) == SetOf(saved);
    if (!is_same) {
      Violation(absl::StrCat("salvage: of a sound table, but other entries: ",
                             Difference(saved, raw.out)));
    }
  }

  static constexpr size_t kMaxLookups = 2000;  // beyond them one in 16 keys

  const Original& original_;
  const Mutant& mutant_;
  SstRunner& runner_;
  Random& random_;
  std::string path_;
  std::vector<bool> intact_;  // of Original::data_blocks
  SstResult check_, dump_, filter_;
  Verdict verdict_;
};

}  // namespace

Verdict JudgeMutant(const Original& original, const Mutant& mutant, SstRunner* runner,
                    Random* random) {
  return Judge(original, mutant, runner, random).Run();
}

}  // namespace sstable::mutants
