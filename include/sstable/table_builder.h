// Writes a table from entries in key order.
#ifndef SSTABLE_TABLE_BUILDER_H_
#define SSTABLE_TABLE_BUILDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/file.h"
#include "sstable/options.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// The same entries and options give the same bytes as LevelDB's TableBuilder, except that
// compressed blocks that a reader with the default max_uncompressed_block_size would refuse are
// stored raw.
//
// Pattern:   Create (Add | Flush | AddMetaBlock)* (Finish | Abandon). Destruction abandons.
// Ownership: owns its file; borrows comparator and filter policy, which must outlive it. Keys and
//            values are copied.
// Threads:   one at a time.
// Errors:    the first one stays: every later call returns it, and Finish() then leaves no file. So
//            ignoring the status of an Add() can't produce a table without the entry. (The one
//            error of Finish() that leaves the table is described at CreateFileAtomically().) An
//            exception that leaves a call (std::bad_alloc, or one of your comparator, filter policy
//            or file) is such an error as well: every later call returns its status. One in a
//            compression thread becomes the status of a later call.
class SSTABLE_EXPORT TableBuilder {
 public:
  // Writes `path` atomically; see CreateFileAtomically() in sstable/file.h. Errors: InvalidArgument
  // for options out of range; errors of creating the file.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(
      Slice path, const TableBuilderOptions& options = {});
  // Writes to `file`, from its current position; offsets in the table count from there. Only
  // Finish() calls its Close(): what remains after an error or Abandon() is up to the file's
  // destructor. Errors: InvalidArgument for options out of range.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(
      std::unique_ptr<WritableFile> file, const TableBuilderOptions& options = {});
  virtual ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // Adds an entry. Errors: InvalidArgument if `key` is not above the last one by the comparator
  // (with keep_input_order: equals it), is not an internal key although `key_kind` says so, or
  // makes a block of 4 GiB; FailedPrecondition after Finish() or Abandon(); errors of the file.
  absl::Status Add(Slice key, Slice value);

  // Ends the current data block, so that the next entry starts another. Not needed for a valid
  // table; unlike LevelDB's, it may write nothing. Errors: those of Add().
  absl::Status Flush();

  // Adds a block of your own to the table, with `name` as its key in the metaindex. The bytes are
  // stored raw after the data blocks, in order of name, with the filter block. LevelDB ignores
  // them. Errors: InvalidArgument if the name is taken or starts with "filter." or "rocksdb.".
  absl::Status AddMetaBlock(Slice name, Slice contents);

  // Writes the rest, and completes the file: syncs it, if the options say so, and closes it.
  // Errors: FailedPrecondition if called twice or after Abandon(); InvalidArgument if the filter or
  // index block would have 4 GiB; errors of the file.
  absl::Status Finish();

  // Discards the table; an older file at `path` remains.
  void Abandon();

  // The first error, or OK.
  const absl::Status& status() const;

  uint64_t NumEntries() const;

  // Bytes of the blocks completed so far; after Finish(), of the whole file. With compression
  // threads, up to 16 blocks per thread are not yet counted.
  uint64_t FileSize() const;

  class Impl;  // the private half: every builder is one, so no call goes through a pointer

 private:
  TableBuilder() = default;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_H_
