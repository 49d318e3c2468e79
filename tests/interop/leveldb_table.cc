#include "tests/interop/leveldb_table.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "leveldb/table_builder.h"
#include "tests/interop/leveldb_order.h"

namespace sstable::test {
namespace {

class StringSink final : public leveldb::WritableFile {
 public:
  explicit StringSink(std::string* contents) : contents_(contents) {}
  leveldb::Status Append(const leveldb::Slice& data) override {
    contents_->append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

 private:
  std::string* contents_;
};

class StringSource final : public leveldb::RandomAccessFile {
 public:
  explicit StringSource(const std::string& contents) : contents_(contents) {}
  leveldb::Status Read(uint64_t offset, size_t n, leveldb::Slice* result, char*) const override {
    if (offset > contents_.size()) return leveldb::Status::InvalidArgument("read past the end");
    const size_t left = contents_.size() - static_cast<size_t>(offset);
    *result = leveldb::Slice(contents_.data() + offset, std::min(n, left));
    return leveldb::Status::OK();
  }

 private:
  const std::string& contents_;
};

leveldb::Options OptionsOf(const TableSpec& spec, const leveldb::FilterPolicy* policy) {
  leveldb::Options options;
  options.comparator = LevelDbOrder(spec.key_kind, spec.reverse);
  options.block_size = spec.block_size;
  options.block_restart_interval = spec.block_restart_interval;
  options.compression = spec.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.filter_policy = policy;
  options.paranoid_checks = true;
  return options;
}

}  // namespace

std::string BuildWithLevelDb(const TableSpec& spec) {
  std::unique_ptr<const leveldb::FilterPolicy> policy;
  if (spec.bits_per_key.has_value()) policy = LevelDbBloom(spec.key_kind, *spec.bits_per_key);
  return BuildWithLevelDb(OptionsOf(spec, policy.get()), spec);
}

std::string BuildWithLevelDb(const leveldb::Options& options, const TableSpec& spec) {
  std::string bytes;
  StringSink sink(&bytes);
  leveldb::TableBuilder builder(options, &sink);
  for (size_t i = 0; i < spec.entries.size(); ++i) {
    if (i < spec.flush_before.size() && spec.flush_before[i]) builder.Flush();
    builder.Add(spec.entries[i].first, spec.entries[i].second);
  }
  const leveldb::Status status = builder.Finish();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return bytes;
}

LevelDbTable::LevelDbTable(const TableSpec& spec, const std::string& bytes)
    : file_(std::make_unique<StringSource>(bytes)) {
  if (spec.bits_per_key.has_value()) policy_ = LevelDbBloom(spec.key_kind, *spec.bits_per_key);
  leveldb::Table* table = nullptr;
  status_ = leveldb::Table::Open(OptionsOf(spec, policy_.get()), file_.get(), bytes.size(), &table);
  table_.reset(table);
}

std::unique_ptr<leveldb::Iterator> LevelDbTable::NewIterator() const {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  return std::unique_ptr<leveldb::Iterator>(table_->NewIterator(options));
}

}  // namespace sstable::test
