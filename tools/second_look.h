// The exhaustive search of `sst get`: reads entry by entry if a lookup is not possible, or to
// confirm that a key is absent.
#ifndef SSTABLE_TOOLS_SECOND_LOOK_H_
#define SSTABLE_TOOLS_SECOND_LOOK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "tools/cli/console.h"
#include "tools/table_input.h"

namespace sstable::tools {

// The version of a key in a table.
struct Version {
  uint64_t sequence = kMaxSequence;  // this for plain keys
  bool deleted = false;
  std::string value;
  std::string file;
  bool is_suspect = false;  // lookups miss it, or damage may hide a newer one, or it is misplaced
  bool is_read_failed = false;  // parts that could not be read may have a newer one
};

// Returns the version in an entry with a key of this kind.
absl::StatusOr<Version> ReadVersion(const TableReader& reader, KeyKind kind,
                                    absl::string_view entry_key, absl::string_view value);

// The key to find: a plain key, or the newest visible version of a user key.
struct WantedKey {
  std::string key;
  std::optional<uint64_t> snapshot;

  // The key for a lookup in the table.
  std::string Target(const TableReader& reader) const;

  // True if the table does not show which kind of keys it has, so that `key` may be a whole key or
  // a user key. A snapshot implies internal keys.
  bool IsKindOpen(const InputTable& table) const;
};

// Borrows the console. The tables' indexes must be readable.
class SecondLook {
 public:
  using FoundVersion = absl::StatusOr<std::optional<Version>>;

  SecondLook(WantedKey wanted, Console* console) : wanted_(std::move(wanted)), console_(console) {}

  // Reads the whole table. Reports `why`, a clause.
  FoundVersion Scan(const InputTable& table, absl::string_view why) const;

  // Searches for what a lookup may have missed, since it trusts the filter and the order of the
  // keys; it returned `found`. Checks that the blocks to which the key belongs are the ones that
  // the index means, and in order; searches these blocks, and the others unless the tables so far
  // are too large.
  FoundVersion Confirm(const InputTable& table, std::optional<Version> found);

  // Searches for what a lookup could not read, which failed with `damage`: without restart points,
  // reads the entries before a malformed one, and the other blocks to which the key belongs.
  FoundVersion ReadDamaged(const InputTable& table, const absl::Status& damage) const;

  // Returns `found` if `damage` may hide the key, or a newer version of it: a value with a report,
  // or `damage` itself.
  FoundVersion DespiteDamage(std::optional<Version> found, const absl::Status& damage) const;

  // The order of keys that makes the key absent from the last table that was not read completely.
  const std::string& assumption() const { return assumption_; }

 private:
  // The versions of the key in the blocks that were read, as a plain key and as a user key.
  struct Sighting {
    std::optional<Version> plain, newest;
    size_t block = 0;           // block of the version found
    std::string entry_key;      // its key
    bool is_misplaced = false;  // its block was known to be damaged
    absl::Status damage;        // the first block's that can't be read or is misplaced

    const std::optional<Version>& version() const { return plain.has_value() ? plain : newest; }
  };

  // The data blocks to which the key belongs, from `first` up to `end`.
  struct BlockRange {
    size_t first = 0, end = 0;
  };

  absl::StatusOr<BlockRange> BlocksFor(const TableReader& reader) const;
  absl::StatusOr<Sighting> ReadBlocks(const InputTable& table, BlockRange range) const;
  FoundVersion LookForMissed(const InputTable& table, BlockRange range,
                             std::optional<Version> found);

  // Up to this total size, tables are read completely before a key is reported absent.
  static constexpr uint64_t kMaxBytesRead = uint64_t{16} << 20;

  const WantedKey wanted_;
  Console* console_;
  uint64_t bytes_left_ = kMaxBytesRead;
  std::string assumption_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SECOND_LOOK_H_
