#include "table/salvage/carved_file.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sstable/comparator.h"
#include "sstable/filter_block.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "table/metaindex.h"
#include "table/salvage/carve.h"
#include "util/bytes.h"
#include "util/coding.h"

namespace sstable {
namespace {

// Limits the work on byte ranges with a correct checksum that are not blocks: only a hostile file
// has so many.
constexpr uint64_t kFreeWork = uint64_t{128} << 20;
constexpr uint64_t kWorkPerByte = 64;

// Returns true if a block is right before the footer, or has the size that the footer gives for the
// index. The offsets in the footer are wrong if bytes before it are missing.
bool MatchesFooterIndex(absl::string_view file, const BlockHandle& handle) {
  if (file.size() < kFooterSize) return false;
  absl::string_view footer = file.substr(file.size() - kFooterSize);
  if (DecodeFixed64(footer.data() + kFooterHandlesSize) != kTableMagic) return false;
  if (EndOf(handle) == file.size() - kFooterSize) return true;
  footer.remove_suffix(sizeof(kTableMagic));
  const auto metaindex = BlockHandle::Parse(&footer);
  const auto index = BlockHandle::Parse(&footer);
  return metaindex.ok() && index.ok() && index->size == handle.size;
}

// Returns true if most of the handles lead to blocks that were found: by offset or, if the block
// has moved, by keys and size. Handles are in the order of their keys.
bool LeadToBlocks(const Index& handles, const CarvedFile& before) {
  const std::vector<CarvedBlock>& blocks = before.blocks;
  std::vector<bool> is_named;
  for (const IndexEntry& entry : handles) {
    is_named.push_back(before.Find(entry.handle, 0).has_value());
  }
  // The blocks of a table that was a value are right before its index.
  const size_t max_blocks = 4 * handles.size() + 64;
  const IndexFinder finder(&handles, nullptr);
  for (size_t n = blocks.size() - std::min(blocks.size(), max_blocks); n < blocks.size(); ++n) {
    if (!IsData(blocks[n])) continue;
    const ScannedBlock& data = blocks[n].data;
    const auto i = finder.FindByKey(data.handle, data.first_key, data.last_key);
    if (i.has_value()) is_named[*i] = true;
  }
  const auto count = std::count(is_named.begin(), is_named.end(), true);
  return 2 * static_cast<size_t>(count) > handles.size();
}

// Returns true if bytes that are not a block of entries may be a filter block.
bool MayBeFilterBlock(const StoredBlock& stored) {
  if (stored.type != 0 || stored.bytes.size() < kFilterBlockTailSize) return false;
  const uint64_t room = stored.bytes.size() - kFilterBlockTailSize;
  const char* const tail = stored.bytes.data() + room;
  return DecodeFixed32(tail) <= room && static_cast<uint8_t>(tail[4]) <= kMaxFilterBaseLg;
}

// Determines the kind of `carved`, whose data was parsed from `contents`. `before` has all blocks
// carved before it.
void Classify(const CarvedFile& before, const BlockContents& contents, ScannedFile* file,
              CarvedBlock* carved) {
  Block block;
  Block::TryParse(contents.bytes, &block);
  const BlockHandle& handle = carved->data.handle;
  const CarvedBlock* const neighbour =
      !before.blocks.empty() && EndOf(before.blocks.back().data.handle) == handle.offset
          ? &before.blocks.back()
          : nullptr;
  if (IsRocksDbName(carved->data.first_key) && IsRocksDbName(carved->data.last_key)) {
    carved->kind =
        CarvedBlock::Kind::kMeta;  // the properties; set anew below if all values are handles
  }
  size_t others = 0;
  std::optional<Index> handles = file->ParseHandles(block, /*strict=*/true, &others);
  if (!handles.has_value() || handles->empty()) return;
  const bool lead_to_blocks = LeadToBlocks(*handles, before);
  if (others > 0) {
    carved->data.may_be_index = lead_to_blocks;
    return;
  }
  SortByOffset(&*handles);
  if (std::all_of(handles->begin(), handles->end(),
                  [](const IndexEntry& entry) { return IsMetaName(entry.key); })) {
    carved->kind = CarvedBlock::Kind::kMetaindex;
  } else if (IsBackToBack(*handles)) {
    // A single entry whose value is a handle proves little. So a neighbour, a footer, or the block
    // that the handle names must confirm it.
    const bool is_index =
        handles->size() > 1 ||
        (neighbour != nullptr &&
         (neighbour->kind == CarvedBlock::Kind::kMetaindex || neighbour->data.entry_count == 0)) ||
        MatchesFooterIndex(file->bytes(), handle) ||
        (!before.blocks.empty() && before.blocks[0].data.handle == handles->front().handle);
    if (is_index) carved->kind = CarvedBlock::Kind::kIndex;
    carved->data.may_be_index = !is_index;
  } else {
    carved->data.may_be_index = lead_to_blocks;
  }
  carved->index = *std::move(handles);
}

// Returns a bit for each known order that `key` refutes and no earlier key of the block did. `last`
// is the previous key, if there is one.
uint32_t RefutedOrders(const CarvedBlock& carved, absl::string_view last, absl::string_view key) {
  const std::vector<KeyOrder>& orders = KnownOrders();
  uint32_t refuted = 0;
  for (size_t n = 0; n < orders.size(); ++n) {
    const uint32_t bit = uint32_t{1} << n;
    if ((carved.refuted_orders & bit) != 0) continue;
    const bool is_possible = MayBeIn(orders[n], key) &&
                             (carved.data.entry_count == 1 || orders[n].Compare(last, key) <= 0);
    if (!is_possible) refuted |= bit;
  }
  return refuted;
}

class Carver {
 public:
  explicit Carver(ScannedFile* file)
      : file_(*file), wasted_work_(kFreeWork + kWorkPerByte * file->size()) {}

  void Run() {
    carved_ = CarvedFile();
    const CarveResult result = CarveBlocks(
        file_.bytes(),
        [this](const BlockHandle& handle, bool adjacent) { return TryBlock(handle, adjacent); });
    carved_.stopped_at = result.stopped_at;
  }

  bool HasRocksDbNames() const {
    return std::any_of(carved_.blocks.begin(), carved_.blocks.end(), [](const CarvedBlock& carved) {
      return carved.kind != CarvedBlock::Kind::kData && IsRocksDbName(carved.data.last_key);
    });
  }

  CarvedFile TakeResult() { return std::move(carved_); }

 private:
  CarveVerdict TryBlock(const BlockHandle& handle, bool adjacent) {
    if (out_of_work_) return CarveVerdict::kStop;
    const absl::StatusOr<BlockContents> contents = file_.Read(BlockKind::kData, handle);
    CarvedBlock carved;
    KeyBuffer last;
    const auto add = [&carved, &last](absl::string_view key) {
      carved.refuted_orders |= RefutedOrders(carved, last.view(), key);
      last.Assign(key);
    };
    const absl::Status status =
        contents.ok() ? file_.ParseData(handle, *contents, &carved.data, add) : contents.status();
    if (status.ok()) {
      Classify(carved_, *contents, &file_, &carved);
      carved_.blocks.push_back(std::move(carved));
      return CarveVerdict::kBlock;
    }
    out_of_work_ = !wasted_work_.Take(handle.size + (contents.ok() ? contents->buffer.size() : 0));
    if (!adjacent) return CarveVerdict::kNoBlock;
    ByteBuffer buffer;
    const absl::StatusOr<StoredBlock> stored = ReadStoredBlock(file_.padded(), handle, &buffer);
    if (stored.ok() && MayBeFilterBlock(*stored)) {
      carved = CarvedBlock();
      carved.kind = CarvedBlock::Kind::kMeta;
      carved.data.handle = handle;
      carved_.blocks.push_back(std::move(carved));
      return CarveVerdict::kBlock;
    }
    carved_.unreadable.emplace(handle.offset,
                               CarvedFile::Unreadable{handle.size, std::string(status.message())});
    return CarveVerdict::kNoBlock;
  }

  ScannedFile& file_;
  CarvedFile carved_;
  Budget wasted_work_;
  bool out_of_work_ = false;
};

}  // namespace

const std::vector<KeyOrder>& KnownOrders() {
  static const auto* const orders = [] {
    auto* const known = new std::vector<KeyOrder>;
    for (const Comparator* comparator : KnownComparators()) {
      known->emplace_back(comparator, KeyKind::kPlain);
      known->emplace_back(comparator, KeyKind::kInternal);
    }
    return known;
  }();
  return *orders;
}

bool IsMetaName(absl::string_view key) { return IsFilterName(key) || IsRocksDbName(key); }

size_t CarvedFile::LowerBound(uint64_t offset) const {
  const auto at = std::lower_bound(
      blocks.begin(), blocks.end(), offset,
      [](const CarvedBlock& block, uint64_t o) { return block.data.handle.offset < o; });
  return static_cast<size_t>(at - blocks.begin());
}

std::optional<size_t> CarvedFile::Find(const BlockHandle& handle, int64_t base) const {
  const uint64_t offset = handle.offset + static_cast<uint64_t>(base);  // modulo 2^64, like `base`
  const size_t n = LowerBound(offset);
  const bool is_there =
      n < blocks.size() && blocks[n].data.handle == BlockHandle{offset, handle.size};
  return is_there ? std::optional<size_t>(n) : std::nullopt;
}

size_t CarvedFile::EndOfRun(size_t first) const {
  size_t n = first + 1;
  while (n < blocks.size() && TouchesPrevious(n) && (IsData(blocks[n - 1]) || !IsData(blocks[n]))) {
    ++n;
  }
  return n;
}

CarvedFile CarveFile(ScannedFile* file, bool has_leveldb_types) {
  Carver carver(file);
  carver.Run();
  // In RocksDB's files, type bytes have different meanings, but only the end of the file identifies
  // such a file.
  if (file->dialect != CompressionNumbering::kRocksDb && !has_leveldb_types &&
      carver.HasRocksDbNames()) {
    file->dialect = CompressionNumbering::kRocksDb;
    carver.Run();
  }
  return carver.TakeResult();
}

}  // namespace sstable
