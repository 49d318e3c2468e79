#include "benchmarks/rocksdb_rival.h"

#include <utility>

#include "benchmarks/require.h"
#include "rocksdb/cache.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/table.h"

namespace sstable::bench {
namespace {

class NullFile final : public rocksdb::FSWritableFile {
 public:
  using rocksdb::FSWritableFile::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions&,
                           rocksdb::IODebugContext*) override {
    size_ += data.size();
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();
  }
  uint64_t GetFileSize(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return size_;
  }

 private:
  uint64_t size_ = 0;
};

// Opens a NullFile in place of every file.
class NullFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  NullFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  const char* Name() const override { return "null sink"; }
  rocksdb::IOStatus NewWritableFile(const std::string&, const rocksdb::FileOptions&,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext*) override {
    *file = std::make_unique<NullFile>();
    return rocksdb::IOStatus::OK();
  }
};

rocksdb::Slice SliceOf(absl::string_view bytes) { return {bytes.data(), bytes.size()}; }

rocksdb::Options OptionsOf(const BuildSpec& spec, size_t cache_size) {
  rocksdb::BlockBasedTableOptions table;
  if (spec.filter) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBitsPerKey));
  table.format_version = 5;
  table.no_block_cache = cache_size == 0;
  if (cache_size > 0) table.block_cache = rocksdb::NewLRUCache(cache_size);

  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.compression = spec.codec == Codec::kSnappy ? rocksdb::kSnappyCompression
                        : spec.codec == Codec::kZstd ? rocksdb::kZSTD
                                                     : rocksdb::kNoCompression;
  options.compression_opts.level = kZstdLevel;
  options.allow_mmap_reads = true;
  options.max_open_files = -1;
  options.disable_auto_compactions = true;  // nothing else runs during timing
  options.keep_log_file_num = 1;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

const rocksdb::ReadOptions& Unverified() {
  static const rocksdb::ReadOptions options = [] {
    rocksdb::ReadOptions unverified;
    unverified.verify_checksums = false;
    return unverified;
  }();
  return options;
}

std::unique_ptr<rocksdb::DB> OpenDatabase(const rocksdb::Options& options,
                                          const std::string& folder) {
  rocksdb::DB* database = nullptr;
  RequireRivalOk(rocksdb::DB::Open(options, folder, &database), "RocksDB opens " + folder);
  return std::unique_ptr<rocksdb::DB>(database);
}

std::unique_ptr<Cursor> CursorOf(rocksdb::Iterator* it) {
  return std::make_unique<CursorOver<rocksdb::Iterator, rocksdb::Slice>>(
      std::unique_ptr<rocksdb::Iterator>(it));
}

}  // namespace

RocksDbTable::RocksDbTable(const std::string& path, size_t cache_size, bool is_mapped) {
  static const rocksdb::Options by_default = OptionsOf({}, 0);  // creating it is slow
  if (cache_size == 0 && is_mapped) {
    reader_ = std::make_unique<rocksdb::SstFileReader>(by_default);
  } else {
    rocksdb::Options options = OptionsOf({}, cache_size);
    options.allow_mmap_reads = is_mapped;
    reader_ = std::make_unique<rocksdb::SstFileReader>(options);
  }
  RequireRivalOk(reader_->Open(path), "RocksDB opens the table");
}

RocksDbTable::~RocksDbTable() = default;

bool RocksDbTable::Get(absl::string_view key, std::string* value) {
  if (cursor_ == nullptr) cursor_ = NewCursor();
  cursor_->Seek(key);
  if (!cursor_->Valid() || cursor_->key() != key) return false;
  const absl::string_view found = cursor_->value();
  value->assign(found.data(), found.size());
  return true;
}

std::unique_ptr<Cursor> RocksDbTable::NewCursor() const {
  return CursorOf(reader_->NewIterator(Unverified()));
}

void RocksDbDatabase::Fill(const std::string& folder, const Entries& entries, Codec codec) {
  rocksdb::Options options = OptionsOf({codec}, 0);
  options.create_if_missing = true;
  options.error_if_exists = true;
  const std::unique_ptr<rocksdb::DB> database = OpenDatabase(options, folder);
  const std::string path = folder + ".sst";  // moved into the database
  BuildSpec spec{codec};
  spec.path = path;
  BuildWithRocksDb(entries, spec);
  rocksdb::IngestExternalFileOptions ingest;
  ingest.move_files = true;
  RequireRivalOk(database->IngestExternalFile({path}, ingest), "RocksDB ingests " + path);
}

RocksDbDatabase::RocksDbDatabase(const std::string& folder, size_t cache_size)
    : database_(OpenDatabase(OptionsOf({}, cache_size), folder)) {}

RocksDbDatabase::~RocksDbDatabase() = default;

bool RocksDbDatabase::Get(absl::string_view key, std::string* value) const {
  rocksdb::PinnableSlice found;
  const rocksdb::Status status =
      database_->Get(Unverified(), database_->DefaultColumnFamily(), SliceOf(key), &found);
  if (!status.ok()) return false;
  value->assign(found.data(), found.size());
  return true;
}

size_t RocksDbDatabase::MultiGet(absl::Span<const absl::string_view> keys,
                                 absl::Span<std::string> values) const {
  Require(keys.size() <= kMultiGetSize, "too many keys for one MultiGet");
  rocksdb::Slice slices[kMultiGetSize];
  rocksdb::PinnableSlice found[kMultiGetSize];
  rocksdb::Status statuses[kMultiGetSize];
  for (size_t i = 0; i < keys.size(); ++i) slices[i] = SliceOf(keys[i]);
  database_->MultiGet(Unverified(), database_->DefaultColumnFamily(), keys.size(), slices, found,
                      statuses);
  size_t count = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) continue;
    values[i].assign(found[i].data(), found[i].size());
    ++count;
  }
  return count;
}

std::unique_ptr<Cursor> RocksDbDatabase::NewCursor() const {
  return CursorOf(database_->NewIterator(Unverified()));
}

uint64_t BuildWithRocksDb(const Entries& entries, const BuildSpec& spec) {
  rocksdb::Options options = OptionsOf(spec, 0);
  static const std::unique_ptr<rocksdb::Env> null_sink =
      rocksdb::NewCompositeEnv(std::make_shared<NullFileSystem>());
  if (spec.path.empty()) options.env = null_sink.get();
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options, /*column_family=*/nullptr,
                                /*invalidate_page_cache=*/false);
  RequireRivalOk(writer.Open(spec.path.empty() ? "null" : spec.path), "RocksDB creates a table");
  for (size_t i = 0; i < entries.size(); ++i) {
    RequireRivalOk(writer.Put(SliceOf(entries.key(i)), SliceOf(entries.value(i))), "RocksDB adds");
  }
  rocksdb::ExternalSstFileInfo info;
  RequireRivalOk(writer.Finish(&info), "RocksDB finishes a table");
  return info.file_size;
}

}  // namespace sstable::bench
