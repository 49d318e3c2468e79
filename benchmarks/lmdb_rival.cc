#include "benchmarks/lmdb_rival.h"

#include <lmdb.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "benchmarks/require.h"

namespace sstable::bench {
namespace {

constexpr size_t kMapSize = size_t{8} << 30;  // maximum size of the file
constexpr unsigned kFileNotFolder = MDB_NOSUBDIR | MDB_NOLOCK;

void RequireLmdb(int code) { Require(code == 0, absl::StrCat("LMDB: ", mdb_strerror(code))); }

MDB_val ValueOf(absl::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // LMDB does not write to it
}

absl::string_view BytesOf(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

MDB_env* OpenEnv(const std::string& path, unsigned flags) {
  MDB_env* env = nullptr;
  RequireLmdb(mdb_env_create(&env));
  RequireLmdb(mdb_env_set_mapsize(env, kMapSize));
  RequireLmdb(mdb_env_open(env, path.c_str(), kFileNotFolder | flags, 0644));
  return env;
}

// A non-virtual iterator like those of the other libraries, so that a scan loops over this class.
class LmdbIterator {
 public:
  LmdbIterator(MDB_txn* transaction, MDB_dbi entries) {
    RequireLmdb(mdb_cursor_open(transaction, entries, &cursor_));
  }
  ~LmdbIterator() { mdb_cursor_close(cursor_); }
  LmdbIterator(const LmdbIterator&) = delete;
  LmdbIterator& operator=(const LmdbIterator&) = delete;

  struct Status {
    bool is_ok;
    bool ok() const { return is_ok; }
  };

  bool Valid() const { return code_ == 0; }
  void SeekToFirst() { Move(MDB_FIRST); }
  void SeekToLast() { Move(MDB_LAST); }
  void Seek(absl::string_view target) {
    key_ = ValueOf(target);
    Move(MDB_SET_RANGE);
  }
  void Next() { Move(MDB_NEXT); }
  void Prev() { Move(MDB_PREV); }
  absl::string_view key() const { return BytesOf(key_); }
  absl::string_view value() const { return BytesOf(value_); }
  Status status() const { return {code_ == 0 || code_ == MDB_NOTFOUND}; }

 private:
  void Move(MDB_cursor_op where) { code_ = mdb_cursor_get(cursor_, &key_, &value_, where); }

  MDB_cursor* cursor_ = nullptr;
  MDB_val key_ = {}, value_ = {};
  int code_ = MDB_NOTFOUND;
};

}  // namespace

void LmdbDatabase::Fill(const std::string& path, const Entries& entries) {
  MDB_env* const env = OpenEnv(path, MDB_NOSYNC);
  MDB_txn* transaction = nullptr;
  MDB_dbi handle = 0;
  RequireLmdb(mdb_txn_begin(env, nullptr, 0, &transaction));
  RequireLmdb(mdb_dbi_open(transaction, nullptr, 0, &handle));
  for (size_t i = 0; i < entries.size(); ++i) {
    MDB_val key = ValueOf(entries.key(i)), value = ValueOf(entries.value(i));
    RequireLmdb(mdb_put(transaction, handle, &key, &value, MDB_APPEND));
  }
  RequireLmdb(mdb_txn_commit(transaction));
  mdb_env_close(env);
}

LmdbDatabase::LmdbDatabase(const std::string& path) : env_(OpenEnv(path, MDB_RDONLY)) {
  RequireLmdb(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &transaction_));
  RequireLmdb(mdb_dbi_open(transaction_, nullptr, 0, &entries_));
}

LmdbDatabase::~LmdbDatabase() {
  mdb_txn_abort(transaction_);
  mdb_env_close(env_);
}

bool LmdbDatabase::Get(absl::string_view key, std::string* value) {
  MDB_val wanted = ValueOf(key), found;
  if (mdb_get(transaction_, entries_, &wanted, &found) != 0) return false;
  value->assign(static_cast<const char*>(found.mv_data), found.mv_size);
  return true;
}

std::unique_ptr<Cursor> LmdbDatabase::NewCursor() const {
  return std::make_unique<CursorOver<LmdbIterator, absl::string_view>>(
      std::make_unique<LmdbIterator>(transaction_, entries_));
}

}  // namespace sstable::bench
