// Judges `sst salvage` on a mutant.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "sstable/format.h"
#include "table/table_internals.h"
#include "tests/mutants/trial.h"
#include "tests/support/whole_file.h"
#include "util/coding.h"

namespace sstable::mutants {
namespace {

constexpr char kSaved[] = "saved.ldb";
constexpr char kDoubtful[] = "doubtful.jsonl";

bool HasMagicOfAnotherFormat(absl::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) return false;
  return !ForeignFormatOf(DecodeFixed64(bytes.data() + bytes.size() - sizeof(uint64_t))).empty();
}

// The entries that `salvage` wrote to the file for doubtful blocks.
struct Apart {
  LineSet lines;  // without the offset and the closing brace
  absl::flat_hash_set<uint64_t> offsets;
};

Apart ParseApart(absl::string_view text) {
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

bool IsReportedLost(const BlockHandle& handle, const nlohmann::json& report) {
  const auto& lost = report.at("lost");
  return std::any_of(lost.begin(), lost.end(), [&](const nlohmann::json& range) {
    const uint64_t offset = range.at("offset"), size = range.at("size");
    return handle.offset >= offset && handle.offset + handle.size <= offset + size;
  });
}

class SalvageJudge {
 public:
  explicit SalvageJudge(Trial* trial)
      : trial_(*trial), original_(trial->original), mutant_(trial->mutant) {}

  void Judge() {
    const std::string saved = trial_.runner.Path(kSaved);
    const std::string doubtful = trial_.runner.Path(kDoubtful);
    const SstResult salvage = trial_.Sst(
        {"salvage", "--format", "json", "--doubtful", doubtful, trial_.path, "-o", saved});
    const bool is_written = trial_.runner.Exists(kSaved);
    std::string apart;
    if (trial_.runner.Exists(kDoubtful)) {
      apart = test::ReadWholeFile(doubtful);
      trial_.runner.Remove(kDoubtful);
    }
    const std::string said = salvage.err + salvage.out;
    if (HasMagicOfAnotherFormat(mutant_.bytes)) {  // otherwise its index would be read as data
      trial_.Expect(
          salvage.exit_code == 2 && !is_written && absl::StrContains(said, "not a LevelDB table"),
          "salvage: another format is not refused", said);
      return;
    }
    // The change may have turned a property into one that RocksDB uses and this library does not
    // support.
    if (mutant_.repaired && absl::StrContains(said, "which are not read")) return;
    const auto report = ParseJson(salvage.out);
    if (!trial_.Expect(report.is_object() && salvage.exit_code != 2, "salvage: fails", said)) {
      return;
    }
    trial_.Expect(is_written || salvage.exit_code != 0, "salvage: exit code 0, but no table", said);
    std::string entries;
    if (is_written) {
      entries = ReadSaved(saved);
      trial_.Expect(Lines(entries).size() == report.at("entries_saved"),
                    "salvage: another number of entries than it says", said);
    }
    const Apart saved_apart = ParseApart(apart);
    JudgeApart(saved_apart, salvage, report);
    if (!mutant_.has_original_entries()) {
      JudgeSavedOfRepaired(salvage, entries);
    } else if (trial_.has_known_entries && original_.salvage_is_whole) {
      const bool is_ok = salvage.exit_code == 0;
      trial_.Expect(!is_ok || trial_.IsSame(entries, original_.raw_dump),
                    "salvage: exit code 0, but not the entries of the original", entries);
      trial_.Expect(is_ok || mutant_.bytes != original_.bytes,
                    "salvage: exit code 1, but the table has no damage", said);
      const LineSet lines = SetOfLines(entries);
      JudgeForeign(lines, salvage, report);
      JudgeLost(lines, saved_apart, salvage, report);
    }
  }

 private:
  // The file for doubtful blocks must have as many blocks as the report counts, and none inside an
  // intact block. Unless values are tables, each entry must come from the original's data (as a key
  // of either kind) or index. This is laxer than JudgeForeign(), since nothing claims that these
  // entries belong to the table.
  void JudgeApart(const Apart& apart, const SstResult& salvage, const nlohmann::json& report) {
    trial_.Expect(apart.offsets.size() == report.at("doubtful_blocks") &&
                      apart.lines.empty() == apart.offsets.empty() &&
                      (apart.lines.empty() || salvage.exit_code == 1),
                  "salvage: another number of doubtful blocks than it says", salvage.out);
    for (const BlockHandle& handle : original_.data_blocks) {
      const bool is_cut =
          std::any_of(apart.offsets.begin(), apart.offsets.end(), [&handle](uint64_t offset) {
            return offset > handle.offset && offset < handle.offset + handle.size;
          });
      trial_.Expect(!is_cut || !trial_.IsInPlace(handle),
                    "salvage: a doubtful block within an intact one", salvage.out);
    }
    if (!trial_.has_known_entries || original_.is_nested) return;
    for (const absl::string_view start : apart.lines) {
      const std::string line = absl::StrCat(start, "}");
      const bool is_known = original_.raw_line_set.contains(line) ||
                            original_.dump_lines.contains(line) ||
                            original_.index_lines.contains(line);
      if (!trial_.Expect(is_known, "salvage: an entry apart that never was", line)) return;
    }
  }

  // Returns the entries of the saved table. Tags are parts of the keys.
  std::string ReadSaved(const std::string& saved) {
    const SstResult check = trial_.Sst({"check", saved});
    SstResult dump = trial_.Sst({"dump", "--format", "jsonl", "--keys", "plain", saved});
    // As plain keys, versions of a user key that spans two blocks may be out of order.
    trial_.Expect(dump.exit_code == 0 || trial_.Sst({"dump", saved}).exit_code == 0,
                  "salvage: dump of its table fails", dump.err);
    trial_.runner.Remove(kSaved);
    // If blocks were lost or changed, the kind of keys is guessed from another sample.
    const bool may_be_of_another_kind =
        mutant_.repaired && !mutant_.is_reordered && absl::StrContains(check.out, "no valid tag");
    trial_.Expect(check.exit_code == 0 || may_be_of_another_kind,
                  "salvage: check of its table fails", check.out);
    return std::move(dump.out);
  }

  // If the table is sound, salvage must save everything.
  void JudgeSavedOfRepaired(const SstResult& salvage, absl::string_view saved) {
    if (!original_.salvage_is_whole || !original_.check_passes) return;
    if (trial_.check.exit_code != 0 || trial_.dump.exit_code != 0) return;
    // If the order is unknown, duplicates can't be recognized as errors. Each is saved once.
    const bool is_ordered = trial_.IsOrderChecked();
    trial_.Expect(salvage.exit_code == 0 || !is_ordered,
                  "salvage: exit code 1, but check finds nothing", salvage.out);
    const SstResult raw = trial_.Sst({"dump", "--format", "jsonl", "--keys", "plain", trial_.path});
    trial_.Expect(is_ordered ? raw.out == saved : SetOfLines(raw.out) == SetOfLines(saved),
                  "salvage: of a sound table, but other entries", saved);
  }

  // Every saved entry must be the original's, unless the report says that some may not be.
  void JudgeForeign(const LineSet& lines, const SstResult& salvage, const nlohmann::json& report) {
    const bool admits = salvage.exit_code == 1 && !report.at("belonging_known");
    trial_.verdict.admits_foreign_entries = admits;
    for (const absl::string_view line : lines) {
      if (original_.raw_line_set.contains(line)) continue;
      if (admits) {
        ++trial_.verdict.admitted_entries;
      } else if (salvage.exit_code == 1 && !original_.spec.has_value() &&
                 original_.index_lines.contains(line)) {
        // An index block of one entry can also be valid as a data block.
        index_keys_.insert(KeyInLine(line).value_or(""));
        trial_.verdict.doubts.push_back(absl::StrCat("salvage: an entry of the index: ", line));
      } else if (!trial_.Expect(false, "salvage: an entry that never was", line)) {
        return;
      }
    }
  }

  // Every entry of an intact block must be saved, and no saved block may be reported as lost. A
  // block that may be another table's may be saved apart if the report says so. If values are
  // tables, this is allowed unless there is a guide in place (IntactGuide). Otherwise it takes more
  // than one change, and either no guide, or a moved block and a damaged index. A saved index entry
  // may also replace the entry with its key.
  void JudgeLost(const LineSet& lines, const Apart& apart, const SstResult& salvage,
                 const nlohmann::json& report) {
    const auto is_apart = [&](absl::string_view line) {
      return apart.lines.contains(line.substr(0, line.size() - 1));  // without the closing brace
    };
    const std::vector<absl::string_view> own_lines = Lines(original_.dump);
    const Guide guide = IntactGuide();
    // After several changes, a table at the end of the file may also be a value in a truncated
    // block.
    const bool is_changed_twice = mutant_.kinds.size() != 1;
    const bool all_may_be_apart =
        (guide == Guide::kMovedIndex && original_.is_nested) ||
        (guide == Guide::kNone && (original_.is_nested || is_changed_twice));
    const bool moved_may_be_apart = is_changed_twice && !trial_.IsInPlace(original_.index);
    const bool any_is_left_out = report.at("left_out_count") > 0;
    bool is_any_apart = false;
    std::vector<bool> intact, reported, has_index_key(original_.data_blocks.size(), false);
    for (const BlockHandle& handle : original_.data_blocks) {
      intact.push_back(IsIntact(handle));
      reported.push_back(trial_.IsInPlace(handle) && IsReportedLost(handle, report));
    }
    for (const OriginalEntry& entry : original_.entries) {
      if (index_keys_.contains(entry.key)) has_index_key[entry.block] = true;
    }
    for (size_t i = 0; i < original_.entries.size(); ++i) {
      const size_t block = original_.entries[i].block;
      if (!intact[block]) continue;
      const absl::string_view line = original_.raw_lines[i];
      const bool is_moved = !trial_.IsInPlace(original_.data_blocks[block]);
      const bool may_be_apart =
          all_may_be_apart || has_index_key[block] || (is_moved && moved_may_be_apart);
      const bool may_be_left_out =
          any_is_left_out && may_be_apart && (guide == Guide::kNone || has_index_key[block]);
      // A copy of the entry, saved from a value, does not count if the entry's own block is lost.
      const bool is_saved =
          lines.contains(line) && !(original_.is_nested && reported[block] &&
                                    apart.offsets.contains(original_.data_blocks[block].offset));
      if (!is_saved &&
          (may_be_left_out || (may_be_apart && (is_apart(line) || is_apart(own_lines[i]))))) {
        if (!is_any_apart) {
          trial_.verdict.doubts.emplace_back(
              "salvage: an intact block is saved apart, which it says");
        }
        is_any_apart = true;
        continue;
      }
      const std::string detail = absl::StrCat(line.substr(0, 200), "; it says ", salvage.out);
      if (!trial_.Expect(is_saved, "salvage: an entry of an intact block is not saved", detail)) {
        return;
      }
      if (!trial_.Expect(!reported[block], "salvage: a saved block is lost, it says", detail)) {
        return;
      }
    }
  }

  // Returns true if the block is still in the file, at its offset or elsewhere. Elsewhere it must
  // be unique: a value may contain a copy of it.
  bool IsIntact(const BlockHandle& handle) const {
    if (trial_.IsInPlace(handle)) return true;
    const absl::string_view was = original_.bytes;
    const absl::string_view block = was.substr(handle.offset, handle.size + kBlockTrailerSize);
    const bool is_unique = !original_.is_nested || was.find(block) == was.rfind(block);
    return is_unique && absl::StrContains(mutant_.bytes, block);
  }

  // The part that identifies the table's own blocks. kInPlace: the index at its offset, or the
  // metaindex, which adjoins these blocks, with the footer, whose offsets are valid only there.
  // kMovedIndex: the index elsewhere.
  enum class Guide { kNone, kMovedIndex, kInPlace };
  Guide IntactGuide() const {
    const absl::string_view is = mutant_.bytes, was = original_.bytes;
    const bool has_footer =
        is.size() == was.size() && absl::EndsWith(is, was.substr(was.size() - kFooterSize));
    if (trial_.IsInPlace(original_.index) ||
        (has_footer && trial_.IsInPlace(original_.metaindex))) {
      return Guide::kInPlace;
    }
    const BlockHandle& index = original_.index;
    const size_t at = is.find(was.substr(index.offset, index.size + kBlockTrailerSize));
    if (at == absl::string_view::npos) return Guide::kNone;
    return original_.is_nested && ContradictsItself(at) ? Guide::kNone : Guide::kMovedIndex;
  }

  // Returns true if the index at `index_at` overlaps a data block, whose expected offset follows
  // from another block's. The index is then wrong about that block, or belongs to another table.
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

  Trial& trial_;
  const Original& original_;
  const Mutant& mutant_;
  // The keys of index entries that were saved as data.
  absl::flat_hash_set<std::string> index_keys_;
};

}  // namespace

void JudgeSalvage(Trial* trial) { SalvageJudge(trial).Judge(); }

}  // namespace sstable::mutants
