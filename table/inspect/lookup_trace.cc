#include "table/inspect/lookup_trace.h"

#include "absl/status/statusor.h"
#include "filter/bloom.h"
#include "filter/filter_window.h"
#include "sstable/experimental/table_filter.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/block/block_search.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/bytes.h"
#include "util/hash.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Lists the bits, as defined in filter/bloom.h. Returns true if all are set.
bool ProbeBits(const BloomView& filter, uint32_t hash, TracedProbe* probe) {
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

// Traces the search in a block; the lookup itself gives the result.
absl::Status TraceSearch(const TableReader& reader, const LookupStep& step, absl::string_view key,
                         BlockTrace* trace) {
  const Block& block = *step.block;
  trace->raw_size = block.entries_size() + 4 * (uint64_t{block.restart_count()} + 1);
  trace->restart_count = block.restart_count();
  if (block.entries_size() == 0) return absl::OkStatus();
  const KeyOrder& order = KeyOrderOf(reader);
  RETURN_IF_ERROR(FindRestart(block, order, order.Split(key), &trace->restart_index));
  const char* const end = step.has_entry() ? step.found->next : block.end();
  BlockEntry entry;
  for (const char* p = block.begin() + block.RestartOffset(trace->restart_index); p < end;
       p = entry.next()) {
    if (!DecodeEntry(p, block, &entry)) return EntryError(block, p, 0);
    ++trace->entries_compared;
  }
  return absl::OkStatus();
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
  const std::optional<BloomTraits> traits = BloomTraitsOf(*filter.policy());
  trace.consulted = IsAsked(window, /*is_bloom=*/traits.has_value());
  const bool is_empty = !trace.consulted && window.state == FilterWindow::State::kPresent;
  trace.state = is_empty ? FilterWindow::State::kEmpty : window.state;
  if (!trace.consulted) return trace;
  trace.filter_offset = static_cast<uint64_t>(window.filter.data() - filter.contents().data());
  trace.filter_size = window.filter.size();
  trace.may_match = filter.Matches(window, key);
  if (traits.has_value()) TraceBloom(*traits, BloomView(window.filter), key, &trace);
  return trace;
}

std::optional<TableFilterTrace> TraceTableFilter(const TableReader& reader, absl::string_view key) {
  const TableFilter* const filter = LoadNow(reader).table_filter.filter.get();
  if (filter == nullptr) return std::nullopt;
  TableFilterTrace trace;
  trace.hash = TableFilterHash(KeyOrderOf(reader).UserKey(key));
  trace.may_match = filter->MayMatch(trace.hash);
  return trace;
}

LookupTrace TraceLookup(const TableReader& reader, absl::string_view key) {
  LookupTrace lookup;
  if (IndexOf(reader) != nullptr) lookup.block_count = IndexOf(reader)->size();
  lookup.table_filter = TraceTableFilter(reader, key);
  const FilterBlockReader* const filter = reader.filter();
  const absl::Status status = TraceInternalGet(reader, key, [&](const LookupStep& step) {
    const IndexRecord& record = IndexOf(reader)->record(step.block_index);
    BlockTrace& block = lookup.blocks.emplace_back();
    block.block_index = step.block_index;
    block.handle = record.handle();
    block.separator = SeparatorOf(reader, record);
    if (filter != nullptr) block.filter = TraceFilter(*filter, block.handle.offset, key);
    block.read = step.status != nullptr;
    if (!block.read) return;
    ByteBuffer buffer;
    const auto stored = ReadStoredBlock(reader.file(), block.handle, &buffer);
    if (stored.ok()) block.codec = IdentifyCodec(stored->type, stored->bytes, reader.dialect());
    block.status = step.status->ok() ? TraceSearch(reader, step, key, &block) : *step.status;
    if (step.has_entry()) block.entry_key = std::string(step.BuildKey());
  });
  // An error in a block is kept with that block.
  if (lookup.blocks.empty()) lookup.status = status;
  return lookup;
}

}  // namespace sstable
