// Writes a table: keys in order in, a file out.
#ifndef SSTABLE_TABLE_TABLE_BUILDER_H_
#define SSTABLE_TABLE_TABLE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "filter/filter_block_builder.h"
#include "filter/filter_keys.h"
#include "filter/internal_filter_policy.h"
#include "table/block/block_builder.h"
#include "table/block/compression.h"
#include "table/block/format.h"
#include "table/block/key_order.h"
#include "table/block_pipeline.h"
#include "table/options.h"
#include "util/bytes.h"
#include "util/file.h"

namespace sstable {

// The same entries and options give the same bytes as LevelDB's TableBuilder, but for compressed
// blocks that a reader with the default max_uncompressed_block_size would refuse: those are stored
// raw.
//
// Pattern:   Create (Add | Flush | AddMetaBlock)* (Finish | Abandon). Destruction abandons.
// Ownership: owns its file; borrows comparator and filter policy, which must outlive it. Keys and
//            values are copied.
// Threads:   one at a time.
// Errors:    the first one stays: every later call returns it, and Finish() then leaves no file. So
//            an Add() whose status is not looked at can't make a table that lacks the entry. (The
//            one error of Finish() that leaves the table is told in CreateFileAtomically().)
//            An exception that leaves a call (std::bad_alloc, or one of a comparator, filter policy
//            or file of yours) is such an error, too: who catches it and goes on gets its status
//            from every later call. In a compression thread it becomes the status of a later call.
class TableBuilder {
 public:
  // Writes `path`, as a whole or not at all; see CreateFileAtomically() in util/file.h. Errors:
  // InvalidArgument for options out of range; those of creating the file.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(const TableBuilderOptions& options,
                                                              absl::string_view path);
  // Writes to `file`, from where it stands; offsets in the table count from there. Only Finish()
  // calls its Close(): what an error or Abandon() leaves there is up to the file's destructor.
  // Errors: InvalidArgument for options out of range.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(const TableBuilderOptions& options,
                                                              std::unique_ptr<WritableFile> file);
  ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // Adds an entry. Errors: InvalidArgument if `key` is not above the last one by the comparator
  // (with keep_input_order: equals it), is
  // no internal key where they are due, or makes a block of 4 GiB; FailedPrecondition after
  // Finish() or Abandon(); the file's.
  absl::Status Add(absl::string_view key, absl::string_view value);

  // Ends the current data block, so that what follows is in another. Not needed for a valid table;
  // unlike LevelDB's, it need not write anything. Errors: as Add() has them.
  absl::Status Flush();

  // Puts a block of your own into the table, with `name` for its key in the metaindex. The bytes
  // are stored raw behind the data blocks, in order of name, with the filter block. LevelDB ignores
  // them. Errors: InvalidArgument if the name is taken or begins with "filter." or "rocksdb.".
  absl::Status AddMetaBlock(absl::string_view name, absl::string_view contents);

  // Writes what is left, and makes the file complete: synced, if the options say so, and closed.
  // Errors: FailedPrecondition if called twice or after Abandon(); InvalidArgument if the filter
  // or index block would have 4 GiB; the file's.
  absl::Status Finish();

  // Gives the table up; a file that was at `path` before stays.
  void Abandon();

  // The first error, or OK.
  const absl::Status& status() const { return status_; }

  uint64_t NumEntries() const { return entry_count_; }

  // Bytes of the blocks ended so far; after Finish(), of the whole file. With compression threads
  // it lags by the blocks that are on their way, up to 16 a thread.
  uint64_t FileSize() const { return ended_size_; }

 private:
  TableBuilder(const TableBuilderOptions& options, std::unique_ptr<WritableFile> file);

  absl::Status CheckWritable() const;
  absl::Status Fail(absl::Status status);
  // Does a step. An exception from it is the builder's error before it goes on to the caller: what
  // the step has done by then is not known.
  template <typename Step>
  auto FailIfThrown(Step step) -> decltype(step());

  bool DiffersInOrder(absl::string_view key, size_t shared) const;
  absl::Status AddSlow(absl::string_view key, absl::string_view value);
  absl::Status AddChecked(absl::string_view key, absl::string_view value);
  absl::Status CheckEntry(absl::string_view key, absl::string_view value) const;
  absl::Status StartDataBlock(absl::string_view first_key);
  absl::Status EndDataBlock();
  absl::Status AddNamedBlock(absl::string_view name, absl::string_view contents);
  absl::Status EndIndexEntry(std::optional<absl::string_view> next_key);
  absl::Status TakeSealedBlocks(BlockPipeline::Wait wait);
  absl::Status AddIndexEntry(absl::string_view separator, const BlockHandle& handle);
  void AddToFilter(const FilterKeys& keys);

  absl::Status FinishTable();
  absl::Status WriteRest();
  BlockHandle EndBlock(size_t start, BlockCompressor* compressor);
  BlockHandle AppendBlock(absl::string_view raw, BlockCompressor* compressor);
  absl::Status WriteOut();

  const TableBuilderOptions options_;
  const KeyOrder order_;
  std::unique_ptr<WritableFile> file_;  // null once closed or given up
  absl::Status status_;

  // Bytes on their way to the file: finished blocks, then, unless there is a pipeline, the data
  // block being encoded. The buffer starts at file_offset_ in the table.
  ByteBuffer out_;
  uint64_t file_offset_ = 0;
  uint64_t ended_size_ = 0;
  BlockCompressor compressor_;

  BlockBuilder data_block_;
  bool in_data_block_ = false;  // it has an entry
  KeyBuffer last_key_;
  uint64_t entry_count_ = 0;
  std::optional<InternalFilterPolicy> internal_filter_policy_;
  std::optional<FilterKeys> filter_keys_;           // of the data block
  std::optional<FilterBlockBuilder> filter_block_;  // of those before it

  ByteBuffer index_buffer_;
  BlockBuilder index_block_;
  std::map<std::string, std::string> meta_blocks_;  // name to contents; not the filter block

  // The index entry of a data block waits for the next block's first key, so that it can be a short
  // key between the two.
  bool index_entry_due_ = false;
  BlockHandle ended_handle_;  // of that block; not with a pipeline
  std::string separator_;

  // Null if the caller's thread compresses alone, in place.
  std::unique_ptr<BlockPipeline> pipeline_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_TABLE_BUILDER_H_
