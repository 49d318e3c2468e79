#include "tests/interop/leveldb_database.h"

#include <utility>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "leveldb/iterator.h"
#include "leveldb/write_batch.h"

namespace sstable::test {
namespace {

void ExpectOk(const leveldb::Status& status) { EXPECT_TRUE(status.ok()) << status.ToString(); }

leveldb::ReadOptions At(const HeldSnapshot& at) {
  leveldb::ReadOptions options;
  options.verify_checksums = true;
  options.snapshot = at.snapshot;
  return options;
}

}  // namespace

struct IdleEnv::Job {
  IdleEnv* env;
  void (*function)(void*);
  void* argument;

  static void Run(void* job_pointer) {
    const std::unique_ptr<Job> job(static_cast<Job*>(job_pointer));
    job->function(job->argument);  // a compaction schedules any remaining work before it returns
    const std::lock_guard<std::mutex> lock(job->env->mutex_);
    if (--job->env->pending_ == 0) job->env->idle_.notify_all();
  }
};

void IdleEnv::Schedule(void (*function)(void*), void* argument) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++pending_;
  }
  auto job = std::make_unique<Job>(Job{this, function, argument});
  target()->Schedule(&Job::Run, job.release());
}

void IdleEnv::WaitUntilIdle() {
  std::unique_lock<std::mutex> lock(mutex_);
  idle_.wait(lock, [this] { return pending_ == 0; });
}

LevelDbDatabase::LevelDbDatabase(const std::string& path, const leveldb::Options& options)
    : path_(path), options_(options) {
  options_.env = &env_;
  options_.create_if_missing = true;
  options_.paranoid_checks = true;
  ExpectOk(leveldb::DestroyDB(path_, options_));
  Open();
}

LevelDbDatabase::~LevelDbDatabase() {
  for (const HeldSnapshot& held : held_) db_->ReleaseSnapshot(held.snapshot);
  db_.reset();
  env_.WaitUntilIdle();
}

void LevelDbDatabase::Open() {
  leveldb::DB* db = nullptr;
  ExpectOk(leveldb::DB::Open(options_, path_, &db));
  db_.reset(db);
}

void LevelDbDatabase::Put(const std::string& key, const std::string& value) {
  ExpectOk(db_->Put({}, key, value));
  ++sequence_;
}

void LevelDbDatabase::Delete(const std::string& key) {
  ExpectOk(db_->Delete({}, key));
  ++sequence_;
}

void LevelDbDatabase::PutAndDelete(const std::string& put_key, const std::string& value,
                                   const std::string& deleted_key) {
  leveldb::WriteBatch batch;
  batch.Put(put_key, value);
  batch.Delete(deleted_key);
  ExpectOk(db_->Write({}, &batch));
  sequence_ += 2;
}

void LevelDbDatabase::HoldSnapshot() { held_.push_back({db_->GetSnapshot(), sequence_}); }

std::vector<HeldSnapshot> LevelDbDatabase::Snapshots() const {
  std::vector<HeldSnapshot> snapshots = held_;
  snapshots.push_back({nullptr, sequence_});
  return snapshots;
}

void LevelDbDatabase::FlushMemtable() {
  // Compacting a range without keys writes out the memtable, and then finds nothing to do.
  const leveldb::Slice nowhere("\xff\xff\xff\xff no key is here");
  db_->CompactRange(&nowhere, &nowhere);
}

void LevelDbDatabase::Compact() { db_->CompactRange(nullptr, nullptr); }

void LevelDbDatabase::Reopen() {
  ASSERT_TRUE(held_.empty());
  db_.reset();
  Open();
}

std::vector<std::string> LevelDbDatabase::TablePaths() {
  env_.WaitUntilIdle();
  std::vector<std::string> names;
  ExpectOk(env_.GetChildren(path_, &names));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    if (absl::EndsWith(name, ".ldb")) paths.push_back(path_ + "/" + name);
  }
  return paths;
}

std::optional<std::string> LevelDbDatabase::Get(const std::string& key,
                                                const HeldSnapshot& at) const {
  std::string value;
  const leveldb::Status status = db_->Get(At(at), key, &value);
  if (status.IsNotFound()) return std::nullopt;
  ExpectOk(status);
  return value;
}

Entries LevelDbDatabase::Scan(const HeldSnapshot& at) const {
  Entries entries;
  const std::unique_ptr<leveldb::Iterator> it(db_->NewIterator(At(at)));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries.emplace_back(it->key().ToString(), it->value().ToString());
  }
  ExpectOk(it->status());
  return entries;
}

}  // namespace sstable::test
