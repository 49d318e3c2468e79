// A filter for a whole table that also says where a key is: for each key a fingerprint and the
// place of its run of entries, in lines of 64 bytes.
//
// Format: line[0] ... line[n - 1] ++ fixed32 max_run_entries ++ u8 place_bits. A line is
//         fixed32 low[0] ... low[s - 1] ++ u8 tag[0] ... ++ (u8 high[0] ... if wide) ++
//         fixed32 state; s is 12, or 10 if place_bits is above 32, when lines are wide.
// Page:   docs/filter_block.md#locate-filter.
#ifndef SSTABLE_FILTER_LOCATE_FILTER_H_
#define SSTABLE_FILTER_LOCATE_FILTER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/strings/string_view.h"
#include "filter/scaled_hash.h"
#include "sstable/filter_policy.h"
#include "util/coding.h"

namespace sstable {

// The place of the run that restart point `restart` starts, at `run_offset` in the block's
// uncompressed contents: its own offset in the file if the block is stored raw. From
// block_offset + block_size (without the trailer) on, a place says only which block it is.
inline uint64_t RunPlace(uint64_t block_offset, uint64_t block_size, bool is_raw, uint64_t restart,
                         uint64_t run_offset) {
  return block_offset + std::min(is_raw ? run_offset : restart, block_size);
}

// How hashes and places are in lines. All of it part of the file format.
//
// A key's slot has the place, the fingerprint of 32 (wide: 40) bits less those of the place, and a
// tag of 8 bits. Bit 8 of the hash says from which end of its line a key takes the next slot; the
// state's low 8 bits say where the two ends are, its others which hashes went on to later lines.
class LocateLines {
 public:
  static constexpr size_t kLineSize = 64;        // bytes
  static constexpr uint64_t kMaxWalk = 256;      // lines, from a key's first on; 10 M keys need 55
  static constexpr uint32_t kMaxPlaceBits = 40;  // so that a slot of 48 bits has 8 of the hash

  explicit LocateLines(uint32_t place_bits)
      : place_bits_(place_bits),
        is_wide_(place_bits > 32),
        slot_count_(is_wide_ ? 10 : 12),
        fingerprint_mask_((uint64_t{1} << ((is_wide_ ? 40 : 32) - place_bits)) - 1) {}

  uint32_t place_bits() const { return place_bits_; }
  bool is_wide() const { return is_wide_; }
  uint32_t slot_count() const { return slot_count_; }
  size_t tag_offset() const { return 4 * size_t{slot_count_}; }
  size_t high_offset() const { return 5 * size_t{slot_count_}; }
  static constexpr size_t kStateOffset = kLineSize - sizeof(uint32_t);

  static uint8_t Tag(uint64_t hash) { return static_cast<uint8_t>(hash); }
  static bool IsAtBack(uint64_t hash) { return (hash >> 8 & 1) != 0; }
  static constexpr uint32_t kOverflowBits = 24;
  static uint32_t OverflowBitOf(uint64_t number) { return uint32_t{1} << (8 + number); }
  static uint32_t OverflowBit(uint64_t hash) {
    return OverflowBitOf((hash >> 9 & 0x7fffff) * kOverflowBits >> 23);
  }
  uint64_t Fingerprint(uint64_t hash) const { return hash >> 32 & fingerprint_mask_; }

  // Of the state: the slots below FrontEnd() and from BackStart() on are taken.
  static uint32_t FrontEnd(uint32_t state) { return state & 15; }
  static uint32_t BackStart(uint32_t state) { return state >> 4 & 15; }
  uint32_t EmptyState() const { return slot_count_ << 4; }

  // Place and, above it, fingerprint.
  uint64_t Slot(const char* line, uint32_t slot) const {
    uint64_t value = DecodeFixed32(line + 4 * size_t{slot});
    if (is_wide_) value |= uint64_t{static_cast<uint8_t>(line[high_offset() + slot])} << 32;
    return value;
  }

  // The slots that may belong to `hash`, by side and tag: bit i is slot i.
  uint32_t Candidates(const char* line, uint32_t state, uint64_t hash) const {
    const uint64_t tags = uint64_t{Tag(hash)} * 0x0101010101010101;
    const char* const p = line + tag_offset();
    const uint32_t same =
        EqualBytes(DecodeFixed64(p), tags) | EqualBytes(DecodeFixed64(p + 8), tags) << 8;
    const uint32_t all = (uint32_t{1} << slot_count_) - 1;
    const uint32_t front = (uint32_t{1} << FrontEnd(state)) - 1;
    const uint32_t back = ~uint32_t{0} << BackStart(state);
    return same & all & (IsAtBack(hash) ? back : front);
  }

 private:
  // Bit i: byte i of the two is equal.
  static uint32_t EqualBytes(uint64_t a, uint64_t b) {
    constexpr uint64_t kLow7 = 0x7f7f7f7f7f7f7f7f;
    const uint64_t x = a ^ b;
    const uint64_t zeros = ~(((x & kLow7) + kLow7) | x | kLow7);  // 0x80 in each byte that is 0
    return static_cast<uint32_t>(((zeros >> 7) * 0x0102040810204080) >> 56);
  }

  uint32_t place_bits_;
  bool is_wide_;
  uint32_t slot_count_;
  uint64_t fingerprint_mask_;
};

// Threads: immutable.
class LocateFilter final : public TableFilter {
 public:
  // `lines` has at least one.
  LocateFilter(absl::string_view lines, uint32_t place_bits, uint32_t max_run_entries)
      : lines_(lines.data()),
        line_count_(lines.size() / LocateLines::kLineSize),
        max_run_entries_(max_run_entries),
        layout_(place_bits) {}

  // Calls `visit` with each place at which a key with this hash may be, until it returns true;
  // whether it did. A place has been checked against nothing.
  template <typename Visit>
  bool ForEachPlace(uint64_t hash, Visit visit) const {
    const uint64_t fingerprint = layout_.Fingerprint(hash);
    uint64_t at = Scale(hash, line_count_);
    for (uint64_t i = 0; i < LocateLines::kMaxWalk; ++i) {
      const char* const line = lines_ + at * LocateLines::kLineSize;
      const uint32_t state = DecodeFixed32(line + LocateLines::kStateOffset);
      for (uint32_t slots = layout_.Candidates(line, state, hash); slots != 0; slots &= slots - 1) {
        const uint64_t slot = layout_.Slot(line, static_cast<uint32_t>(__builtin_ctz(slots)));
        if (slot >> layout_.place_bits() != fingerprint) continue;
        if (visit(slot & ((uint64_t{1} << layout_.place_bits()) - 1))) return true;
      }
      if (ABSL_PREDICT_TRUE((state & LocateLines::OverflowBit(hash)) == 0)) return false;
      if (++at == line_count_) at = 0;
    }
    return false;
  }

  // The most entries that a lookup need look at from a place on.
  uint32_t max_run_entries() const { return max_run_entries_; }

  bool MayMatch(uint64_t hash) const override {
    return ForEachPlace(hash, [](uint64_t) { return true; });
  }
  bool MayBeAt(uint64_t hash, uint64_t place) const override {
    return ForEachPlace(hash, [place](uint64_t other) { return other == place; });
  }
  void Prefetch(uint64_t hash) const override {
    __builtin_prefetch(lines_ + Scale(hash, line_count_) * LocateLines::kLineSize);
  }
  const LocateFilter* locate() const override { return this; }

 private:
  const char* lines_;
  uint64_t line_count_;
  uint32_t max_run_entries_;
  LocateLines layout_;
};

}  // namespace sstable

#endif  // SSTABLE_FILTER_LOCATE_FILTER_H_
