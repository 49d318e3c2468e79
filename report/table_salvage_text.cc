#include "report/table_salvage_text.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "report/damaged_blocks.h"
#include "report/key_name.h"
#include "report/table_json.h"
#include "report/text/words.h"

namespace sstable {
namespace {

// Describes one lost range, or neighbouring lost blocks.
std::string DescribeLost(absl::Span<const LostRange> run, KeyKind kind,
                         const EntryDecoder* decoder) {
  const LostRange& lost = run.front();
  const std::optional<std::string>& until = run.back().until;
  const absl::string_view what = !lost.is_block    ? "bytes"
                                 : run.size() == 1 ? "data block"
                                                   : "data blocks";
  std::string text = absl::StrCat("lost: ", what, " ", DescribePlace(run), ": ",
                                  DescribeReasons(run, &LostRange::reason));
  if (lost.after.has_value()) {
    absl::StrAppend(&text, "; keys above ", NameKey(decoder, kind, *lost.after));
  }
  if (until.has_value()) {
    absl::StrAppend(&text, lost.after.has_value() ? " and " : "; keys ",
                    lost.is_block ? "up to " : "below ", NameKey(decoder, kind, *until));
  }
  return text;
}

std::string DescribeConflict(const SalvageConflict& conflict, KeyKind kind,
                             const EntryDecoder* decoder) {
  return absl::StrCat("left out: ", NameKey(decoder, kind, conflict.key),
                      " in the block at offset ", conflict.block_offset, ": ",
                      DescribeReason(conflict.kind).first);
}

std::string DescribeSource(const TableScan& scan) {
  switch (scan.index_source) {
    case IndexSource::kFooter:
      return "as the index says";
    case IndexSource::kCarved:
      return "by an index that was found by its checksum";
    case IndexSource::kNone:
      break;
  }
  return "found by their checksums, without an index";
}

// Returns the result in one sentence, for someone who reads no further.
std::string Verdict(const Salvager& salvager, const std::string& out, bool is_written) {
  if (!is_written) {
    return absl::StrCat("nothing could be saved: no entry is ",
                        salvager.scan().doubtful.empty() ? "left" : "certain enough",
                        ", so no table was written");
  }
  const std::string entries =
      absl::StrCat(Count(salvager.report().entries_saved, "entry"), ", in ", out);
  if (salvager.complete()) return absl::StrCat("nothing is lost: ", entries);
  return salvager.scan().lost.empty() && salvager.scan().doubtful.empty()
             ? absl::StrCat("all that was found is saved: ", entries,
                            "; why it may not be all follows")
             : absl::StrCat("not everything could be saved: ", entries,
                            "; what is lost or may be lost follows");
}

}  // namespace

std::vector<std::string> DescribeTableSalvage(const Salvager& salvager, const std::string& out,
                                              bool is_written, const std::string& doubtful,
                                              const EntryDecoder* decoder) {
  const TableScan& scan = salvager.scan();
  const SalvageReport& report = salvager.report();
  const KeyKind kind = salvager.key_kind();
  std::vector<std::string> lines;
  const auto say = [&lines](std::string line) { lines.push_back(std::move(line)); };
  say(Verdict(salvager, out, is_written));
  if (!scan.read_status.ok()) {
    say(absl::StrCat("not all of it can be read: ", scan.read_status.message()));
  }
  const auto are_blocks = [](const LostRange& a, const LostRange& b) {
    return a.is_block && b.is_block;
  };
  for (const auto& run : GroupNeighbours<LostRange>(scan.lost, are_blocks)) {
    say(DescribeLost(run, kind, decoder));
  }
  for (const SalvageConflict& conflict : report.conflicts) {
    say(DescribeConflict(conflict, kind, decoder));
  }
  if (report.conflict_count > report.conflicts.size()) {
    say(absl::StrCat("left out: ", Count(report.conflict_count - report.conflicts.size(), "entry"),
                     " more"));
  }
  if (report.duplicates > 0) {
    say(absl::StrCat(Count(report.duplicates, "entry"), " occurred twice"));
  }
  if (report.out_of_order_keys > 0) {
    say(absl::StrCat(Count(report.out_of_order_keys, "key"),
                     report.out_of_order_keys == 1 ? " was out of order and is now sorted"
                                                   : " were out of order and are now sorted"));
  }
  if (!scan.doubtful.empty()) {
    const ScannedBlock& first = scan.doubtful.front();
    const std::string key = NameKey(decoder, kind, first.first_key);
    say(absl::StrCat(
        "left out: ", Count(scan.doubtful.size(), "intact block"),
        " that may not be the table's, but of a table that was a value: ",
        scan.doubtful.size() > 1 ? "the first " : "", "at offset ", first.handle.offset, ", with ",
        first.entry_count == 1
            ? absl::StrCat("the key ", key)
            : absl::StrCat("keys from ", key, " to ", NameKey(decoder, kind, first.last_key)),
        "; ", doubtful));
  }
  if (scan.carving_stopped_at.has_value()) {
    say(absl::StrCat("the search for blocks was abandoned at offset ", *scan.carving_stopped_at));
  }
  for (const std::string& doubt : scan.doubts) say(absl::StrCat("not explained: ", doubt));
  if (!scan.extent_known) {
    say(scan.index_source == IndexSource::kNone
            ? "more may be lost: nothing in the file shows where the table began and ended"
            : "more may be lost: not every byte of the file is explained");
  }
  if (!scan.owner_known && !scan.blocks.empty()) {
    say("some saved entries may not be this table's: they may come from a table that was a value, "
        "or be entries of the index");
  }
  if (!scan.has_magic) {
    say("the file does not end with a table's footer: it was cut short or its end is damaged; it "
        "is read as a LevelDB table");
  }
  if (!salvager.order_known()) {
    say("the order of keys is not known, and was kept");
  }
  say(absl::StrCat(Count(scan.blocks.size(), "data block"), " read, ", DescribeSource(scan)));
  return lines;
}

}  // namespace sstable
