// How a locate filter is made. Keys go into their line, or the next one with room, in table order.
#include "filter/locate_filter.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "util/huge_pages.h"

namespace sstable {
namespace {

constexpr size_t kTailSize = 5;
constexpr uint64_t kLineBits = 8 * LocateLines::kLineSize;

uint32_t BitWidth(uint64_t number) {
  return number == 0 ? 0 : 64 - static_cast<uint32_t>(__builtin_clzll(number));
}

// Puts keys into lines.
class LineWriter {
 public:
  LineWriter(char* lines, uint64_t line_count, const LocateLines& layout)
      : lines_(lines), line_count_(line_count), layout_(layout) {
    for (uint64_t i = 0; i < line_count; ++i) SetState(Line(i), layout_.EmptyState());
  }

  void Prefetch(uint64_t hash) const { __builtin_prefetch(Line(Scale(hash, line_count_)), 1); }

  // False if the lines that a lookup reads have no room.
  bool Insert(uint64_t hash, uint64_t place) {
    uint64_t at = Scale(hash, line_count_);
    for (uint64_t i = 0; i < LocateLines::kMaxWalk; ++i) {
      char* const line = Line(at);
      uint32_t state = DecodeFixed32(line + LocateLines::kStateOffset);
      const uint32_t front = LocateLines::FrontEnd(state), back = LocateLines::BackStart(state);
      if (front < back) {
        const bool at_back = LocateLines::IsAtBack(hash);
        state += at_back ? uint32_t{0} - (1 << 4) : 1;
        SetState(line, state);
        SetSlot(line, at_back ? back - 1 : front, hash, place);
        return true;
      }
      SetState(line, state | LocateLines::OverflowBit(hash));
      if (++at == line_count_) at = 0;
    }
    return false;
  }

 private:
  char* Line(uint64_t i) const { return lines_ + i * LocateLines::kLineSize; }
  static void SetState(char* line, uint32_t state) {
    EncodeFixed32(line + LocateLines::kStateOffset, state);
  }
  void SetSlot(char* line, uint32_t slot, uint64_t hash, uint64_t place) const {
    const uint64_t value = place | layout_.Fingerprint(hash) << layout_.place_bits();
    EncodeFixed32(line + 4 * size_t{slot}, static_cast<uint32_t>(value));
    line[layout_.tag_offset() + slot] = static_cast<char>(LocateLines::Tag(hash));
    if (layout_.is_wide()) line[layout_.high_offset() + slot] = static_cast<char>(value >> 32);
  }

  char* const lines_;
  const uint64_t line_count_;
  const LocateLines layout_;
};

// Writes the keys to lines that are zeros. False if too many of them have similar hashes.
bool WriteLines(absl::Span<const uint64_t> hashes, absl::Span<const KeyPlaces::Run> runs,
                LineWriter* writer) {
  constexpr size_t kAhead = 16;  // lines are at random places: ask for them early
  size_t run = 0;
  for (size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) writer->Prefetch(hashes[i + kAhead]);
    while (run + 1 < runs.size() && runs[run + 1].first_key <= i) ++run;
    if (!writer->Insert(hashes[i], runs[run].place)) return false;
  }
  return true;
}

class LocatePolicy final : public TableFilterPolicy {
 public:
  absl::string_view Name() const override { return "Locate1"; }

  void CreateFilter(absl::Span<uint64_t>, std::string* dst) const override {
    AppendTail(0, 0, dst);
  }

  bool needs_places() const override { return true; }
  void CreateLocateFilter(absl::Span<const uint64_t> hashes, const KeyPlaces& places,
                          std::string* dst) const override {
    const uint32_t place_bits = places.place_limit <= 1 ? 1 : BitWidth(places.place_limit - 1);
    if (hashes.empty() || places.runs.empty() || place_bits > LocateLines::kMaxPlaceBits) {
      return AppendTail(0, 0, dst);
    }
    const LocateLines layout(place_bits);
    const uint64_t bits = hashes.size() * (layout.is_wide() ? uint64_t{60} : uint64_t{50});
    const uint64_t line_count = (bits + kLineBits - 1) / kLineBits;
    const size_t start = dst->size();
    ReserveInHugePages(line_count * LocateLines::kLineSize + kTailSize, dst);
    dst->resize(start + line_count * LocateLines::kLineSize, '\0');
    LineWriter writer(&(*dst)[start], line_count, layout);
    if (WriteLines(hashes, places.runs, &writer)) {
      return AppendTail(places.max_run_entries, place_bits, dst);
    }
    dst->resize(start);
    AppendTail(0, 0, dst);  // hashes that somebody chose with care
  }

  absl::StatusOr<std::unique_ptr<const TableFilter>> Parse(
      absl::string_view contents) const override;

 private:
  static void AppendTail(uint32_t max_run_entries, uint32_t place_bits, std::string* dst) {
    AppendFixed32(dst, max_run_entries);
    dst->push_back(static_cast<char>(place_bits));
  }
};

// Of a filter without lines.
class AnyKey final : public TableFilter {
 public:
  bool MayMatch(uint64_t) const override { return true; }
};

absl::StatusOr<std::unique_ptr<const TableFilter>> LocatePolicy::Parse(
    absl::string_view contents) const {
  if (contents.size() % LocateLines::kLineSize != kTailSize) {
    return absl::DataLossError(absl::StrCat("locate filter has ", contents.size(),
                                            " bytes, expected lines of 64 and ", kTailSize));
  }
  const absl::string_view lines = contents.substr(0, contents.size() - kTailSize);
  const uint32_t max_run_entries = DecodeFixed32(lines.data() + lines.size());
  const uint32_t place_bits = static_cast<unsigned char>(contents.back());
  if (lines.empty()) return std::make_unique<const AnyKey>();
  if (max_run_entries == 0 || place_bits < 1 || place_bits > LocateLines::kMaxPlaceBits) {
    return absl::DataLossError(absl::StrCat(
        "locate filter has runs of ", max_run_entries, " entries and places of ", place_bits,
        " bits, expected at least 1 and 1 to ", LocateLines::kMaxPlaceBits));
  }
  return std::make_unique<const LocateFilter>(lines, place_bits, max_run_entries);
}

}  // namespace

std::unique_ptr<const TableFilterPolicy> NewLocatePolicy() {
  return std::make_unique<LocatePolicy>();
}

}  // namespace sstable
