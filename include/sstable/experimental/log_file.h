// LevelDB's log format: records in a file, which a crash may cut short. The files NUMBER.log have a
// write batch in each record, the files MANIFEST-NUMBER a version edit. Format: docs/database.md.
#ifndef SSTABLE_EXPERIMENTAL_LOG_FILE_H_
#define SSTABLE_EXPERIMENTAL_LOG_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/slice.h"
#include "sstable/version.h"

namespace sstable {

// Part of the file format: changing it breaks existing files.
inline constexpr size_t kLogBlockSize = 32768;
inline constexpr size_t kLogHeaderSize = 7;  // header of a record or fragment: checksum, size, type

// Appends records to a file. The bytes are LevelDB's.
// Ownership: borrows the file, which must outlive it.
// Threads:   one at a time.
class SSTABLE_EXPORT LogWriter {
 public:
  // `file_size` is the present size of the file: above 0 to continue a log, which must end in a
  // complete record. The caller syncs and closes the file.
  explicit LogWriter(WritableFile* file, uint64_t file_size = 0);
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Appends a record of any size. After an error the file may end in part of the record and must
  // not be appended to.
  absl::Status AddRecord(Slice record);

  class Impl;  // the private half

 private:
  const std::unique_ptr<Impl> impl_;
};

struct LogReaderOptions {
  // After damage, LevelDB skips the rest of its block of 32 KiB, since the size of the record may
  // be wrong. If this is set, records after it in the same block are read too, if their checksums
  // are right and it is certain where they begin: the damaged record's size leads to one, or they
  // follow one another to the end of the block.
  bool resume_within_block = false;
};

// Reads the records of a log.
//
// Pattern:   while (log.Next()) ... log.record(); then look at status(), damage() and torn_end().
// Memory:    a block, and the record, which is at most as large as the file.
// Ownership: borrows the file, which must outlive it. A file that grows is read up to the size that
//            it had when it was opened.
// Threads:   one at a time.
// Errors:    an error of the file ends the reading; status() names file and offset. Damage does
//            not: the bytes are skipped and reported, and reading continues, as in LevelDB.
class SSTABLE_EXPORT LogReader {
 public:
  explicit LogReader(const RandomAccessFile* file, const LogReaderOptions& options = {});
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Moves to the next record; false if there is none, or after an error.
  bool Next();

  // The current record, and where its first fragment begins in the file. Only after a Next() that
  // returned true; the view is valid until the next one.
  absl::string_view record() const;
  uint64_t record_offset() const;

  // The damage found so far, in file order; adjacent damaged bytes are one drop. At most kMaxDrops
  // are kept; drop_count() counts all.
  static constexpr size_t kMaxDrops = 1000;
  const std::vector<LogDrop>& damage() const;
  uint64_t drop_count() const;
  uint64_t dropped_size() const;  // bytes of all damage

  // Once Next() has returned false, the bytes at the end of the file that are not a complete
  // record, if any: a record that is cut off, or zeros that were never overwritten. A crash leaves
  // such an end. It is not damage, since the write was not complete. A last record with a damaged
  // size looks the same.
  const std::optional<LogDrop>& torn_end() const;

  // OK unless the file can't be read, or no record could be read and the file is of another kind:
  // then FailedPrecondition for a pointer of git-lfs or git-annex, Unimplemented for other formats,
  // and no damage is reported.
  const absl::Status& status() const;

  class Impl;  // the private half

 private:
  const std::unique_ptr<Impl> impl_;
};

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_LOG_FILE_H_
