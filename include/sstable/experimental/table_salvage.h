// Saves what is left of a damaged table, and reports what is lost.
#ifndef SSTABLE_EXPERIMENTAL_TABLE_SALVAGE_H_
#define SSTABLE_EXPERIMENTAL_TABLE_SALVAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "sstable/version.h"

namespace sstable {

// A data block with a correct checksum, all entries of which can be decoded.
struct ScannedBlock {
  BlockHandle handle;  // where it is now
  uint8_t type = 0;
  uint64_t entry_count = 0;
  std::string first_key;
  std::string last_key;
  std::optional<std::string> index_key;  // nullopt if no index names it

  // True if the block certainly belongs to this table, and not to a table in a value. Of entries
  // with the same key, the one in a certain block is kept; one in a block that may be an index is
  // not.
  bool certain = true;
  bool may_be_index = false;  // its values are handles of blocks
};

// Part of a table that can't be read.
struct LostRange {
  // True for a block that the index names, or that was found but can't be read. `size` does not
  // include its trailer; an offset from the index is where it was when the table was written. False
  // for bytes between readable blocks.
  bool is_block = false;
  uint64_t offset = 0;
  uint64_t size = 0;
  std::string reason;

  // What is known of the lost keys: they are above `after`, and at most `until` (is_block) or below
  // it (otherwise). nullopt: not known.
  std::optional<std::string> after;
  std::optional<std::string> until;
};

enum class IndexSource { kFooter, kCarved, kNone };

// What was found in a damaged table, and what is lost.
struct TableScan {
  uint64_t file_size = 0;

  std::vector<ScannedBlock> blocks;  // in the index's order, or without one by offset
  std::vector<LostRange> lost;
  IndexSource index_source = IndexSource::kNone;

  // True if nothing but `lost` can be missing: every byte of the file is in `lost`, or in a block
  // of the table that is where it should be. If false, `doubts` has sentences that say what is not
  // explained; it may be empty if nothing shows where the table ends.
  bool extent_known = false;
  std::vector<std::string> doubts;

  // False if entries of `blocks` may belong to another table that was stored as a value: either a
  // block is not certain, or the whole table may have been a value.
  bool owner_known = true;

  // Readable blocks that are not in `blocks`, since they may be part of a value, or since the
  // table's index and metaindex do not name them. By offset.
  std::vector<ScannedBlock> doubtful;

  // Where the search for blocks stopped at the limit of work; nothing from there on was searched.
  std::optional<uint64_t> carving_stopped_at;

  // Whether the file has LevelDB's magic. If not, nothing identifies its format.
  bool has_magic = false;

  absl::Status read_status;  // the first error of reading the file
  absl::Status footer_status;
  absl::Status index_status;
  absl::Status metaindex_status;
  std::vector<MetaBlock> meta_blocks;  // as far as the metaindex can be read
  CompressionNumbering dialect = CompressionNumbering::kLevelDb;
};

struct SalvageOptions {
  std::optional<KeyKind> key_kind;         // nullopt: detect
  const Comparator* comparator = nullptr;  // order of plain or user keys; borrowed. Null: detect

  std::optional<uint64_t> max_uncompressed_block_size;  // as in TableReaderOptions
  std::optional<uint32_t> max_work;                     // as in TableReaderOptions; nullopt: 100
};

// Entries that were found, but can't be in one table with the others.
struct SalvageConflict {
  enum class Kind {
    kOtherValue,  // another value of a key, whose first value in the file was kept
    kNoTag,       // not an internal key, in a table of internal keys
  };
  Kind kind = Kind::kOtherValue;
  uint64_t block_offset = 0;  // in the file
  std::string key;
};

struct SalvageReport {
  uint64_t entries_saved = 0;
  uint64_t duplicates = 0;      // same key and value as a saved entry: left out, nothing is lost
  uint64_t conflict_count = 0;  // entries left out
  std::vector<SalvageConflict> conflicts;  // the first kMaxConflicts of them
  uint64_t out_of_order_keys = 0;          // keys below the previous one in the file

  static constexpr size_t kMaxConflicts = 1000;
};

// Pattern:   Open VisitEntries?
// Ownership: holds a copy of the file in memory; borrows the comparator. Open() borrows the file
//            only while it runs.
// Threads:   one at a time.
class SSTABLE_EXPORT Salvager {
 public:
  // Reads all of the file; open it with FileAccess::kRead, since mapped bytes that can't be read
  // raise SIGBUS. Neither unreadable bytes nor damage are errors: scan() says what is lost. Errors:
  // ResourceExhausted for a file too large; Unimplemented for one with the magic of another format.
  static absl::StatusOr<std::unique_ptr<Salvager>> Open(const RandomAccessFile& file,
                                                        const SalvageOptions& options = {});
  virtual ~Salvager() = default;
  Salvager(const Salvager&) = delete;
  Salvager& operator=(const Salvager&) = delete;

  // What was found and what is lost. Both this and report() live as long as this object.
  virtual const TableScan& scan() const = 0;
  virtual uint64_t total_entries() const = 0;  // in readable blocks

  // Whether the order of keys is known. If it is not, entries come in the writer's order: that of
  // the index, or without one, that of the file.
  virtual bool order_known() const = 0;

  virtual KeyKind key_kind() const = 0;

  // Returns options for a table of the same entries: comparator and kind of keys, and the
  // compression, block size and restart interval that the old table's data blocks show; no filter
  // policy. Reads all blocks once more. The comparator may belong to this object, which must then
  // outlive the builder.
  virtual TableBuilderOptions BuilderOptions() const = 0;

  // Whether a new table should have a filter: the old one did, or its metaindex can't be read. If
  // the order is not known, keys of different bytes may be equal, so only the former counts.
  virtual bool wants_filter() const = 0;

  // Passes every entry that is left to `visit`, as a TableBuilder with BuilderOptions() accepts
  // them: in ascending order, each key once; or if the order is not known, no key twice in a row.
  // Views are valid until `visit` returns. Where blocks overlap or are out of order, their entries
  // are sorted in memory. Errors: the first one of `visit`; those of reading a block again;
  // ResourceExhausted if sorting takes more than 64 times the file and 16 MiB.
  virtual absl::Status VisitEntries(
      absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit) = 0;

  // Passes every entry of TableScan::doubtful to `visit`, in the order of the file, with its block.
  // Errors: the first one of `visit`; those of reading a block again.
  virtual absl::Status VisitDoubtful(
      absl::FunctionRef<absl::Status(const ScannedBlock& block, absl::string_view key,
                                     absl::string_view value)>
          visit) = 0;

  virtual const SalvageReport& report() const = 0;

  // After VisitEntries(): whether all entries that the table ever had were visited, as far as a
  // file can show that.
  virtual bool complete() const = 0;

 protected:
  Salvager() = default;
};

}  // namespace sstable

#endif  // SSTABLE_EXPERIMENTAL_TABLE_SALVAGE_H_
