#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "report/text/words.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tools/cli/ordered_jobs.h"
#include "tools/dump/block_dumper.h"
#include "tools/dump/dumps.h"
#include "tools/files/decoder_option.h"
#include "tools/files/file_runner.h"

namespace sstable::tools {
namespace {

using Blocks = BlockDumper::Blocks;

// The size of a part in the file. It is large compared with the block after the part, which two
// threads read, and so small that the part's output fits in memory.
constexpr uint64_t kPartSize = uint64_t{256} << 10;

// Divides data blocks into parts, in order.
std::vector<Blocks> CutIntoParts(const TableIndex& index, Blocks blocks) {
  std::vector<Blocks> parts;
  uint64_t size = kPartSize;
  for (size_t block = blocks.first; block < blocks.end; ++block) {
    if (size >= kPartSize) {
      parts.push_back({block, block});
      size = 0;
    }
    parts.back().end = block + 1;
    size += index.record(block).handle().size;
  }
  return parts;
}

void LowerTo(size_t value, std::atomic<size_t>* number) {
  size_t old = number->load();
  while (value < old && !number->compare_exchange_weak(old, value)) {
  }
}

// Dumps a table.
class TableDumper {
 public:
  TableDumper(const OpenedTable& table, const EntryOptions& options, Console* console)
      : table_(table),
        options_(options),
        console_(console),
        decoder_(DecoderFor(options.decode, *table.reader, console)),
        first_(std::make_unique<BlockDumper>(table, options, decoder_, console)) {}

  // Also uses one thread if there is a limit, or if the dump goes backward, where a damaged index
  // may end it early.
  DumpResult Run(uint64_t threads) {
    DumpedBlocks dumped = {first_->index_code()};
    const Blocks blocks = first_->BlocksOfRange();
    threads = ThreadsForTable(table_.reader->file(), threads);
    if (options_.sample) {
      dumped.Add(first_->Sample(console_));
      console_->Say(absl::StrCat(table_.reader->file().name(), ": ", Count(dumped.printed, "entry"),
                                 ", from places spread evenly over ",
                                 Count(blocks.end - blocks.first, "data block")));
    } else if (options_.reverse) {
      dumped.Add(first_->Backward(blocks, console_));
    } else if (threads < 2 || options_.limit != UINT64_MAX) {
      dumped.Add(first_->Forward(blocks, console_));
    } else {
      dumped.Add(DumpInParts(blocks, threads));
    }
    return End(dumped);
  }

 private:
  // All threads share the limit of work. The part that reaches it is the last.
  DumpedBlocks DumpInParts(Blocks blocks, uint64_t threads) {
    if (blocks.first >= blocks.end) return {};  // no block, or a range that ends before it begins
    const std::vector<Blocks> parts = CutIntoParts(*IndexOf(*table_.reader), blocks);
    threads = std::min<uint64_t>(threads, parts.size());
    std::vector<std::unique_ptr<BlockDumper>> dumpers(threads);
    dumpers[0] = std::move(first_);
    std::vector<DumpedBlocks> dumped(parts.size());
    std::atomic<size_t> end{parts.size()};  // number of parts that are printed
    const auto run = [&](const JobContext& job) {
      std::unique_ptr<BlockDumper>& dumper = dumpers[job.thread];
      if (dumper == nullptr) dumper = NewDumper();
      dumped[job.number] = dumper->Forward(parts[job.number], job.console);
      if (!dumper->is_at_limit()) return;
      job.output->MakeLast();
      LowerTo(job.number + 1, &end);
    };
    RunInOrder(
        parts.size(), threads, [](size_t) { return uint64_t{0}; }, run, console_);
    DumpedBlocks all;
    for (size_t i = 0; i < end; ++i) all.Add(dumped[i]);
    return all;
  }

  std::unique_ptr<BlockDumper> NewDumper() const {
    return std::make_unique<BlockDumper>(table_, options_, decoder_, nullptr);
  }

  DumpResult End(const DumpedBlocks& dumped) {
    ExitCode code = dumped.code;
    if (dumped.odd_keys > 0) {
      console_->Say(absl::StrCat(table_.reader->file().name(), ": ", Count(dumped.odd_keys, "key"),
                                 " without a tag of LevelDB (sequence and type); the keys may be "
                                 "plain (--keys plain), or another program's"));
      code = Worst(code, ExitCode::kDamagedOrAbsent);
    }
    return {code, dumped.printed};
  }

  const OpenedTable& table_;
  const EntryOptions& options_;
  Console* const console_;
  const std::shared_ptr<const EntryDecoder> decoder_;
  std::unique_ptr<BlockDumper> first_;  // the dumper of this thread
};

}  // namespace

DumpResult DumpTable(const InputFile& file, const TableInputOptions& input,
                     const EntryOptions& options, uint64_t threads, Console* console) {
  const absl::StatusOr<OpenedTable> table = OpenTable(file, input, console);
  if (!table.ok()) return {console->Fail(table.status()), 0};
  if (!table->searchable() && !options.range.IsWhole()) {
    console->Say(absl::StrCat(table->reader->file().name(), ": ", table->why_not_searchable,
                              ", so all of it is read"));
  }
  return TableDumper(*table, options, console).Run(threads);
}

}  // namespace sstable::tools
