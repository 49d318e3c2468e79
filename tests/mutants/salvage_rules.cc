// The rules for what `sst salvage` saves, and for its report.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "tests/mutants/rules.h"
#include "util/coding.h"

namespace sstable::mutants {
namespace {

constexpr char kSaved[] = "saved.ldb";

// Returns true if the report says that saved entries may not belong to this table.
bool AdmitsForeignEntries(const SstResult& salvage) {
  constexpr const char* kAdmissions[] = {
      "may not belong to this table",
      "may be of another table",
      "may be another table's",
  };
  return salvage.exit_code == 1 &&
         std::any_of(std::begin(kAdmissions), std::end(kAdmissions),
                     [&](const char* words) { return absl::StrContains(salvage.err, words); });
}

constexpr char kMovedIndex[] = "index, moved";

// Returns true if an index lies where, judging by the place of one of its blocks, another of its
// blocks would be. So it is wrong about that one, or is another table's.
bool ContradictsItself(const Trial& trial, uint64_t index_at) {
  const absl::string_view was = trial.original.bytes;
  const absl::string_view is = trial.mutant.bytes;
  for (const BlockHandle& placed : trial.original.data_blocks) {
    const size_t at = is.find(was.substr(placed.offset, placed.size + kBlockTrailerSize));
    if (at == absl::string_view::npos) continue;
    for (const BlockHandle& other : trial.original.data_blocks) {
      const uint64_t start = at + other.offset - placed.offset;
      if (index_at >= start && index_at < start + other.size) return true;
    }
  }
  return false;
}

// Describes what remains in the mutant to identify the table's own blocks: the index, there or
// elsewhere, or a footer in its place, since its offsets are only valid there. Empty if neither
// remains.
std::string IntactGuide(const Trial& trial) {
  const absl::string_view was = trial.original.bytes;
  const absl::string_view is = trial.mutant.bytes;
  const BlockHandle& handle = trial.original.index;
  const absl::string_view index = was.substr(handle.offset, handle.size + kBlockTrailerSize);
  const absl::string_view footer = was.substr(was.size() - kFooterSize);
  const bool has_footer = is.size() == was.size() && absl::EndsWith(is, footer);
  if (is.substr(std::min<size_t>(handle.offset, is.size()), index.size()) == index) {
    return has_footer ? "index and footer" : "index";
  }
  const size_t index_at = is.find(index);
  if (index_at != absl::string_view::npos) {
    return trial.original.is_nested && ContradictsItself(trial, index_at) ? "" : kMovedIndex;
  }
  return has_footer ? "footer" : "";
}

class SavedEntries {
 public:
  // `saved` has the entries of the salvaged table, one per line.
  SavedEntries(const SstResult& salvage, absl::string_view saved, Trial* trial)
      : salvage_(salvage), saved_(saved), trial_(*trial), original_(trial->original) {}

  void Judge() {
    if (!trial_.mutant.has_original_entries()) return JudgeRepaired();
    if (!original_.readable || !original_.salvage_is_whole) return;
    JudgeWhole();
    if (JudgeForeign()) JudgeMissing();
  }

 private:
  void Violate(absl::string_view rule, absl::string_view detail) {
    trial_.Violate(absl::StrCat("salvage: ", rule),
                   absl::StrCat(detail, "; it says ", Start(salvage_.err)));
  }

  // If the report says that nothing is lost, nothing may be.
  void JudgeWhole() {
    if (salvage_.exit_code != 0) {
      if (trial_.mutant.bytes == original_.bytes) {
        Violate("exit code 1, but the table has no damage", "");
      }
      return;
    }
    const bool is_whole = trial_.mutant.is_reordered ? HaveSameLines(saved_, original_.raw_dump)
                                                     : saved_ == original_.raw_dump;
    if (!is_whole) {
      Violate("exit code 0, but not the entries of the original",
              Difference(saved_, original_.raw_dump));
    }
  }

  // Returns false if there is an entry that never existed, and the report does not say so.
  bool JudgeForeign() {
    const bool admits = trial_.verdict.admits_foreign_entries = AdmitsForeignEntries(salvage_);
    for (absl::string_view line : Lines(saved_)) {
      lines_.insert(line);
      if (original_.raw_line_set.contains(line)) continue;
      if (admits) {
        ++trial_.verdict.admitted_entries;
        continue;
      }
      // A single index block of one entry may be a data block as well.
      const bool is_of_index = original_.index_lines.contains(line);
      if (is_of_index && salvage_.exit_code == 1 && !original_.spec.has_value()) {
        trial_.verdict.doubts.push_back(
            absl::StrCat("salvage: an entry of the index: ", Start(line)));
        has_index_entry_ = true;
        continue;
      }
      Violate(is_of_index ? "an entry of the index is saved, and not a word of it"
                          : "an entry that never was",
              Start(line));
      return false;
    }
    return true;
  }

  // Every entry of an intact block must be saved. Exceptions: if a table contains others, and
  // neither its index nor its footer remains, nothing identifies its own blocks; nor does anything
  // show that a table without others has none.
  void JudgeMissing() {
    const std::string guide = IntactGuide(trial_);
    if (original_.is_nested && guide.empty()) return;
    // If an index entry and another entry have the same key, nothing distinguishes them.
    const bool has_left_out =
        salvage_.exit_code == 1 && absl::StrContains(salvage_.err, "left out:");
    if (has_index_entry_ && has_left_out) return;
    for (size_t i = 0; i < original_.entries.size(); ++i) {
      const OriginalEntry& entry = original_.entries[i];
      if (!trial_.intact[entry.block] || lines_.contains(original_.raw_lines[i])) continue;
      // A table at the end of the file may be a value of a block that was cut there, too.
      const bool may_be_a_value = guide == kMovedIndex && !original_.is_nested &&
                                  absl::StrContains(salvage_.err, "inside damaged ones");
      if ((guide.empty() || may_be_a_value) && has_left_out) {
        trial_.verdict.doubts.emplace_back("salvage: an intact block is left out, which it says");
        return;
      }
      return Violate(absl::StrCat("an entry of an intact block is not saved (intact: ",
                                  guide.empty() ? "neither index nor footer" : guide, ")"),
                     absl::StrCat(Start(original_.raw_lines[i]), ", of block ", entry.block));
    }
  }

  // From a sound table, everything is saved.
  void JudgeRepaired() {
    if (!original_.salvage_is_whole || !original_.check_passes) return;
    if (trial_.check.exit_code != 0 || trial_.dump.exit_code != 0) return;
    // In an unknown order, duplicates can't be recognized as wrong. They are saved once.
    const bool is_ordered = trial_.is_order_checked();
    if (salvage_.exit_code != 0 && is_ordered) {
      return Violate("exit code 1, but check finds nothing", "");
    }
    const SstResult raw = trial_.Sst({"dump", "--format", "jsonl", "--keys", "plain", trial_.path});
    const bool is_same = is_ordered ? raw.out == saved_ : SetOfLines(raw.out) == SetOfLines(saved_);
    if (!is_same) Violate("of a sound table, but other entries", Difference(saved_, raw.out));
  }

  const SstResult& salvage_;
  const absl::string_view saved_;
  Trial& trial_;
  const Original& original_;
  absl::flat_hash_set<absl::string_view> lines_;  // lines of saved_
  bool has_index_entry_ = false;
};

bool HasMagicOfAnotherFormat(absl::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) return false;
  return !ForeignFormatOf(DecodeFixed64(bytes.data() + bytes.size() - sizeof(uint64_t))).empty();
}

// Its index would be taken for data, so it has to be refused.
void JudgeSalvageOfAnotherFormat(const SstResult& salvage, Trial* trial) {
  const bool is_refused = salvage.exit_code == 2 && !trial->runner.Exists(kSaved) &&
                          absl::StrContains(salvage.err, "not a LevelDB table");
  if (!is_refused) trial->Violate("salvage: another format is not refused", Start(salvage.err));
}

}  // namespace

void JudgeSalvage(Trial* trial) {
  const std::string saved = trial->runner.Path(kSaved);
  const SstResult salvage = trial->Sst({"salvage", trial->path, "-o", saved});
  if (HasMagicOfAnotherFormat(trial->mutant.bytes)) {
    return JudgeSalvageOfAnotherFormat(salvage, trial);
  }
  if (salvage.exit_code == 2) trial->Violate("salvage: fails", Start(salvage.err));
  if (!trial->runner.Exists(kSaved)) {
    if (salvage.exit_code == 0) trial->Violate("salvage: exit code 0, but no table", "");
    if (salvage.exit_code == 1) SavedEntries(salvage, "", trial).Judge();
    return;
  }
  const SstResult check = trial->Sst({"check", saved});
  const SstResult dump = trial->Sst({"dump", "--format", "jsonl", "--keys", "plain", saved});
  // Read as plain keys, versions of a user key in two blocks may be in another order.
  const bool dump_fails =
      dump.exit_code != 0 && trial->Sst({"dump", "--format", "jsonl", saved}).exit_code != 0;
  trial->runner.Remove(kSaved);
  // In a table with other blocks, the sample for guessing the kind of keys has other keys.
  if (check.exit_code != 0 && trial->mutant.repaired && !trial->mutant.is_reordered &&
      absl::StrContains(check.out, "no valid tag")) {
    trial->verdict.doubts.emplace_back("salvage: another kind of keys is guessed of its table");
  } else if (check.exit_code != 0) {
    trial->Violate("salvage: check of its table fails", Start(check.out));
  }
  if (dump_fails) trial->Violate("salvage: dump of its table fails", Start(dump.err));
  SavedEntries(salvage, dump.out, trial).Judge();
}

}  // namespace sstable::mutants
