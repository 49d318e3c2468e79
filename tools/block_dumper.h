// Prints the entries of a table's data blocks.
#ifndef SSTABLE_TOOLS_BLOCK_DUMPER_H_
#define SSTABLE_TOOLS_BLOCK_DUMPER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "table/block/limits.h"
#include "table/inspect/guarded_scan.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/entry_printer.h"
#include "tools/input_table.h"

namespace sstable::tools {

// What became of some data blocks.
struct DumpedBlocks {
  ExitCode code = ExitCode::kOk;
  uint64_t printed = 0;   // entries
  uint64_t odd_keys = 0;  // those of them that are not of the table's kind

  void Add(const DumpedBlocks& other) {
    code = Worst(code, other.code);
    printed += other.printed;
    odd_keys += other.odd_keys;
  }
};

// Borrows the table and the options. Of one thread.
class BlockDumper {
 public:
  using Blocks = GuardedScan::Blocks;

  // An entry: of a data block, the one after `entry` others.
  struct Place {
    size_t block = 0;
    uint64_t entry = 0;
  };

  // Reports what is wrong with the index to `console`, unless that is null.
  BlockDumper(const InputTable& table, const EntryOptions& options,
              std::shared_ptr<const EntryDecoder> decoder, Console* console);

  // Whether something is wrong with the index.
  ExitCode index_code() const { return index_code_; }

  // The blocks that can have entries of the range that the options give.
  Blocks BlocksOfRange();

  // Prints the entries of `blocks` that the options select. Damage is reported and skipped.
  DumpedBlocks Forward(Blocks blocks, Console* console);
  // From the last to the first.
  DumpedBlocks Backward(Blocks blocks, Console* console);

  // Of several dumpers that share a table's KeyBudget: Forward() stops where this part of it is
  // spent, and says where.
  void SetShare(const KeyBudget& share) { share_ = share; }
  const std::optional<Place>& stopped_at() const { return stopped_at_; }
  // As Forward(), but prints and reports only what comes from `place` on.
  DumpedBlocks ForwardFrom(Place place, Blocks blocks, Console* console);

 private:
  using EntryVisitor = absl::FunctionRef<bool(absl::string_view key, absl::string_view value)>;

  const Comparator& user_comparator() const;
  void Begin(Console* console);
  DumpedBlocks End();
  bool VisitForward(size_t block);
  bool Visit(size_t block, EntryVisitor visit);
  void Print(absl::string_view key, absl::string_view value, size_t block);
  void Report(const absl::Status& status);

  const TableReader& reader_;
  const bool searchable_;
  const EntryOptions& options_;
  const std::shared_ptr<const EntryDecoder> decoder_;
  Console* console_;     // null: nothing is reported
  absl::Status unsaid_;  // the last of that
  std::optional<EntryPrinter> printer_;
  ExitCode code_ = ExitCode::kOk;
  std::optional<KeyBudget> share_;
  std::optional<Place> stopped_at_;
  GuardedScan scan_;  // after what its reports need, since it reports at once
  const ExitCode index_code_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BLOCK_DUMPER_H_
