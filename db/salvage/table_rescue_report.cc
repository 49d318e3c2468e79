// The problems and lost entries that a rescue reports for a table.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "db/folder.h"
#include "db/salvage/new_table.h"
#include "db/salvage/table_rescue.h"
#include "sstable/database_files.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/internal_key.h"
#include "table/block/show_key.h"

namespace sstable {
namespace {

// Returns "5 entries were left out, since ...".
std::string DescribeConflicts(const SalvageReport& report) {
  const bool are_untagged = std::all_of(
      report.conflicts.begin(), report.conflicts.end(),
      [](const auto& conflict) { return conflict.kind == SalvageConflict::Kind::kNoTag; });
  return absl::StrCat(report.conflict_count, " entries were left out, since ",
                      are_untagged ? "their keys are not internal keys, as in a database"
                                   : "they contradict others");
}

// Describes how `table` differs from `named` in the MANIFEST: size, first and last key.
std::string DescribeDifferences(const NewTable& table, const TableFile& named) {
  std::vector<std::string> differences;
  if (table.size != named.size) {
    differences.push_back(absl::StrCat("has ", table.size, " bytes, expected ", named.size));
  }
  const auto compare = [&](absl::string_view which, const std::string& key,
                           const std::string& expected) {
    if (key == expected) return;
    differences.push_back(absl::StrCat(which, " key is ",
                                       ShowKey(KeyKind::kInternal, key, expected), ", expected ",
                                       ShowKey(KeyKind::kInternal, expected, key)));
  };
  compare("first", table.smallest, named.smallest);
  compare("last", table.largest, named.largest);
  return absl::StrJoin(differences, "; ");
}

// Describes the doubts of a Salvager as one reason. `claimed` is the MANIFEST's table that the file
// seems to be, or null.
std::string DescribeDoubts(const Salvager& salvager, const TableFile* claimed) {
  const TableScan& scan = salvager.scan();
  std::vector<std::string> doubts = scan.doubts;
  if (claimed != nullptr && scan.file_size < claimed->size) {
    doubts.push_back(absl::StrCat("is cut short: has ", scan.file_size,
                                  " bytes, the MANIFEST says ", claimed->size));
  } else if (!scan.has_magic) {
    doubts.emplace_back("has no footer: it is cut short, or its end is damaged");
  }
  if (!scan.read_status.ok()) doubts.emplace_back(scan.read_status.message());
  if (scan.carving_stopped_at.has_value()) {
    doubts.push_back(
        absl::StrCat("the search for blocks was abandoned at offset ", *scan.carving_stopped_at));
  }
  if (!scan.owner_known) {
    doubts.emplace_back("saved entries may belong to a table that was the value of a lost one");
  }
  if (!scan.doubtful.empty()) {
    doubts.push_back(absl::StrCat(
        "intact blocks left out, since they may not be the table's: ", scan.doubtful.size(),
        "; sst salvage of this table alone, with --doubtful FILE, saves their entries"));
  }
  if (salvager.report().conflict_count > 0) {
    doubts.push_back(DescribeConflicts(salvager.report()));
  }
  if (doubts.empty()) doubts.emplace_back("not every byte of the file is explained");
  return absl::StrJoin(doubts, "; ");
}

// Returns true if all blocks are known to be the table's. Then all losses are in the scan's ranges
// or after the last block.
bool IsOnlyCut(const Salvager& salvager, const TableFile* claimed) {
  const TableScan& scan = salvager.scan();
  return claimed != nullptr && scan.file_size < claimed->size && !scan.blocks.empty() &&
         scan.owner_known && scan.doubtful.empty() && scan.doubts.empty() &&
         scan.read_status.ok() && !scan.carving_stopped_at.has_value() &&
         salvager.report().conflict_count == 0 && salvager.report().out_of_order_keys == 0;
}

std::string UserKeyOf(absl::string_view internal_key) {
  return std::string(ExtractUserKey(internal_key));
}

}  // namespace

void TableRescuer::AddProblem(const SourceFile& source, absl::string_view message, bool is_damage,
                              Rescued* rescued) const {
  rescued->problems.push_back(
      {source.name, std::nullopt,
       absl::StrCat(PathIn(context_.source.path, source.name), ": ", message), is_damage});
}

void TableRescuer::ReportOtherTable(const SourceFile& source, const NewTable& table,
                                    Rescued* rescued) const {
  const TableFile* const own = FindOwn(source);
  if (own == nullptr) return;
  AddProblem(source,
             absl::StrCat("is not the table that ", context_.source.manifest_name,
                          " names: ", DescribeDifferences(table, *own),
                          "; its entries are included, though they may belong to another database"),
             /*is_damage=*/true, rescued);
}

void TableRescuer::ReportLost(const SourceFile& source, const Salvager& salvager,
                              Rescued* rescued) const {
  if (salvager.complete()) {
    rescued->file.message = "rebuilt without a loss: only what surrounds the entries was damaged";
    return;
  }
  const auto bound = [](const std::optional<std::string>& known,
                        const std::string* named_key) -> std::optional<std::string> {
    if (known.has_value()) return UserKeyOf(*known);
    if (named_key != nullptr) return UserKeyOf(*named_key);
    return std::nullopt;
  };
  const TableScan& scan = salvager.scan();
  for (const LostRange& range : scan.lost) {
    LostEntries lost;
    lost.file = source.name;
    lost.offset = range.offset;
    lost.size = range.size;
    lost.reason = range.reason;
    lost.first = bound(range.after, claimed_ == nullptr ? nullptr : &claimed_->smallest);
    lost.last = bound(range.until, claimed_ == nullptr ? nullptr : &claimed_->largest);
    // Older versions of a block's last key may be in the next block.
    lost.may_revive =
        range.until.has_value() &&
        std::any_of(scan.blocks.begin(), scan.blocks.end(), [&](const ScannedBlock& block) {
          return ExtractUserKey(block.first_key) == ExtractUserKey(*range.until);
        });
    rescued->lost.push_back(std::move(lost));
  }
  if (!scan.extent_known || !scan.owner_known || !scan.doubtful.empty() ||
      salvager.report().conflict_count > 0 || scan.lost.empty()) {
    ReportAllLost(source, DescribeDoubts(salvager, claimed_), rescued);
    if (IsOnlyCut(salvager, claimed_)) {
      rescued->lost.back().first = UserKeyOf(scan.blocks.back().last_key);
    }
  }
}

void TableRescuer::ReportAllLost(const SourceFile& source, absl::string_view reason,
                                 Rescued* rescued) const {
  LostEntries lost;
  lost.file = source.name;
  lost.reason = std::string(reason);
  if (claimed_ != nullptr) {
    lost.first = UserKeyOf(claimed_->smallest);
    lost.last = UserKeyOf(claimed_->largest);
  }
  rescued->lost.push_back(std::move(lost));
}

}  // namespace sstable
