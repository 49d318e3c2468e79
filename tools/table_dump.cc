#include "tools/table_dump.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "table/inspect/guarded_scan.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tools/cli/words.h"
#include "util/coding.h"

namespace sstable::tools {
namespace {

class TableDumper {
 public:
  TableDumper(const InputTable& table, const EntryOptions& options, Console* console)
      : reader_(*table.reader),
        searchable_(table.searchable()),
        range_(options.range),
        printer_(options, KeyOrderOf(reader_).kind(), console,
                 DecoderFor(options.decode, reader_, console)),
        console_(console),
        scan_(
            &reader_, table.keys_known, GuardedScan::Misplaced::kVisit,
            [this](const absl::Status& status) { code_ = Worst(code_, console_->Fail(status)); }) {}

  DumpResult Forward() {
    for (size_t block = FirstBlock(); block < scan_.block_count() && printer_.Wanted(); ++block) {
      const bool goes_on = scan_.Visit(block, [&](absl::string_view key, absl::string_view value) {
        if (searchable_ && Side(key) > 0) return false;
        Print(key, value, block);
        return printer_.Wanted();
      });
      if (!goes_on) break;
    }
    return End();
  }

  // Block by block from the last, so that a block's damage costs nothing but what follows it there.
  DumpResult Backward() {
    std::string bytes;  // of a block's entries: each key and its value
    std::vector<std::pair<uint32_t, uint32_t>> sizes;
    bool goes_on = true;
    for (size_t block = BlocksToEnd(); goes_on && block-- > 0 && printer_.Wanted();) {
      bytes.clear();
      sizes.clear();
      goes_on = scan_.Visit(block, [&](absl::string_view key, absl::string_view value) {
        absl::StrAppend(&bytes, key, value);
        sizes.emplace_back(key.size(), value.size());
        return true;
      });
      absl::string_view rest = bytes;
      for (auto size = sizes.rbegin(); size != sizes.rend() && printer_.Wanted(); ++size) {
        const absl::string_view value = rest.substr(rest.size() - size->second);
        rest.remove_suffix(value.size());
        const absl::string_view key = rest.substr(rest.size() - size->first);
        rest.remove_suffix(key.size());
        Print(key, value, block);
      }
      if (searchable_ && !sizes.empty() && Side(bytes.substr(0, sizes.front().first)) < 0) break;
    }
    return End();
  }

 private:
  const Comparator& user_comparator() const { return KeyOrderOf(reader_).user_comparator(); }
  int Side(absl::string_view key) const {
    return range_.Side(user_comparator(), KeyOrderOf(reader_).UserKey(key));
  }

  // The first internal key of a user key.
  std::string SeekKey(const std::string& user_key) const {
    if (KeyOrderOf(reader_).kind() == KeyKind::kPlain) return user_key;
    std::string key = user_key;
    AppendFixed64(&key, SeekTag(kMaxSequence));
    return key;
  }

  // The first block that can have keys of the range.
  size_t FirstBlock() const {
    const auto start = searchable_ ? range_.SeekTarget(user_comparator()) : std::nullopt;
    size_t block = 0;
    if (scan_.block_count() == 0 || !start.has_value()) return 0;
    return IndexOf(reader_)->Find(SeekKey(*start), &block).ok() ? block : 0;
  }

  // How many blocks there are up to the last one that can have keys of the range.
  size_t BlocksToEnd() const {
    const size_t count = scan_.block_count();
    const auto end = searchable_ ? range_.End(user_comparator()) : std::nullopt;
    size_t block = 0;
    if (count == 0 || !end.has_value()) return count;
    return IndexOf(reader_)->Find(SeekKey(*end), &block).ok() ? std::min(block + 1, count) : count;
  }

  void Print(absl::string_view key, absl::string_view value, size_t block) {
    const absl::string_view user_key = KeyOrderOf(reader_).UserKey(key);
    if (!range_.IsWhole() && !range_.Contains(user_comparator(), user_key)) return;
    const uint64_t offset =
        printer_.options().writer.offset ? IndexOf(reader_)->record(block).handle().offset : 0;
    printer_.Print(key, user_key, value, {reader_.file().name(), offset, /*live=*/false});
  }

  DumpResult End() {
    if (printer_.odd_keys() > 0) {
      console_->Say(absl::StrCat(reader_.file().name(), ": ", Count(printer_.odd_keys(), "key"),
                                 " without a tag of LevelDB (sequence and type); the keys may be "
                                 "plain (--keys plain), or another program's"));
      code_ = Worst(code_, ExitCode::kDamagedOrAbsent);
    }
    return {code_, printer_.printed()};
  }

  const TableReader& reader_;
  const bool searchable_;
  const KeyRange& range_;
  EntryPrinter printer_;
  Console* console_;
  ExitCode code_ = ExitCode::kOk;
  GuardedScan scan_;  // the last, since it reports at once
};

}  // namespace

DumpResult DumpTable(const std::string& path, const TableInputOptions& input,
                     const EntryOptions& options, Console* console) {
  const absl::StatusOr<InputTable> table = OpenTable(path, input, console);
  if (!table.ok()) return {console->Fail(table.status()), 0};
  if (!table->searchable() && !options.range.IsWhole()) {
    console->Say(absl::StrCat(table->reader->file().name(), ": ", table->why_not_searchable,
                              ", so all of it is read"));
  }
  TableDumper dumper(*table, options, console);
  return options.reverse ? dumper.Backward() : dumper.Forward();
}

}  // namespace sstable::tools
