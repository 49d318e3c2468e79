// A table before it is changed, and its contents: as shown by `sst`, or, for a table made for a
// mutant, as it was made.
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
  std::string details;  // made tables only
  std::string bytes;
  std::optional<test::TableSpec> spec;  // made tables only
  bool is_nested = false;               // a value contains a part of a table
  KeyKind kind = KeyKind::kPlain;
  std::vector<OriginalBlock> blocks;     // by offset
  std::vector<BlockHandle> data_blocks;  // in the order of the index
  BlockHandle index, metaindex;          // size 0 if there is none
  std::vector<OriginalEntry> entries;    // in the table's order

  // What `sst` says of the original. Where it fails, mutants are not compared with it.
  bool readable = false;          // `dump` prints all entries
  bool check_passes = false;      // `check`
  bool salvage_is_whole = false;  // `salvage` saves the same entries and says so

  // In the form of `sst dump --format jsonl`, and with --keys plain: tags are part of the keys.
  std::string dump, raw_dump;
  std::vector<absl::string_view> raw_lines;  // a line for each entry
  absl::flat_hash_set<absl::string_view> dump_lines, raw_line_set;
  // The lines for entries of other blocks, if these were taken for data of plain or internal keys.
  absl::flat_hash_set<std::string> index_lines;

  Original() = default;
  Original(const Original&) = delete;
  Original& operator=(const Original&) = delete;

  std::string UserKey(const OriginalEntry& entry) const;
  // Scans all entries, so it does not depend on the paths of a lookup.
  Expected Lookup(absl::string_view user_key) const;
};

// Runs the commands on the table at `path`.
void LoadOriginal(const std::string& path, SstRunner* runner, Original* original);

// Uses `sst` only to find the blocks. Aborts if they don't contain the entries.
void LoadMade(const MadeTable& made, Original* original);

// The lines of `text`, without their line ends.
std::vector<absl::string_view> Lines(absl::string_view text);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_ORIGINAL_H_
