#include "benchmarks/leveldb_rival.h"

#include "benchmarks/require.h"
#include "leveldb/cache.h"
#include "leveldb/db.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"
#include "leveldb/write_batch.h"

namespace sstable::bench {
namespace {

class NullFile final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice&) override { return leveldb::Status::OK(); }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }
};

class StringFile final : public leveldb::WritableFile {
 public:
  explicit StringFile(std::string* bytes) : bytes_(bytes) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    bytes_->append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  std::string* bytes_;
};

leveldb::Slice SliceOf(absl::string_view bytes) { return {bytes.data(), bytes.size()}; }

const leveldb::FilterPolicy* Policy() {
  static const leveldb::FilterPolicy* const policy = leveldb::NewBloomFilterPolicy(kBitsPerKey);
  return policy;
}

leveldb::Options OptionsOf(const BuildSpec& spec) {
  Require(spec.codec != Codec::kZstd, "LevelDB 1.23 has no zstd");
  leveldb::Options options;
  options.compression =
      spec.codec == Codec::kSnappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.filter_policy = spec.filter ? Policy() : nullptr;
  return options;
}

// Makes tables, and memtables, as large as LevelDB allows.
leveldb::Options DatabaseOptions(leveldb::Cache* cache, Codec codec) {
  leveldb::Options options = OptionsOf({codec});
  options.block_cache = cache;
  options.write_buffer_size = size_t{1} << 30;
  options.max_file_size = size_t{1} << 30;
  return options;
}

std::unique_ptr<leveldb::DB> OpenDatabase(const leveldb::Options& options,
                                          const std::string& folder) {
  leveldb::DB* database = nullptr;
  RequireRivalOk(leveldb::DB::Open(options, folder, &database), "LevelDB opens " + folder);
  return std::unique_ptr<leveldb::DB>(database);
}

std::unique_ptr<Cursor> CursorOf(leveldb::Iterator* it) {
  return std::make_unique<CursorOver<leveldb::Iterator, leveldb::Slice>>(
      std::unique_ptr<leveldb::Iterator>(it));
}

uint64_t BuildInto(const Entries& entries, const BuildSpec& spec, leveldb::WritableFile* file) {
  leveldb::TableBuilder builder(OptionsOf(spec), file);
  for (size_t i = 0; i < entries.size(); ++i) {
    builder.Add(SliceOf(entries.key(i)), SliceOf(entries.value(i)));
  }
  RequireRivalOk(builder.Finish(), "LevelDB builds a table");
  RequireRivalOk(file->Close(), "LevelDB closes a table");
  return builder.FileSize();
}

}  // namespace

LevelDbFilterMaker::LevelDbFilterMaker(const KeyList& keys) {
  keys_.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) keys_.push_back(SliceOf(keys[i]));
}

LevelDbFilterMaker::~LevelDbFilterMaker() = default;

void LevelDbFilterMaker::Create(size_t first, size_t count, std::string* filter) const {
  filter->clear();
  Policy()->CreateFilter(&keys_[first], static_cast<int>(count), filter);
}

LevelDbFilterWindows::LevelDbFilterWindows(const std::vector<KeyList>& windows) {
  for (const KeyList& keys : windows) {
    LevelDbFilterMaker(keys).Create(0, keys.size(), &filters_.emplace_back());
  }
}

bool LevelDbFilterWindows::Matches(size_t i, absl::string_view key) const {
  return Policy()->KeyMayMatch(SliceOf(key), filters_[i]);
}

size_t LevelDbFilterWindows::CountMatches(const KeyList& keys,
                                          const std::vector<uint32_t>& window_of_key) const {
  const leveldb::FilterPolicy& policy = *Policy();
  size_t count = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    count += policy.KeyMayMatch(SliceOf(keys[i]), filters_[window_of_key[i]]);
  }
  return count;
}

LevelDbTable::LevelDbTable(const std::string& path, size_t cache_size)
    : cache_(cache_size > 0 ? leveldb::NewLRUCache(cache_size) : nullptr) {
  leveldb::Options options = OptionsOf({});
  options.block_cache = cache_.get();
  leveldb::Env* const env = leveldb::Env::Default();
  uint64_t size = 0;
  RequireRivalOk(env->GetFileSize(path, &size), "LevelDB finds the table");
  leveldb::RandomAccessFile* file = nullptr;
  RequireRivalOk(env->NewRandomAccessFile(path, &file), "LevelDB opens the file");
  file_.reset(file);
  leveldb::Table* table = nullptr;
  RequireRivalOk(leveldb::Table::Open(options, file, size, &table), "LevelDB opens the table");
  table_.reset(table);
}

LevelDbTable::~LevelDbTable() = default;

bool LevelDbTable::Get(absl::string_view key, std::string* value) {
  if (cursor_ == nullptr) cursor_ = NewCursor();
  cursor_->Seek(key);
  if (!cursor_->Valid() || cursor_->key() != key) return false;
  const absl::string_view found = cursor_->value();
  value->assign(found.data(), found.size());
  return true;
}

std::unique_ptr<Cursor> LevelDbTable::NewCursor() const {
  return CursorOf(table_->NewIterator({}));
}

void LevelDbDatabase::Fill(const std::string& folder, const Entries& entries, Codec codec) {
  leveldb::Options options = DatabaseOptions(nullptr, codec);
  options.create_if_missing = true;
  options.error_if_exists = true;
  const std::unique_ptr<leveldb::DB> database = OpenDatabase(options, folder);
  leveldb::WriteBatch batch;
  for (size_t i = 0; i < entries.size(); ++i) {
    batch.Put(SliceOf(entries.key(i)), SliceOf(entries.value(i)));
    if (i % 1000 != 999 && i + 1 != entries.size()) continue;
    RequireRivalOk(database->Write({}, &batch), "LevelDB fills " + folder);
    batch.Clear();
  }
  database->CompactRange(nullptr, nullptr);
}

LevelDbDatabase::LevelDbDatabase(const std::string& folder, size_t cache_size)
    : cache_(leveldb::NewLRUCache(cache_size)),
      database_(OpenDatabase(DatabaseOptions(cache_.get(), Codec::kRaw), folder)) {}

LevelDbDatabase::~LevelDbDatabase() = default;

bool LevelDbDatabase::Get(absl::string_view key, std::string* value) const {
  return database_->Get({}, SliceOf(key), value).ok();
}

std::unique_ptr<Cursor> LevelDbDatabase::NewCursor() const {
  return CursorOf(database_->NewIterator({}));
}

uint64_t BuildWithLevelDb(const Entries& entries, const BuildSpec& spec) {
  if (spec.path.empty()) {
    NullFile file;
    return BuildInto(entries, spec, &file);
  }
  leveldb::WritableFile* file = nullptr;
  RequireRivalOk(leveldb::Env::Default()->NewWritableFile(spec.path, &file),
                 "LevelDB creates a table");
  return BuildInto(entries, spec, std::unique_ptr<leveldb::WritableFile>(file).get());
}

std::string BuildStringWithLevelDb(const Entries& entries, const BuildSpec& spec) {
  std::string bytes;
  StringFile file(&bytes);
  BuildInto(entries, spec, &file);
  return bytes;
}

}  // namespace sstable::bench
