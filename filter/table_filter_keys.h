// The keys of a table's filter to be: their hashes, and where they are.
#ifndef SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
#define SSTABLE_FILTER_TABLE_FILTER_KEYS_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "sstable/filter_policy.h"
#include "util/bytes.h"

namespace sstable {

// Pattern: (StartRun* Add)*, PlaceBlock for each block once its place in the file is known,
//          CreateFilter. StartRun() and PlaceBlock() only if needs_places().
// Memory:  8 bytes a key, since a ByteBuffer grows without a copy of large contents; if
//          needs_places(), 16 more for each run and 24 for each block.
// Threads: one at a time.
class TableFilterKeys {
 public:
  // Borrows `policy`. `prefixes`: of keys, that are to be in the filter, too.
  explicit TableFilterKeys(const TableFilterPolicy* policy,
                           std::optional<PrefixExtractor> prefixes = std::nullopt)
      : policy_(policy), needs_places_(policy->needs_places()), prefixes_(std::move(prefixes)) {}

  bool needs_places() const { return needs_places_; }

  // The next key starts a run, `offset` bytes from the start of its block's entries.
  void StartRun(uint64_t offset) {
    const Run run = {key_count(), offset};
    std::memcpy(runs_.Reserve(sizeof(run)), &run, sizeof(run));
    runs_.SetSize(runs_.size() + sizeof(run));
    run_starts_ = true;
    entries_in_run_ = 0;
  }

  // `is_version`: it is that of the key before. Then it is in the filter, or at least in this run.
  void Add(absl::string_view user_key, bool is_version = false) {
    if (needs_places_) max_run_entries_ = std::max(max_run_entries_, ++entries_in_run_);
    if (is_version) return;
    if (prefixes_.has_value()) AddPrefixOf(user_key);
    const uint64_t hash = TableFilterHash(user_key);
    if (hash == last_ && !run_starts_ && key_count() > 0) return;
    AddHash(hash);
  }

  // The next block, in table order: its offset, and its size without the trailer.
  void PlaceBlock(uint64_t offset, uint64_t size, bool is_raw) {
    blocks_.push_back({offset, size, is_raw});
  }

  // Appends the filter of the keys to `*dst`. Not to be called twice.
  void CreateFilter(std::string* dst);

 private:
  // While keys are added `place` is the run's offset in its block.
  using Run = KeyPlaces::Run;
  struct PlacedBlock {
    uint64_t offset;
    uint64_t size;
    bool is_raw;
  };

  void AddHash(uint64_t hash) {
    std::memcpy(hashes_.Reserve(sizeof(hash)), &hash, sizeof(hash));
    hashes_.SetSize(hashes_.size() + sizeof(hash));
    last_ = hash;
    run_starts_ = false;
  }
  // Before the first of the keys that have it.
  void AddPrefixOf(absl::string_view user_key);
  uint64_t key_count() const { return hashes_.size() / sizeof(uint64_t); }
  KeyPlaces Places();

  const TableFilterPolicy* policy_;
  bool needs_places_;
  std::optional<PrefixExtractor> prefixes_;
  std::optional<std::string> last_prefix_;
  ByteBuffer hashes_;  // in this machine's byte order
  uint64_t last_ = 0;

  ByteBuffer runs_;  // of Run
  std::vector<PlacedBlock> blocks_;
  bool run_starts_ = false;  // no key has been added to it
  uint32_t entries_in_run_ = 0;
  uint32_t max_run_entries_ = 0;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_TABLE_FILTER_KEYS_H_
