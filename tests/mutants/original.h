// A table as it is before it is changed, and what is in it: by what `sst` says of it then or, of a
// table that was made for this, by what it was made of.
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
  size_t block;  // in Original::data_blocks
};

// What `sst get` has to say of a user key.
struct Expected {
  enum class Kind { kFound, kDeleted, kAbsent, kUnknown } kind = Kind::kAbsent;
  std::string value;
};

// Ownership: the views are of its own strings, so it is neither copied nor moved.
struct Original {
  std::string name;
  std::string details;  // of a made table
  std::string bytes;
  std::optional<test::TableSpec> spec;  // of a made table
  // A value has a part of a table in it, so that what is found may be that.
  bool is_nested = false;
  std::vector<OriginalBlock> blocks;     // in order of offset
  std::vector<BlockHandle> data_blocks;  // in order of the index
  BlockHandle index;                     // size 0 if there is none

  // False if `sst dump` fails: then nothing is compared with what follows.
  bool readable = false;
  bool order_known = false;
  KeyKind kind = KeyKind::kPlain;
  std::vector<OriginalEntry> entries;  // in the table's order

  std::string dump;      // `sst dump --format jsonl`
  std::string raw_dump;  // the same with --keys plain: tags are a part of the keys
  absl::flat_hash_set<absl::string_view> dump_lines;
  std::vector<absl::string_view> raw_lines;  // a line for each entry
  absl::flat_hash_set<absl::string_view> raw_line_set;

  // What entries of index, metaindex and meta blocks would be, if they were taken for data, of
  // plain or internal keys.
  absl::flat_hash_set<std::string> index_lines;

  bool check_passes = false;
  bool salvage_is_whole = false;  // `sst salvage` gives the same entries and says so

  Original() = default;
  Original(const Original&) = delete;
  Original& operator=(const Original&) = delete;

  std::string UserKey(const OriginalEntry& entry) const;
  // By a walk over all entries, so by none of the ways that a lookup goes.
  Expected Lookup(absl::string_view user_key) const;
};

// Runs the commands on the table at `path`.
void LoadOriginal(const std::string& path, SstRunner* runner, Original* original);

// Takes from `sst` nothing but where the blocks are. Aborts if they don't hold the entries.
void LoadMade(const MadeTable& made, Original* original);

// Without their line ends.
std::vector<absl::string_view> Lines(absl::string_view text);

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_ORIGINAL_H_
