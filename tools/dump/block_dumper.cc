#include "tools/dump/block_dumper.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "sstable/format.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/index/table_index.h"
#include "table/inspect/block_identity.h"
#include "table/table_internals.h"
#include "tools/dump/sample.h"
#include "util/bytes.h"

namespace sstable::tools {
namespace {

// A byte of a key or value may be printed as four bytes, or searched in four encodings.
constexpr uint64_t kWorkPerPrintedByte = 3;
constexpr uint64_t kWorkPerHeldByte = 4;

}  // namespace

BlockDumper::BlockDumper(const OpenedTable& table, const EntryOptions& options,
                         std::shared_ptr<const EntryDecoder> decoder, Console* console)
    : reader_(*table.reader),
      searchable_(table.searchable()),
      options_(options),
      decoder_(std::move(decoder)),
      console_(console),
      scan_(&reader_, table.key_trust, VerifiedScan::Misplaced::kVisit,
            [this](const absl::Status& status) { Report(status); }),
      index_code_(code_) {}

const Comparator& BlockDumper::user_comparator() const {
  return KeyOrderOf(reader_).user_comparator();
}

void BlockDumper::Report(const absl::Status& status) {
  if (console_ != nullptr) code_ = Worst(code_, console_->Fail(status));
}

BlockDumper::Blocks BlockDumper::BlocksOfRange() {
  if (!searchable_) return {0, scan_.block_count()};
  const KeyRange& range = options_.range;
  return scan_.BlocksBetween(range.SeekTarget(user_comparator()), range.End(user_comparator()));
}

void BlockDumper::Begin(Console* console) {
  console_ = console;
  printer_.emplace(options_, KeyOrderOf(reader_).kind(), console, decoder_);
  code_ = ExitCode::kOk;
}

DumpedBlocks BlockDumper::End() { return {code_, printer_->printed(), printer_->odd_keys()}; }

DumpedBlocks BlockDumper::Forward(Blocks blocks, Console* console) {
  Begin(console);
  bool goes_on = true;
  for (size_t block = blocks.first; goes_on && block < blocks.end && printer_->Wanted(); ++block) {
    goes_on = Visit(block, [&](absl::string_view key, absl::string_view value) {
      return Print(key, value, block);
    });
  }
  return End();
}

// Goes block by block from the last, so that damage only affects the entries after it in its block.
// All entries of a block are held in memory, which is charged as work. Of each key, only the bytes
// that the next key does not share are held, so the keys take at most as much memory as the block.
DumpedBlocks BlockDumper::Backward(Blocks blocks, Console* console) {
  struct HeldEntry {
    uint32_t shared;  // bytes of the key that the block's next key shares
    uint32_t unshared, value_size;
  };
  Begin(console);
  std::string bytes;  // a block's entries: each value, then the rest of its key
  std::vector<HeldEntry> held;
  std::string key;
  bool goes_on = true;
  const auto hold_key = [&](size_t shared) {
    held.back().shared = static_cast<uint32_t>(shared);
    held.back().unshared = static_cast<uint32_t>(key.size() - shared);
    bytes.append(key, shared);
    return scan_.Take(kWorkPerHeldByte * (held.back().unshared + held.back().value_size));
  };
  for (size_t block = blocks.end; goes_on && block-- > blocks.first && printer_->Wanted();) {
    bytes.clear();
    held.clear();
    goes_on = Visit(block, [&](absl::string_view next, absl::string_view value) {
      const size_t shared = CommonPrefixSize(key, next);
      if (!held.empty() && !hold_key(shared)) return false;
      key.resize(shared);
      absl::StrAppend(&key, next.substr(shared));
      absl::StrAppend(&bytes, value);
      held.push_back({0, 0, static_cast<uint32_t>(value.size())});
      return true;
    });
    if (!held.empty()) goes_on = hold_key(0) && goes_on;
    absl::string_view rest = bytes;
    for (auto entry = held.rbegin(); goes_on && entry != held.rend(); ++entry) {
      key.resize(entry->shared);
      absl::StrAppend(&key, rest.substr(rest.size() - entry->unshared));
      rest.remove_suffix(entry->unshared);
      goes_on = Print(key, rest.substr(rest.size() - entry->value_size), block);
      rest.remove_suffix(entry->value_size);
    }
  }
  return End();
}

DumpedBlocks BlockDumper::Sample(Console* console) {
  Begin(console);
  if (const TableIndex* const index = IndexOf(reader_)) {
    VisitSample(&scan_, *index, options_.limit,
                [this](absl::string_view key, absl::string_view value, size_t block) {
                  return Print(key, value, block);
                });
  }
  return End();
}

// Like VerifiedScan::Visit(), but if only a part of the table is read, a key out of order is an
// error, since other keys of the range may then be in other parts.
bool BlockDumper::Visit(size_t block, EntryVisitor visit) {
  if (!searchable_ || options_.range.IsWhole()) return scan_.Visit(block, visit);
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
  Report(AtBlock(reader_.file(), BlockKind::kData, handle, order_status));
  return goes_on;
}

bool BlockDumper::Print(absl::string_view key, absl::string_view value, size_t block) {
  const absl::string_view user_key = KeyOrderOf(reader_).UserKey(key);
  if (!options_.range.IsWhole() && !options_.range.Contains(user_comparator(), user_key)) {
    return true;
  }
  if (!scan_.Take(kWorkPerPrintedByte * (key.size() + value.size()))) return false;
  const uint64_t offset =
      options_.writer.offset ? IndexOf(reader_)->record(block).handle().offset : 0;
  printer_->Print(key, user_key, value, {reader_.file().name(), offset, /*live=*/false});
  return printer_->Wanted();
}

}  // namespace sstable::tools
