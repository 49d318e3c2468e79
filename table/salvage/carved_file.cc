#include "table/salvage/carved_file.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "table/block/block_io.h"
#include "table/block/compression.h"
#include "table/block/limits.h"
#include "table/metaindex.h"
#include "table/salvage/carve.h"
#include "util/bytes.h"

namespace sstable {
namespace {

// Limits the size of carved runs that turn out not to be blocks: only a hostile file has so many.
constexpr uint64_t kFreeWork = uint64_t{128} << 20;
constexpr uint64_t kWorkPerByte = 64;

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
    const absl::Status status =
        contents.ok() ? file_.ParseData(handle, *contents, &carved.data) : contents.status();
    if (status.ok()) {
      Classify(carved_.blocks, *contents, &file_, &carved);
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
                               CarvedFile::Unreadable{handle.size, file_.Reason(handle, status)});
    return CarveVerdict::kNoBlock;
  }

  ScannedFile& file_;
  CarvedFile carved_;
  Budget wasted_work_;
  bool out_of_work_ = false;
};

}  // namespace

std::vector<CarvedBlock>::const_iterator CarvedFile::LowerBound(uint64_t offset) const {
  return std::lower_bound(
      blocks.begin(), blocks.end(), offset,
      [](const CarvedBlock& block, uint64_t at) { return block.data.handle.offset < at; });
}

const CarvedBlock* CarvedFile::Find(uint64_t offset) const {
  const auto block = LowerBound(offset);
  return block != blocks.end() && block->data.handle.offset == offset ? &*block : nullptr;
}

const CarvedBlock* CarvedFile::Find(const BlockHandle& handle, int64_t base) const {
  const uint64_t offset = handle.offset + static_cast<uint64_t>(base);  // modulo 2^64, like `base`
  const CarvedBlock* const block = Find(offset);
  return block != nullptr && block->data.handle.size == handle.size ? block : nullptr;
}

CarvedFile CarveFile(ScannedFile* file, bool has_leveldb_types) {
  Carver carver(file);
  carver.Run();
  // In RocksDB's files, type bytes have other meanings, but only the end of the file shows that.
  if (file->dialect != CompressionNumbering::kRocksDb && !has_leveldb_types &&
      carver.HasRocksDbNames()) {
    file->dialect = CompressionNumbering::kRocksDb;
    carver.Run();
  }
  return carver.TakeResult();
}

}  // namespace sstable
