#include "db/salvage/table_doubts.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
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

}  // namespace

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

}  // namespace sstable
