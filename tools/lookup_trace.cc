#include "tools/lookup_trace.h"

#include "absl/status/statusor.h"
#include "filter/bloom.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/table_index.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/hash.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// The bits as filter/bloom.h defines them; whether all are set.
bool ProbeBits(const BloomView& filter, uint32_t hash, BloomProbe* probe) {
  const uint32_t step = BloomStep(hash);
  for (int i = 0; i < filter.probe_count(); ++i, hash += step) {
    const uint64_t bit = hash % filter.bit_count();
    probe->bits.push_back({bit, filter.IsSet(bit)});
    if (!probe->bits.back().set) return false;
  }
  return true;
}

void TraceBloom(const BloomTraits& traits, const BloomView& filter, absl::string_view key,
                FilterTrace* trace) {
  trace->is_bloom = true;
  trace->bit_count = filter.bit_count();
  trace->probe_count = filter.probe_count();
  if (filter.is_empty() || filter.is_reserved()) return;
  AnyBloomHash(traits, key, [&](HashTail tail, uint32_t hash) {
    trace->probes.push_back({tail == HashTail::kSigned, hash, {}});
    return ProbeBits(filter, hash, &trace->probes.back());
  });
}

// The last restart point whose key is below `key`, or the first.
absl::StatusOr<uint32_t> FindRestart(const Block& block, const KeyOrder& order,
                                     absl::string_view key) {
  uint32_t low = 0, high = block.restart_count();
  while (low + 1 < high) {
    const uint32_t middle = low + (high - low) / 2;
    BlockEntry entry;
    RETURN_IF_ERROR(DecodeRestartEntry(block, middle, &entry));
    if (order.Compare(entry.key_suffix(), key) < 0) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

absl::Status SearchEntries(const TableReader& reader, absl::string_view key, BlockTrace* trace) {
  ByteBuffer buffer;
  ASSIGN_OR_RETURN(const StoredBlock stored,
                   ReadStoredBlock(reader.file(), trace->handle, &buffer));
  trace->codec = IdentifyCodec(stored.type, stored.bytes, reader.dialect());
  const BlockReadOptions options = {/*verify_checksum=*/true,
                                    reader.options().max_uncompressed_block_size, reader.dialect()};
  ASSIGN_OR_RETURN(const BlockContents contents,
                   ReadBlock(reader.file(), BlockKind::kData, trace->handle, options));
  trace->raw_size = contents.bytes.size();
  ASSIGN_OR_RETURN(const Block block, Block::Parse(contents.bytes));
  trace->restart_count = block.restart_count();
  if (block.entries_size() == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(trace->restart_index, FindRestart(block, KeyOrderOf(reader), key));
  BlockIterator entries(&KeyOrderOf(reader), block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    if (entries.entry_offset() < block.RestartOffset(trace->restart_index)) continue;
    ++trace->entries_compared;
    if (KeyOrderOf(reader).Compare(entries.key(), key) < 0) continue;
    trace->entry_key = std::string(entries.key());
    break;
  }
  return entries.status();
}

std::string SeparatorOf(const TableReader& reader, const IndexRecord& record) {
  BlockIterator entries(&KeyOrderOf(reader), IndexOf(reader)->block());
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    if (entries.entry_offset() == record.entry_offset) return std::string(entries.key());
  }
  return "";
}

}  // namespace

FilterTrace TraceFilter(const FilterBlockReader& filter, uint64_t block_offset,
                        absl::string_view key) {
  FilterTrace trace;
  trace.window_index = filter.WindowIndex(block_offset);
  const FilterWindow window = filter.Window(trace.window_index);
  trace.state = window.state;
  if (window.state != FilterWindow::State::kPresent) return trace;
  trace.consulted = true;
  trace.filter_offset = static_cast<uint64_t>(window.filter.data() - filter.contents().data());
  trace.filter_size = window.filter.size();
  trace.may_match = filter.Matches(window, key);
  if (const BloomTraits* traits = filter.policy()->bloom(); traits != nullptr) {
    TraceBloom(*traits, BloomView(window.filter), key, &trace);
  }
  return trace;
}

LookupTrace TraceLookup(const TableReader& reader, absl::string_view key) {
  LookupTrace lookup;
  lookup.status = reader.LoadIndex();
  if (!lookup.status.ok()) return lookup;
  const TableIndex& index = *IndexOf(reader);
  lookup.block_count = index.size();
  size_t first = 0;
  lookup.status = index.Find(key, &first);
  if (!lookup.status.ok()) return lookup;
  const FilterBlockReader* filter = reader.filter();
  for (size_t i = first; i < index.size(); ++i) {
    BlockTrace& block = lookup.blocks.emplace_back();
    block.block_index = i;
    block.handle = index.record(i).handle();
    block.separator = SeparatorOf(reader, index.record(i));
    if (filter != nullptr) {
      block.filter = TraceFilter(*filter, block.handle.offset, key);
    }
    block.read = !block.filter.has_value() || block.filter->may_match;
    if (block.read) block.status = SearchEntries(reader, key, &block);
    // Only versions of one user key may go on in the next block.
    if (!block.status.ok() || block.entry_key.has_value() ||
        KeyOrderOf(reader).kind() == KeyKind::kPlain ||
        !index.SeparatorHasUserKey(i, KeyOrderOf(reader).UserKey(key))) {
      break;
    }
  }
  return lookup;
}

}  // namespace sstable::tools
