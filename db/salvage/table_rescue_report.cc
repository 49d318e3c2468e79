// The problems and lost entries that a rescue reports for a table.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "db/salvage/table_doubts.h"
#include "db/salvage/table_rescue.h"
#include "sstable/internal_key.h"

namespace sstable {
namespace {

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
