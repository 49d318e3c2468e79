// A table before it is changed, and its contents: as `sst` prints them, or, for a generated table,
// as they were generated.
#ifndef SSTABLE_TESTS_MUTANTS_ORIGINAL_H_
#define SSTABLE_TESTS_MUTANTS_ORIGINAL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "table/block/key_order.h"
#include "tests/mutants/made_table.h"
#include "tests/mutants/sst_runner.h"

namespace sstable::mutants {

struct OriginalBlock {
  BlockKind kind = BlockKind::kData;
  BlockHandle handle;
  uint8_t type = 0;
};

struct OriginalEntry {
  std::string key;
  std::string value;
  size_t block;  // index in Original::data_blocks
};

// The expected result of `sst get` for a user key.
struct Expected {
  enum class Kind { kFound, kDeleted, kAbsent, kUnknown } kind = Kind::kAbsent;
  std::string value;
};

// Ownership: has views into its own strings, so it can't be copied or moved.
struct Original {
  std::string name;
  std::string details;  // generated tables only
  std::string bytes;
  std::optional<test::TableSpec> spec;  // generated tables only
  bool is_nested = false;               // a value contains part of a table
  KeyKind kind = KeyKind::kPlain;
  std::vector<OriginalBlock> blocks;     // sorted by offset
  std::vector<BlockHandle> data_blocks;  // in index order
  BlockHandle index, metaindex;          // size 0 if there is none
  std::vector<OriginalEntry> entries;    // in table order

  // How `sst` reads the original. Mutants are compared only where it succeeds.
  bool readable = false;          // `dump` prints all entries
  bool check_passes = false;      // `check` finds nothing
  bool salvage_is_whole = false;  // `salvage` saves all entries, and says so

  // The output of `sst dump --format jsonl`, without and with --keys plain, where tags are parts of
  // the keys.
  std::string dump, raw_dump;
  std::vector<absl::string_view> raw_lines;  // one for each entry
  absl::flat_hash_set<absl::string_view> dump_lines, raw_line_set;
  // The lines that dump prints for index and metaindex entries if it takes them for data.
  absl::flat_hash_set<std::string> index_lines;

  Original() = default;
  Original(const Original&) = delete;
  Original& operator=(const Original&) = delete;

  std::string UserKey(const OriginalEntry& entry) const;
  // Scans all entries, so that the answer does not depend on the lookup code.
  Expected Lookup(absl::string_view user_key) const;
};

// Runs `sst` on the table at `path`.
void LoadOriginal(const std::string& path, SstRunner* runner, Original* original);

// Aborts if the table's blocks don't contain the generated entries.
void LoadMade(const MadeTable& made, Original* original);

// The lines of `text`, without their line ends.
std::vector<absl::string_view> Lines(absl::string_view text);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_ORIGINAL_H_
