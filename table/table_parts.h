// The parts of a table that a reader keeps from the time it is opened.
#ifndef SSTABLE_TABLE_TABLE_PARTS_H_
#define SSTABLE_TABLE_TABLE_PARTS_H_

#include <memory>

#include "absl/base/optimization.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/options.h"
#include "table/block/block_io.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "table/metaindex.h"
#include "table/reader_stats_counter.h"

namespace sstable {

// Threads: immutable once Read() has returned, except the counters and the budget, which any number
//          of threads may use at once.
struct TableParts {
  TableParts(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file);

  // Reads the footer and the metaindex. Errors: same as TableReader::Open().
  absl::Status Read();

  // Errors do not name file and block.
  absl::StatusOr<BlockContents> ReadBlock(BlockKind kind, const BlockHandle& handle,
                                          bool verify = true,
                                          BlockAccess access = BlockAccess::kLookup) const {
    return sstable::ReadBlock(
        *file, kind, handle,
        {verify, options.max_uncompressed_block_size, metaindex.dialect(), access, work.get()});
  }

  // Returns InvalidArgument, naming the file, if `key` should be an internal key but has no tag.
  absl::Status CheckHasTag(absl::string_view key) const {
    return ABSL_PREDICT_TRUE(order.kind() == KeyKind::kPlain || MayHaveTag(key)) ? absl::OkStatus()
                                                                                 : HasNoTag(key);
  }

  const TableReaderOptions options;
  const KeyOrder order;
  const std::unique_ptr<RandomAccessFile> file;
  const std::shared_ptr<WorkBudget> work;  // null: no limit
  Footer footer;
  Metaindex metaindex;
  absl::Status metaindex_status;
  mutable ReaderStatsCounter stats;

 private:
  absl::Status HasNoTag(absl::string_view key) const;
  absl::Status ReadFooter();
  absl::Status ReadMetaindex();
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_PARTS_H_
