// Commands that print reports by table/inspect and table/salvage.
#include <algorithm>
#include <initializer_list>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/table_builder.h"
#include "table/inspect/block_identity.h"
#include "table/inspect/filter_rewriter.h"
#include "table/inspect/verified_scan.h"
#include "tests/support/status_matchers.h"
#include "tests/table/scripted_table.h"

namespace sstable::test {
namespace {

// Shows the entries. If there are many, shows which of `all` they are, and whether as written or
// sorted.
std::string ShowEntries(const Entries& entries, Entries all) {
  std::string text;
  if (entries.size() <= 12) {
    for (const auto& [key, value] : entries) {
      absl::StrAppend(&text, " ", ShowBytes(key), "=", ShowBytes(value));
    }
    return text;
  }
  for (const char* const order : {" as written: ", " sorted: "}) {
    Entries missing = all;
    size_t next = 0;
    const auto is_next = [&](const auto& entry) {
      return next < entries.size() && entries[next] == entry && ++next > 0;
    };
    missing.erase(std::remove_if(missing.begin(), missing.end(), is_next), missing.end());
    if (next == entries.size()) {
      absl::StrAppend(&text, order, next);
      if (missing.empty()) return text;
      return absl::StrCat(text, ", not ", missing.size(), " from ",
                          ShowBytes(missing.front().first), " to ",
                          ShowBytes(missing.back().first));
    }
    std::sort(all.begin(), all.end());
  }
  return absl::StrCat(" others: ", entries.size());
}

}  // namespace

// report: prints the filter that a report measures, and the marks of its writer.
std::string ScriptedTable::ShowReport(const Words&) {
  const FilterReport report = MeasureFilter(*Reader(), FilterProbes{/*random_keys=*/0, {}});
  const auto marks = CollectStats(*Reader()).origin.marks;
  return absl::StrCat("measured: ", report.name, ", ", ShowStatus(report.status), "\n",
                      absl::StrJoin(marks, "\n"), marks.empty() ? "" : "\n");
}

// check: prints the problems found and the number of entries read.
std::string ScriptedTable::Check(const Words&) {
  if (Reader() == nullptr) return absl::StrCat(OpenError(), "\n");
  const CheckReport report = CheckTable(*reader_);
  std::vector<std::string> lines;
  for (const CheckProblem& problem : report.problems) {
    lines.push_back(absl::StrCat(problem.place, ": ", problem.message));
  }
  lines.push_back(absl::StrCat(report.ok() ? "sound, " : "", report.entries, " entries"));
  return Lines(lines);
}

std::string ScriptedTable::ShowExtent(const Words&) {
  return absl::StrCat(ShowStatus(CheckExtent(*Reader())), "\n");
}

// range FROM TO: prints the half-open range of data blocks to visit for these keys. "-" means no
// bound.
std::string ScriptedTable::ShowRange(const Words& words) {
  std::vector<std::string> lines;
  VerifiedScan scan(Reader(), KeyTrust::kOrdered, VerifiedScan::Misplaced::kVisit,
                    [&lines](const absl::Status& status) {
                      lines.push_back(absl::StrCat("! ", ShowStatus(status)));
                    });
  const auto bound = [](const std::string& word) {
    return word == "-" ? std::nullopt : std::optional<std::string>(word);
  };
  const auto blocks = scan.BlocksBetween(bound(words.at(1)), bound(words.at(2)));
  lines.push_back(absl::StrCat(blocks.first, " to ", blocks.end));
  return Lines(lines);
}

// rewrite [keys-unknown] FILTER TABLE-FILTER: copies the table with new filters, or the old one for
// "keep". If that succeeds, the copy replaces the table.
std::string ScriptedTable::Rewrite(const Words& words) {
  const bool is_unknown = words.at(1) == "keys-unknown";
  const std::string &filter = words.at(is_unknown ? 2 : 1), table = words.at(is_unknown ? 3 : 2);
  const std::unique_ptr<const TableFilterPolicy> fuse = NewBinaryFusePolicy(FuseBits::k8);
  NewFilters filters;
  if (filter != "keep") filters.filter_policy = PolicyOf(filter);
  if (table != "keep") filters.table_filter_policy = table == "fuse" ? fuse.get() : nullptr;
  std::string copy;
  const auto rewritten =
      RewriteFilters(*Reader(), is_unknown ? KeyTrust::kUnknown : KeyTrust::kOrdered, filters,
                     NewStringFile(&copy));
  if (!rewritten.ok()) return absl::StrCat(ShowStatus(rewritten.status()), "\n");
  reader_.reset();
  bytes_ = copy;
  return "OK\n";
}

// visit [unordered|unknown] [skip] N...: prints the keys of data blocks as a verified scan passes
// them, and its error reports.
std::string ScriptedTable::Visit(const Words& words) {
  KeyTrust trust = KeyTrust::kOrdered;
  VerifiedScan::Misplaced misplaced = VerifiedScan::Misplaced::kVisit;
  std::vector<std::string> lines, reports;
  std::optional<VerifiedScan> scan;
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "unordered") trust = KeyTrust::kUnordered;
    if (words[i] == "unknown") trust = KeyTrust::kUnknown;
    if (words[i] == "skip") misplaced = VerifiedScan::Misplaced::kSkip;
    uint64_t block = 0;
    if (!absl::SimpleAtoi(words[i], &block)) continue;
    if (!scan.has_value()) {
      scan.emplace(Reader(), trust, misplaced, [&reports](const absl::Status& status) {
        reports.push_back(absl::StrCat("! ", ShowStatus(status)));
      });
    }
    std::string keys = absl::StrCat(block, ":");
    if (block < scan->block_count()) {
      EXPECT_TRUE(scan->Visit(block, [&](absl::string_view key, absl::string_view) {
        absl::StrAppend(&keys, " ", ShowKey(key));
        return true;
      }));
    } else {
      keys += " no such block";
    }
    lines.push_back(keys);
  }
  return Lines(lines) + Lines(reports);
}

// salvage [bytewise]: prints what is saved, lost and left out, and why the result may be
// incomplete.
std::string ScriptedTable::Salvage(const Words& words) {
  FinishTable();
  SalvageOptions options;
  if (words.size() > 1) options.comparator = BytewiseComparator();
  const auto opened = Salvager::Open(*NewMemoryFile(bytes_, "t.ldb"), options);
  if (!opened.ok()) return absl::StrCat(ShowStatus(opened.status()), "\n");
  Salvager& salvager = **opened;
  Entries all, saved, doubtful;
  for (const auto& block : blocks_) {
    for (const Entry& entry : block.second) all.emplace_back(entry.key, entry.value);
  }
  std::string table;
  const auto builder = TableBuilder::Create(NewStringFile(&table), salvager.BuilderOptions());
  EXPECT_OK(salvager.VisitEntries([&](absl::string_view key, absl::string_view value) {
    saved.emplace_back(key, value);
    return (*builder)->Add(key, value);
  }));
  EXPECT_OK((*builder)->Finish()) << "the entries do not fit one table";
  EXPECT_EQ(salvager.report().entries_saved, saved.size());
  EXPECT_OK(salvager.VisitDoubtful(
      [&doubtful](const ScannedBlock&, absl::string_view key, absl::string_view value) {
        doubtful.emplace_back(key, value);
        return absl::OkStatus();
      }));
  std::vector<std::string> lines = {absl::StrCat("saved:", ShowEntries(saved, all))};
  if (!doubtful.empty()) lines.push_back(absl::StrCat("doubtful:", ShowEntries(doubtful, all)));
  for (const LostRange& lost : salvager.scan().lost) {
    lines.push_back(absl::StrCat("lost: ", lost.is_block ? "block" : "bytes", " at ", lost.offset,
                                 ", size ", lost.size, ": ", lost.reason));
  }
  for (const SalvageConflict& conflict : salvager.report().conflicts) {
    lines.push_back(absl::StrCat("left out: ", ShowBytes(conflict.key), " of the block at ",
                                 conflict.block_offset));
  }
  if (salvager.report().duplicates > 0) {
    lines.push_back(absl::StrCat("duplicates: ", salvager.report().duplicates));
  }
  lines.push_back(absl::StrCat(salvager.complete() ? "complete" : "incomplete",
                               salvager.order_known() ? "" : ", order not known",
                               salvager.wants_filter() ? ", wants a filter" : ""));
  return Lines(lines);
}

}  // namespace sstable::test
