// For `sst get`: reads data blocks entry by entry, if a lookup is impossible, or to confirm that a
// key is absent.
#ifndef SSTABLE_TOOLS_FILES_EXHAUSTIVE_LOOKUP_H_
#define SSTABLE_TOOLS_FILES_EXHAUSTIVE_LOOKUP_H_

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
#include "tools/files/open_table.h"

namespace sstable::tools {

// The version of a key in a table.
struct Version {
  uint64_t sequence = kMaxSequence;  // always so for plain keys
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
struct LookupTarget {
  std::string key;
  std::optional<uint64_t> snapshot;

  // Returns the key for a lookup in the table.
  std::string Target(const TableReader& reader) const;

  // Returns true if the table does not show which kind of keys it has, so that `key` may be a whole
  // key or a user key. A snapshot implies internal keys.
  bool IsKindOpen(const OpenedTable& table) const;
};

// Borrows the console. The indexes of the tables must be readable.
class ExhaustiveLookup {
 public:
  using FoundVersion = absl::StatusOr<std::optional<Version>>;

  ExhaustiveLookup(LookupTarget target, Console* console)
      : target_(std::move(target)), console_(console) {}

  // Reads all of the table. `why` is a clause for the report.
  FoundVersion SearchAll(const OpenedTable& table, absl::string_view why) const;

  // Looks for what the lookup that returned `found` has missed or could not read, since a lookup
  // trusts the filter, the order of keys and the restart points. Reads, entry by entry, the block
  // to which the index leads and misplaced blocks next to it, or the whole table if it is small
  // enough.
  FoundVersion Confirm(const OpenedTable& table, FoundVersion found);

  // Returns the result if `damage` may hide the key or a newer version. A value in `found` is
  // returned after reporting the damage. Otherwise the result is `damage`.
  FoundVersion DespiteDamage(std::optional<Version> found, const absl::Status& damage) const;

  // Describes the order of keys on which the absence of the key relies, from the last table that
  // was not read completely.
  const std::string& assumption() const { return assumption_; }

 private:
  // The versions found so far, of the key as a plain key and as a user key.
  struct Match {
    std::optional<Version> plain, newest;
    size_t block = 0;           // block of the version found
    std::string entry_key;      // its key
    bool is_misplaced = false;  // damage in its block came before it
    absl::Status damage;        // first error of reading, or of a block that may have the key
    bool is_whole = true;       // all blocks were read

    const std::optional<Version>& version() const { return plain.has_value() ? plain : newest; }
  };
  enum class Extent { kWhole, kBlocksOfKey };

  absl::StatusOr<Match> Search(const OpenedTable& table, Extent extent) const;

  // Tables of up to this many bytes together are read completely before a key is reported absent.
  static constexpr uint64_t kMaxBytesRead = uint64_t{16} << 20;

  const LookupTarget target_;
  Console* console_;
  uint64_t bytes_left_ = kMaxBytesRead;
  std::string assumption_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_FILES_EXHAUSTIVE_LOOKUP_H_
