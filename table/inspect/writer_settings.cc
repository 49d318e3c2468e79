#include "table/inspect/writer_settings.h"

#include <algorithm>
#include <limits>

#include "table/block/compression.h"

namespace sstable {
namespace {

constexpr size_t kMaxBlockSize = std::numeric_limits<int32_t>::max();  // the option's maximum

// Returns the number from `least` to `most` with the most trailing zero bits: the one that a person
// would choose.
size_t RoundestNumber(size_t least, size_t most) {
  for (int bit = 31; bit > 0; --bit) {
    const size_t number = most >> bit << bit;
    if (number >= least) return number;
  }
  return most;
}

}  // namespace

void WriterSettings::AddBlock(Codec codec, const Block& block) {
  // Codecs that can't be written are replaced by one that every reader supports.
  if (codec == Codec::kLz4 || codec == Codec::kBzip2) codec = Codec::kSnappy;
  ++blocks_by_codec_[static_cast<size_t>(codec)];
  const uint32_t restart_count = block.restart_count();
  size_t entry_count = 0, entries_before_second_restart = 0, last_offset = 0;
  BlockEntry entry;
  for (const char* p = block.begin(); p < block.end() && DecodeEntry(p, block, &entry);
       p = entry.next()) {
    last_offset = static_cast<size_t>(p - block.begin());
    if (restart_count > 1 && last_offset < block.RestartOffset(1)) ++entries_before_second_restart;
    ++entry_count;
  }
  if (entry_count == 0) return;

  // The size that the block had before its last entry, with the restart points that it had then.
  const bool last_is_restart =
      restart_count > 1 && block.RestartOffset(restart_count - 1) == last_offset;
  const size_t restarts_before_last = restart_count - (last_is_restart ? 1 : 0);
  if (entry_count > 1) {
    max_size_before_last_ = std::max(max_size_before_last_,
                                     last_offset + sizeof(uint32_t) * (restarts_before_last + 1));
  }
  sizes_.push_back(block.entries_size() + sizeof(uint32_t) * (size_t{restart_count} + 1));

  if (restart_count <= 1) {
    max_entries_without_restart_ = std::max(max_entries_without_restart_, entry_count);
  } else if (restart_interval_ == 0) {
    restart_interval_ = entries_before_second_restart;
  }
}

Compression WriterSettings::GetCompression() const {
  Compression most = Compression::kNone;
  uint64_t count = 0;
  for (int i = 0; i <= static_cast<int>(kLastCompression); ++i) {
    const auto compression = static_cast<Compression>(i);
    const uint64_t blocks = blocks_by_codec_[static_cast<size_t>(CodecOf(compression))];
    if (compression == Compression::kNone || blocks <= count) continue;
    most = compression;
    count = blocks;
  }
  return most;
}

size_t WriterSettings::GuessBlockSize(size_t preferred) const {
  const size_t least = max_size_before_last_ + 1;
  size_t most = kMaxBlockSize;
  for (size_t i = 0; i + 1 < sizes_.size(); ++i) {
    if (sizes_[i] >= least) most = std::min(most, sizes_[i]);  // otherwise something else ended it
  }
  if (least <= preferred && preferred <= most) return preferred;
  if (least > most) return most;
  // If no block shows a limit, assume at most twice the minimum.
  return RoundestNumber(least, std::min(most, 2 * least));
}

int WriterSettings::GuessRestartInterval(int preferred) const {
  const size_t interval = restart_interval_ > 0 ? restart_interval_
                                                : std::max(static_cast<size_t>(preferred),
                                                           max_entries_without_restart_);
  return static_cast<int>(std::min<size_t>(interval, std::numeric_limits<int>::max()));
}

void WriterSettings::ApplyTo(TableBuilderOptions* options) const {
  if (sizes_.empty()) return;
  options->compression = GetCompression();
  options->block_size = GuessBlockSize(options->block_size);
  options->block_restart_interval = GuessRestartInterval(options->block_restart_interval);
}

}  // namespace sstable
