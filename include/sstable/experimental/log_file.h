// LevelDB's log format: records in a file, which a crash may cut short. The files NUMBER.log have a
// write batch in each record, the files MANIFEST-NUMBER a version edit. Format: docs/database.md.
#ifndef SSTABLE_EXPERIMENTAL_LOG_FILE_H_
#define SSTABLE_EXPERIMENTAL_LOG_FILE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
  // `file_size` is how many bytes the file has: more than 0 to continue a log that ends in a whole
  // record. The caller syncs and closes the file.
  explicit LogWriter(WritableFile* file, uint64_t file_size = 0)
      : file_(*file), block_offset_(file_size % kLogBlockSize) {}

  // Appends a record of any size. After an error the file may end in part of the record and must
  // not be appended to.
  absl::Status AddRecord(Slice record);

 private:
  void EncodeFragment(uint8_t type, absl::string_view payload);

  WritableFile& file_;
  size_t block_offset_;  // where the next fragment goes
  std::string buffer_;   // encoded, not yet appended to the file
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
  explicit LogReader(const RandomAccessFile* file, const LogReaderOptions& options = {})
      : file_(*file), options_(options) {}

  // Moves to the next record; false if there is none, or after an error.
  bool Next();

  // The current record, and where its first fragment begins in the file. Only after a Next() that
  // returned true; the view is valid until the next one.
  absl::string_view record() const { return record_; }
  uint64_t record_offset() const { return record_offset_; }

  // The damage found so far, in file order; adjacent damaged bytes are one drop. At most kMaxDrops
  // are kept; drop_count() counts all.
  static constexpr size_t kMaxDrops = 1000;
  const std::vector<LogDrop>& damage() const { return damage_; }
  uint64_t drop_count() const { return drop_count_; }
  uint64_t dropped_size() const { return dropped_size_; }  // bytes of all damage

  // Once Next() has returned false: the end of the file, if it is not a whole record. It is what
  // a crash leaves: a record that the end of the file cuts off, or zeros that were never
  // overwritten. Not damage: the write was not complete. A damaged size in the last record looks
  // the same.
  const std::optional<LogDrop>& torn_end() const { return torn_end_; }

  // OK unless the file can't be read, or no record could be and it is another kind of file: then
  // FailedPrecondition for a pointer of git-lfs or git-annex, Unimplemented for other formats, with
  // no other damage.
  const absl::Status& status() const { return status_; }

 private:
  enum class Found { kFragment, kDamage, kEnd };
  struct Fragment {
    uint8_t type = 0;
    uint64_t offset = 0;  // where its header starts in the file
    uint64_t end = 0;     // where its payload ends
    absl::string_view payload;
  };

  // Reads the fragment at the current place and moves after it, or after what was dropped.
  Found ReadFragment(Fragment* fragment);
  Found ReadZeros();
  // Adds a fragment to the record; true if the record is complete.
  bool AddFragment(const Fragment& fragment);
  bool ReadBlock();
  // Ends the reading: the file from the current place on is torn, and with it the record that has
  // begun, if any.
  Found EndTorn(absl::string_view message);
  // Drops what stands at the current place, and with it the record that has begun, if any. The
  // damaged record says that it ends at `claimed_end` in the block.
  Found DropDamage(size_t claimed_end, absl::string_view message);
  void Drop(uint64_t offset, uint64_t end, absl::string_view message);
  // Drops the fragments of a record that has no end.
  void DropBegun();

  uint64_t offset() const { return block_start_ + position_; }
  void NameOtherFile();
  bool IsLastBlock() const { return block_start_ + block_.size() == file_.size(); }

  const RandomAccessFile& file_;
  const LogReaderOptions options_;
  std::string block_;
  uint64_t block_start_ = 0;  // in the file
  size_t position_ = 0;       // in block_
  uint64_t zeros_end_ = 0;    // the file has zeros up to here, from some earlier offset on
  bool is_at_end_ = false;
  bool has_record_ = false;  // one was read

  bool has_begun_ = false;  // there is a first fragment, but not yet a last one
  std::string fragments_;   // payloads of a record that has more than one
  absl::string_view record_;
  uint64_t record_offset_ = 0;  // where the record that has begun, or the current one, starts
  uint64_t begun_end_ = 0;      // end of the last fragment of the record that has begun

  std::vector<LogDrop> damage_;
  uint64_t drop_count_ = 0, dropped_size_ = 0, last_drop_end_ = 0;
  std::optional<LogDrop> torn_end_;
  absl::Status status_;
};

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_LOG_FILE_H_
