#include "table/table_reader.h"

#include <utility>

#include "absl/base/optimization.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "filter/filter_policy_registry.h"
#include "table/block_iterator.h"
#include "table/table_iterator.h"
#include "util/status_util.h"

namespace sstable {

// What the first lookup loads.
struct TableReader::Loaded {
  absl::Status index_status;
  std::optional<TableIndex> index;

  absl::Status filter_status;
  BlockContents filter_contents;
  std::optional<InternalFilterPolicy> internal_filter_policy;
  std::optional<FilterBlockReader> filter;  // set only if lookups are to ask it

  // A bit for each data block whose checksum has been found right.
  std::unique_ptr<std::atomic<uint64_t>[]> verified;
};

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(const TableReaderOptions& options,
                                                               absl::string_view path) {
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenFile(path));
  return Open(options, std::move(file));
}

absl::StatusOr<std::unique_ptr<TableReader>> TableReader::Open(
    const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file) {
  if (options.comparator == nullptr) {
    return absl::InvalidArgumentError("table option comparator is null");
  }
  std::unique_ptr<TableReader> reader(new TableReader(options, std::move(file)));
  RETURN_IF_ERROR(reader->ReadFooter());
  reader->ReadMetaindex();
  return reader;
}

TableReader::TableReader(const TableReaderOptions& options, std::unique_ptr<RandomAccessFile> file)
    : options_(options), order_(options.comparator, options.key_kind), file_(std::move(file)) {}

TableReader::~TableReader() = default;

absl::Status TableReader::ReadFooter() {
  char bytes[kFooterSize];
  const size_t size = static_cast<size_t>(std::min<uint64_t>(kFooterSize, file_->size()));
  RETURN_IF_ERROR(file_->Read(file_->size() - size, size, bytes));
  absl::StatusOr<Footer> footer = Footer::Parse(absl::string_view(bytes, size), file_->size());
  if (!footer.ok()) return AtPlace(file_->name(), footer.status());
  footer_ = *footer;
  return absl::OkStatus();
}

BlockReadOptions TableReader::ReadOptions(bool verify) const {
  return {verify, options_.max_uncompressed_block_size, dialect_};
}

// Without a metaindex the data can still be read, so trouble here is kept, not returned.
void TableReader::ReadMetaindex() {
  const auto read = [this]() -> absl::Status {
    ASSIGN_OR_RETURN(
        const BlockContents contents,
        ReadBlock(*file_, BlockKind::kMetaindex, footer_.metaindex, ReadOptions(/*verify=*/true)));
    const auto at_block = [this](const absl::Status& status) {
      return AtBlock(*file_, BlockKind::kMetaindex, footer_.metaindex, status);
    };
    const absl::StatusOr<Block> block = Block::Parse(contents.bytes);
    if (!block.ok()) return at_block(block.status());
    const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
    BlockIterator entries(&order, *block);
    for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
      absl::string_view value = entries.value();
      const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
      if (!handle.ok()) {
        return at_block(AtPlace(absl::StrCat("entry \"", absl::CHexEscape(entries.key()), "\""),
                                handle.status()));
      }
      meta_blocks_.push_back({std::string(entries.key()), *handle});
    }
    return at_block(entries.status());
  };
  metaindex_status_ = read();
  for (const MetaBlock& block : meta_blocks_) {
    if (absl::StartsWith(block.name, "rocksdb.")) dialect_ = TypeByteDialect::kRocksDb;
  }
}

const TableReader::Loaded& TableReader::Load() const {
  const Loaded* loaded = loaded_.load(std::memory_order_acquire);
  if (ABSL_PREDICT_TRUE(loaded != nullptr)) return *loaded;
  std::call_once(load_once_, [this] {
    loading_ = std::make_unique<Loaded>();
    LoadFilter(loading_.get());
    absl::StatusOr<BlockContents> contents =
        ReadBlock(*file_, BlockKind::kIndex, footer_.index, ReadOptions(/*verify=*/true));
    if (!contents.ok()) {
      loading_->index_status = contents.status();
    } else {
      const FilterBlockReader* filter = loading_->filter ? &*loading_->filter : nullptr;
      absl::StatusOr<TableIndex> index = TableIndex::Parse(*std::move(contents), &order_, filter);
      if (index.ok()) {
        const size_t words = index->size() / 64 + 1;
        loading_->verified = std::make_unique<std::atomic<uint64_t>[]>(words);
        loading_->index.emplace(*std::move(index));
        if (filter != nullptr) CheckFilterKnowsFirstKey(loading_.get());
      } else {
        loading_->index_status = AtBlock(*file_, BlockKind::kIndex, footer_.index, index.status());
      }
    }
    loaded_.store(loading_.get(), std::memory_order_release);
  });
  return *loaded_.load(std::memory_order_acquire);
}

// Takes the first filter in the metaindex whose policy is known.
void TableReader::LoadFilter(Loaded* loaded) const {
  if (!options_.use_filter) {
    loaded->filter_status =
        absl::FailedPreconditionError("the filter is turned off by the options");
    return;
  }
  loaded->filter_status = metaindex_status_.ok()
                              ? absl::NotFoundError("the table has no filter block")
                              : metaindex_status_;
  for (const MetaBlock& block : meta_blocks_) {
    absl::string_view name = block.name;
    if (absl::StartsWith(name, "fullfilter.") || absl::StartsWith(name, "partitionedfilter.")) {
      loaded->filter_status = absl::UnimplementedError(absl::StrCat(
          "\"", absl::CHexEscape(name), "\" is one of RocksDB's filters that are not read"));
    }
    if (!absl::ConsumePrefix(&name, kFilterKeyPrefix)) continue;
    const FilterPolicy* policy = FindFilterPolicy(name, options_.filter_policies);
    if (policy == nullptr) {
      loaded->filter_status = absl::UnimplementedError(
          absl::StrCat("filter policy \"", absl::CHexEscape(name), "\" is not known"));
      continue;
    }
    if (order_.kind() == KeyKind::kInternal) {
      policy = &loaded->internal_filter_policy.emplace(policy);
    }
    absl::StatusOr<BlockContents> contents =
        ReadBlock(*file_, BlockKind::kFilter, block.handle, ReadOptions(/*verify=*/true));
    if (!contents.ok()) {
      loaded->filter_status = contents.status();
      return;
    }
    loaded->filter_contents = *std::move(contents);
    absl::StatusOr<FilterBlockReader> filter =
        FilterBlockReader::Parse(policy, loaded->filter_contents.bytes);
    if (!filter.ok()) {
      loaded->filter_status = AtBlock(*file_, BlockKind::kFilter, block.handle, filter.status());
      return;
    }
    loaded->filter = *filter;
    loaded->filter_status = absl::OkStatus();
    return;
  }
}

// A filter asked about the wrong kind of keys, or with another hash than it was made with, hides
// keys. It would most likely hide the first one, too. If the first block can't be read, lookups
// that need it will say so.
void TableReader::CheckFilterKnowsFirstKey(Loaded* loaded) const {
  if (loaded->index->size() == 0) return;
  const IndexRecord& record = loaded->index->record(0);
  if (record.filter_size == 0) return;
  DataBlock data;
  if (!ReadDataBlock(*loaded, 0, &data).ok()) return;
  BlockIterator entries(&order_, data.block);
  entries.SeekToFirst();
  if (!entries.Valid() || loaded->filter->KeyMayMatch(record.block_offset, entries.key())) return;
  loaded->filter_status = absl::FailedPreconditionError(absl::StrCat(
      "filter \"", loaded->filter->policy()->Name(), "\" does not know the table's first key \"",
      absl::CHexEscape(entries.key().substr(0, 64)),
      "\": it was made of another kind of keys, or by another policy"));
  loaded->filter.reset();
}

absl::Status TableReader::LoadIndex() const { return Load().index_status; }
absl::Status TableReader::filter_status() const { return Load().filter_status; }

const FilterBlockReader* TableReader::filter() const {
  const Loaded& loaded = Load();
  return loaded.filter ? &*loaded.filter : nullptr;
}

const TableIndex* TableReader::index() const {
  const Loaded& loaded = Load();
  return loaded.index ? &*loaded.index : nullptr;
}

absl::StatusOr<BlockContents> TableReader::ReadMetaBlock(absl::string_view name) const {
  for (const MetaBlock& block : meta_blocks_) {
    if (block.name != name) continue;
    return ReadBlock(*file_, MetaBlockKind(name), block.handle, ReadOptions(/*verify=*/true));
  }
  return absl::NotFoundError(
      absl::StrCat(file_->name(), ": no meta block is called \"", absl::CHexEscape(name), "\""));
}

absl::Status TableReader::ReadDataBlock(const Loaded& loaded, size_t i, DataBlock* data) const {
  const BlockHandle handle = loaded.index->record(i).handle();
  std::atomic<uint64_t>& verified_word = loaded.verified[i / 64];
  const uint64_t verified_bit = uint64_t{1} << (i % 64);
  const bool verify = options_.verify_checksums == VerifyChecksums::kAlways ||
                      (options_.verify_checksums == VerifyChecksums::kFirstTouch &&
                       (verified_word.load(std::memory_order_relaxed) & verified_bit) == 0);
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(ReaderStatsCounter::kBlocksRead);
  stats.Add(ReaderStatsCounter::kBytesRead, handle.size + kBlockTrailerSize);
  ASSIGN_OR_RETURN(data->contents,
                   ReadBlock(*file_, BlockKind::kData, handle, ReadOptions(verify)));
  if (verify) verified_word.fetch_or(verified_bit, std::memory_order_relaxed);
  const absl::StatusOr<Block> block = Block::Parse(data->contents.bytes);
  if (!block.ok()) return AtBlock(*file_, BlockKind::kData, handle, block.status());
  data->block = *block;
  return absl::OkStatus();
}

absl::StatusOr<size_t> TableReader::FindBlock(const TableIndex& index,
                                              absl::string_view key) const {
  absl::StatusOr<size_t> block = index.Find(key);
  if (ABSL_PREDICT_FALSE(!block.ok())) {
    return AtBlock(*file_, BlockKind::kIndex, footer_.index, block.status());
  }
  return block;
}

// Looks `key` up through index, filter and block. `found->entry` is null if the table doesn't have
// it.
absl::Status TableReader::SearchTable(absl::string_view key, KeyBuffer* scratch, DataBlock* data,
                                      BlockSearchResult* found) const {
  const Loaded& loaded = Load();
  if (ABSL_PREDICT_FALSE(!loaded.index.has_value())) return loaded.index_status;
  const TableIndex& index = *loaded.index;
  ReaderStatsCounter::Shard& stats = stats_.ForThisThread();
  stats.Add(ReaderStatsCounter::kLookups);
  ASSIGN_OR_RETURN(size_t i, FindBlock(index, key));
  bool filter_said_yes = false, filter_said_no = false, searched = false;
  for (; i < index.size(); ++i) {
    const IndexRecord& record = index.record(i);
    // Versions of a user key may go on in the next block, where the index key between the two
    // belongs to it. LevelDB and goleveldb write no such index key; others do.
    const auto goes_on = [&] {
      return order_.kind() == KeyKind::kInternal &&
             index.SeparatorHasUserKey(i, ExtractUserKey(key));
    };
    if (loaded.filter.has_value() && record.filter_size > 0) {
      const absl::string_view filter =
          loaded.filter->contents().substr(record.filter_offset, record.filter_size);
      if (!loaded.filter->Matches({FilterWindow::State::kPresent, filter}, key)) {
        filter_said_no = true;
        if (goes_on()) continue;
        break;
      }
      if (!filter_said_yes) stats.Add(ReaderStatsCounter::kFilterPositives);
      filter_said_yes = true;
    }
    searched = true;
    RETURN_IF_ERROR(ReadDataBlock(loaded, i, data));
    if (absl::Status status = SearchBlock(data->block, order_, key, scratch, found); !status.ok()) {
      return AtBlock(*file_, BlockKind::kData, record.handle(), status);
    }
    if (found->entry != nullptr || !goes_on()) break;
  }
  if (filter_said_yes) {
    const bool has_key = found->entry != nullptr &&
                         (order_.kind() == KeyKind::kPlain
                              ? found->equal
                              : order_.user_comparator().Compare(ExtractUserKey(found->key_prefix),
                                                                 ExtractUserKey(key)) == 0);
    if (!has_key) stats.Add(ReaderStatsCounter::kFalsePositives);
  } else if (filter_said_no && !searched) {
    stats.Add(ReaderStatsCounter::kFilterNegatives);
  }
  return absl::OkStatus();
}

absl::StatusOr<Presence> TableReader::Find(absl::string_view key, std::string* value,
                                           uint64_t snapshot) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  if (order_.kind() == KeyKind::kPlain) {
    RETURN_IF_ERROR(SearchTable(key, &scratch, &data, &found));
    if (found.entry == nullptr || !found.equal) return Presence::kAbsent;
  } else {
    if (snapshot > kMaxSequence) {
      return absl::InvalidArgumentError(
          absl::StrCat("snapshot ", snapshot, " is above the highest sequence, ", kMaxSequence));
    }
    char tag[kTagSize + kCopySlack];
    EncodeFixed64(tag, SeekTag(snapshot));
    KeyBuffer target;
    target.Assign(key);
    target.Replace(key.size(), absl::string_view(tag, kTagSize));
    RETURN_IF_ERROR(SearchTable(target.view(), &scratch, &data, &found));
    if (found.entry == nullptr ||
        order_.user_comparator().Compare(ExtractUserKey(found.key_prefix), key) != 0) {
      return Presence::kAbsent;
    }
    // RocksDB has more types than values and deletions, and a table of plain keys has none.
    const std::optional<ParsedInternalKey> parsed = ParseInternalKey(found.key_prefix);
    if (!parsed.has_value()) {
      return absl::UnimplementedError(
          absl::StrCat(file_->name(), ": key \"", absl::CHexEscape(found.key_prefix.substr(0, 64)),
                       "\" is no internal key of a value or a deletion"));
    }
    if (parsed->type == ValueType::kDeletion) return Presence::kDeleted;
  }
  value->assign(found.value.data(), found.value.size());
  return Presence::kFound;
}

absl::StatusOr<std::optional<std::string>> TableReader::Get(absl::string_view key) const {
  std::string value;
  ASSIGN_OR_RETURN(const Presence presence, Find(key, &value));
  if (presence != Presence::kFound) return std::nullopt;
  return value;
}

absl::Status TableReader::InternalGet(
    absl::string_view key,
    absl::FunctionRef<void(absl::string_view key, absl::string_view value)> visit) const {
  KeyBuffer scratch;
  DataBlock data;
  BlockSearchResult found;
  RETURN_IF_ERROR(SearchTable(key, &scratch, &data, &found));
  if (found.entry == nullptr) return absl::OkStatus();
  if (found.equal) {
    visit(key, found.value);
  } else if (found.key_suffix.empty()) {
    visit(found.key_prefix, found.value);
  } else {
    scratch.Assign(found.key_prefix);
    scratch.Replace(found.key_prefix.size(), found.key_suffix);
    visit(scratch.view(), found.value);
  }
  return absl::OkStatus();
}

std::unique_ptr<TableIterator> TableReader::NewIterator() const {
  return std::make_unique<TableIterator>(this);
}

absl::StatusOr<uint64_t> TableReader::ApproximateOffsetOf(absl::string_view key) const {
  const Loaded& loaded = Load();
  if (!loaded.index.has_value()) return loaded.index_status;
  ASSIGN_OR_RETURN(const size_t i, FindBlock(*loaded.index, key));
  // Past the last block, the metaindex is near where data ends.
  return i < loaded.index->size() ? loaded.index->record(i).block_offset : footer_.metaindex.offset;
}

}  // namespace sstable
