#include "tools/table_dump.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/inspect/guarded_scan.h"
#include "table/inspect/placement.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "tools/cli/words.h"

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
    const GuardedScan::Blocks blocks = BlocksOfRange();
    bool goes_on = true;
    for (size_t block = blocks.first; goes_on && block < blocks.end && printer_.Wanted(); ++block) {
      goes_on = Visit(block, [&](absl::string_view key, absl::string_view value) {
        Print(key, value, block);
        return printer_.Wanted();
      });
    }
    return End();
  }

  // Block by block from the last, so that a block's damage costs nothing but what follows it there.
  DumpResult Backward() {
    std::string bytes;  // of a block's entries: each key and its value
    std::vector<std::pair<uint32_t, uint32_t>> sizes;
    const GuardedScan::Blocks blocks = BlocksOfRange();
    bool goes_on = true;
    for (size_t block = blocks.end; goes_on && block-- > blocks.first && printer_.Wanted();) {
      bytes.clear();
      sizes.clear();
      goes_on = Visit(block, [&](absl::string_view key, absl::string_view value) {
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
    }
    return End();
  }

 private:
  const Comparator& user_comparator() const { return KeyOrderOf(reader_).user_comparator(); }

  GuardedScan::Blocks BlocksOfRange() {
    if (!searchable_) return {0, scan_.block_count()};
    return scan_.BlocksBetween(range_.SeekTarget(user_comparator()), range_.End(user_comparator()));
  }

  // As GuardedScan::Visit(). Where only a part of a table is read, keys must be in order: one that
  // is not may have others of its range elsewhere.
  bool Visit(size_t block,
             absl::FunctionRef<bool(absl::string_view key, absl::string_view value)> visit) {
    if (!searchable_ || range_.IsWhole()) return scan_.Visit(block, visit);
    std::string last;
    bool has_last = false;
    absl::Status order_status;
    const bool goes_on = scan_.Visit(block, [&](absl::string_view key, absl::string_view value) {
      if (has_last) order_status.Update(CheckAscends(KeyOrderOf(reader_), last, key));
      last.assign(key.data(), key.size());
      has_last = true;
      return visit(key, value);
    });
    const BlockHandle handle = IndexOf(reader_)->record(block).handle();
    code_ = Worst(code_,
                  console_->Fail(AtBlock(reader_.file(), BlockKind::kData, handle, order_status)));
    return goes_on;
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
