#include "benchmarks/ours.h"

#include <utility>

#include "absl/status/status.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/table_builder.h"

namespace sstable::bench {
namespace {

class NullFile final : public WritableFile {
 public:
  NullFile() : WritableFile("null sink") {}

  absl::Status Append(absl::string_view) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
};

TableBuilderOptions OptionsOf(const BuildSpec& spec) {
  TableBuilderOptions options;
  switch (spec.codec) {
    case Codec::kRaw:
      options.compression = Compression::kNone;
      break;
    case Codec::kSnappy:
      options.compression = Compression::kSnappy;
      break;
    case Codec::kZstd:
      options.compression = Compression::kZstd;
      options.zstd_level = kZstdLevel;
      break;
  }
  options.compression_threads = spec.compression_threads;
  if (spec.filter) options.filter_policy = OurPolicy();
  options.table_filter_policy = spec.table_filter;
  options.sync = false;  // as LevelDB's TableBuilder, which leaves syncing to its caller
  return options;
}

uint64_t AddAll(const Entries& entries, absl::StatusOr<std::unique_ptr<TableBuilder>> created) {
  const std::unique_ptr<TableBuilder> builder = ValueOrFail(std::move(created));
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!builder->Add(entries.key(i), entries.value(i)).ok()) break;
  }
  RequireOk(builder->Finish());
  return builder->FileSize();
}

}  // namespace

const FilterPolicy* OurPolicy() {
  static const FilterPolicy* const policy = NewBloomFilterPolicy(kBitsPerKey).release();
  return policy;
}

OurFilterMaker::OurFilterMaker(const KeyList& keys) {
  keys_.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) keys_.push_back(keys[i]);
}

OurFilterWindows::OurFilterWindows(const std::vector<KeyList>& windows, const BloomKernels& kernels)
    : kernels_(kernels) {
  FilterBlockBuilder builder(OurPolicy());
  for (size_t i = 0; i < windows.size(); ++i) {
    builder.StartBlock(uint64_t{i} << kDefaultFilterBaseLg);
    for (size_t j = 0; j < windows[i].size(); ++j) builder.AddKey(windows[i][j]);
  }
  const absl::string_view built = ValueOrFail(builder.Finish());
  block_.reserve(built.size() + kBloomLoadSize);  // vector probes read past the last filter
  block_.assign(built.data(), built.size());
  const FilterBlockReader reader = ValueOrFail(FilterBlockReader::Parse(OurPolicy(), block_));
  for (size_t i = 0; i < windows.size(); ++i) {
    filters_.push_back(reader.Window(i).filter);
    probes_.emplace_back(BloomView(filters_.back()));
  }
}

std::unique_ptr<Cursor> OurTable::NewCursor() const {
  return std::make_unique<CursorOver<TableIterator, absl::string_view>>(NewIterator());
}

uint64_t BuildWithOurs(const Entries& entries, const BuildSpec& spec,
                       std::unique_ptr<WritableFile> file) {
  return AddAll(entries, TableBuilder::Create(std::move(file), OptionsOf(spec)));
}

uint64_t BuildWithOurs(const Entries& entries, const BuildSpec& spec) {
  if (spec.path.empty()) return BuildWithOurs(entries, spec, std::make_unique<NullFile>());
  return AddAll(entries, TableBuilder::Create(spec.path, OptionsOf(spec)));
}

void BuildInternalWithOurs(const Entries& entries, const BuildSpec& spec) {
  TableBuilderOptions options = OptionsOf(spec);
  options.key_kind = KeyKind::kInternal;
  const auto builder = ValueOrFail(TableBuilder::Create(spec.path, options));
  for (size_t i = 0; i < entries.size(); ++i) {
    RequireOk(
        builder->Add(MakeInternalKey(entries.key(i), i + 1, ValueType::kValue), entries.value(i)));
  }
  RequireOk(builder->Finish());
}

}  // namespace sstable::bench
