// Writes a table: keys in order in, a file out.
#ifndef SSTABLE_TABLE_BUILDER_H_
#define SSTABLE_TABLE_BUILDER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"
#include "sstable/options.h"

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
//            an Add() whose status is not looked at can't make a table without the entry. (The
//            one error of Finish() that leaves the table is described at CreateFileAtomically().)
//            An exception that leaves a call (std::bad_alloc, or one of a comparator, filter policy
//            or file of yours) is such an error, too: who catches it and goes on gets its status
//            from every later call. In a compression thread it becomes the status of a later call.
class TableBuilder {
 public:
  // Writes `path`, as a whole or not at all; see CreateFileAtomically() in sstable/file.h. Errors:
  // InvalidArgument for options out of range; those of creating the file.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(const TableBuilderOptions& options,
                                                              absl::string_view path);
  // Writes to `file`, from where it stands; offsets in the table count from there. Only Finish()
  // calls its Close(): what an error or Abandon() leaves there is up to the file's destructor.
  // Errors: InvalidArgument for options out of range.
  static absl::StatusOr<std::unique_ptr<TableBuilder>> Create(const TableBuilderOptions& options,
                                                              std::unique_ptr<WritableFile> file);
  virtual ~TableBuilder();
  TableBuilder(const TableBuilder&) = delete;
  TableBuilder& operator=(const TableBuilder&) = delete;

  // Adds an entry. Errors: InvalidArgument if `key` is not above the last one by the comparator
  // (with keep_input_order: equals it), is no internal key where they are due, or makes a block of
  // 4 GiB; FailedPrecondition after Finish() or Abandon(); the file's.
  absl::Status Add(absl::string_view key, absl::string_view value);

  // Ends the current data block, so that what follows is in another. Not needed for a valid table;
  // unlike LevelDB's, it need not write anything. Errors: as Add() has them.
  absl::Status Flush();

  // Puts a block of your own into the table, with `name` for its key in the metaindex. The bytes
  // are stored raw after the data blocks, in order of name, with the filter block. LevelDB ignores
  // them. Errors: InvalidArgument if the name is taken or begins with "filter." or "rocksdb.".
  absl::Status AddMetaBlock(absl::string_view name, absl::string_view contents);

  // Writes what is left, and makes the file complete: synced, if the options say so, and closed.
  // Errors: FailedPrecondition if called twice or after Abandon(); InvalidArgument if the filter
  // or index block would have 4 GiB; the file's.
  absl::Status Finish();

  // Gives the table up; a file that was at `path` before stays.
  void Abandon();

  // The first error, or OK.
  const absl::Status& status() const;

  uint64_t NumEntries() const;

  // Bytes of the blocks ended so far; after Finish(), of the whole file. With compression threads
  // it lags by the blocks that are on their way, up to 16 a thread.
  uint64_t FileSize() const;

  class Impl;  // the private half, which every builder is: derived, so no call goes by a pointer

 private:
  TableBuilder() = default;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_BUILDER_H_
