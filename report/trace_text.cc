#include "report/trace_text.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "report/text/fields.h"
#include "report/text/words.h"
#include "sstable/internal_key.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "util/escape.h"

namespace sstable {
namespace {

std::string DescribeWindow(const FilterTrace& trace, int base_lg) {
  const uint64_t start = trace.window_index << base_lg;
  return absl::StrFormat("window %d (for blocks at offset %d to %d)", trace.window_index, start,
                         start + (uint64_t{1} << base_lg) - 1);
}

std::string DescribeProbe(const TracedProbe& probe, int probe_count) {
  const std::string bits =
      absl::StrJoin(probe.bits, ", ", [](std::string* out, const TracedProbe::Bit& bit) {
        absl::StrAppend(out, bit.index, bit.set ? " set" : " not set");
      });
  return absl::StrFormat("hash 0x%08x%s, %d of %d bits checked: %s\n", probe.hash,
                         probe.signed_tail ? " (with signed bytes)" : "", probe.bits.size(),
                         probe_count, bits);
}

std::string DescribeEntrySearch(const BlockTrace& block, const TableReader& reader) {
  const std::string size =
      block.codec == Codec::kNone
          ? absl::StrCat(block.handle.size, " bytes")
          : absl::StrCat(block.handle.size, " bytes of ", CodecName(block.codec, reader.dialect()),
                         " for ", block.raw_size);
  std::string text =
      absl::StrFormat("block %d at offset %d, %s\n", block.block_index, block.handle.offset, size);
  if (!block.status.ok()) return absl::StrCat(text, EscapeControls(block.status.message()), "\n");
  absl::StrAppendFormat(&text, "from restart point %d (of %d) on, %s compared\n",
                        block.restart_index, block.restart_count,
                        Count(block.entries_compared, "entry"));
  return absl::StrCat(text,
                      block.entry_key.has_value()
                          ? absl::StrCat("first key that is not below: ",
                                         ShowKey(KeyOrderOf(reader), *block.entry_key))
                          : "all keys in the block are below it",
                      "\n");
}

std::string DescribeCost(const TableReader& reader, uint64_t data_bytes_read) {
  uint64_t total = kFooterSize + data_bytes_read;
  std::string parts = absl::StrCat("footer ", kFooterSize);
  const auto add = [&](absl::string_view name, const BlockHandle& handle) {
    const uint64_t size = handle.size + kBlockTrailerSize;
    absl::StrAppend(&parts, ", ", name, " ", size);
    total += size;
  };
  add("metaindex", reader.footer().metaindex);
  add("index", reader.footer().index);
  if (reader.filter() != nullptr) {
    add("filter", MetaindexOf(reader).FindFilter(reader.options().filter_policies).block->handle);
  }
  if (LoadNow(reader).table_filter.filter != nullptr) {
    add("table filter",
        MetaindexOf(reader).FindTableFilter(reader.options().table_filter_policies).block->handle);
  }
  return absl::StrFormat("%s, data %d: %d bytes of the file's %d\n", parts, data_bytes_read, total,
                         reader.file().size());
}

}  // namespace

std::string DescribeFilterTrace(const FilterTrace& trace, const FilterBlockReader& filter) {
  const std::string window = DescribeWindow(trace, filter.base_lg());
  switch (trace.state) {
    case FilterWindow::State::kMissing:
      return absl::StrCat(window, " is past the filter's last: the block is read\n");
    case FilterWindow::State::kMalformed:
      return absl::StrCat(window, " has invalid offsets: the block is read\n");
    case FilterWindow::State::kEmpty:
      return absl::StrCat(window, " is empty though a block starts in it: the block is read\n");
    case FilterWindow::State::kPresent:
      break;
  }
  std::string text = absl::StrFormat("%s: offset %d in the filter block, %d bytes", window,
                                     trace.filter_offset, trace.filter_size);
  if (trace.is_bloom) {
    absl::StrAppendFormat(&text, " (%d bits, k = %d)", trace.bit_count, trace.probe_count);
  }
  text += "\n";
  for (const TracedProbe& probe : trace.probes) text += DescribeProbe(probe, trace.probe_count);
  absl::StrAppend(&text, trace.may_match ? "so the block may have the key\n"
                                         : "so the block does not have the key\n");
  return text;
}

std::string DescribeTableFilterTrace(const TableFilterTrace& trace, const TableReader& reader) {
  return absl::StrFormat(
      "%s, of the whole table: %s (hash 0x%016x)\n", LoadNow(reader).table_filter.policy_name,
      trace.may_match ? "may have the key" : "does not have the key", trace.hash);
}

std::string DescribeLookup(const LookupTrace& trace, const TableReader& reader,
                           absl::string_view key, uint64_t data_bytes_read, const Style& style) {
  const KeyOrder& order = KeyOrderOf(reader);
  const std::string heading =
      absl::StrCat(EscapeControls(reader.file().name()), ": looking for ", ShowKey(order, key),
                   " (", order.kind() == KeyKind::kPlain ? "plain" : "internal", " keys, ",
                   order.comparator().Name(), ")\n");
  Fields fields(6, style);
  if (trace.table_filter.has_value()) {
    fields.Add("filter", DescribeTableFilterTrace(*trace.table_filter, reader));
  }
  const bool uses_index = !trace.table_filter.has_value() || trace.table_filter->may_match;
  const std::string index = absl::StrCat(Count(trace.block_count, "data block"), "; ");
  if (!trace.status.ok()) {
    fields.Add("index", EscapeControls(trace.status.message()));
  } else if (trace.blocks.empty() && uses_index) {
    fields.Add("index", index + "every index key is below it");
  }
  if (!reader.LoadFilter().ok()) {
    fields.Add("filter",
               absl::StrCat("not consulted: ", EscapeControls(reader.LoadFilter().message())));
  }
  for (const BlockTrace& block : trace.blocks) {
    fields.Add("index", absl::StrCat(index, "the first index key that is not below it is block ",
                                     block.block_index, "'s, ", ShowKey(order, block.separator)));
    if (block.filter.has_value()) {
      fields.Add("filter", absl::StrCat(reader.filter()->policy()->Name(), "\n",
                                        DescribeFilterTrace(*block.filter, *reader.filter())));
    }
    if (block.read) fields.Add("block", DescribeEntrySearch(block, reader));
  }
  fields.Add("read", DescribeCost(reader, data_bytes_read));
  return heading + fields.text();
}

}  // namespace sstable
