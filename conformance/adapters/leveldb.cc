// Adapter for LevelDB's public C++ API. Opens databases by DB::Open with paranoid checks, and
// tables by Table::Open.
//
// Build: g++ -std=c++17 -O2 leveldb.cc -lleveldb -o leveldb-adapter
#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>

#include <cstdint>
#include <cstring>
#include <ctime>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "hex.h"

namespace {

class Reverse : public leveldb::Comparator {
 public:
  const char* Name() const override { return "conformance.ReverseBytewiseComparator"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

// The order of internal keys. LevelDB does not export its own.
class Internal : public Reverse {
 public:
  explicit Internal(const leveldb::Comparator* user) : user_(user) {}
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    if (a.size() < 8 || b.size() < 8) return a.compare(b);
    const int order = user_->Compare({a.data(), a.size() - 8}, {b.data(), b.size() - 8});
    if (order != 0) return order;
    uint64_t tags[2];
    std::memcpy(&tags[0], a.data() + a.size() - 8, 8);
    std::memcpy(&tags[1], b.data() + b.size() - 8, 8);
    return tags[0] > tags[1] ? -1 : tags[0] < tags[1];
  }

 private:
  const leveldb::Comparator* user_;
};

int Fail(const leveldb::Status& status) {
  std::cout.flush();
  std::cerr << status.ToString() << "\n";
  return 1;
}

void Answer(const std::string& key, const leveldb::Status& status, const std::string& value,
            int* code) {
  std::cout << "{\"key\":\"" << key << "\",";
  if (status.ok()) {
    std::cout << "\"value\":\"" << Hex(value) << "\"}\n";
  } else if (status.IsNotFound()) {
    std::cout << "\"value\":null}\n";
  } else {
    std::cout << "\"error\":\"damage\"}\n";
    *code = 1;
  }
}

// Prints the processor time of a full read, and that of looking up each key on standard input.
int Time(leveldb::DB* db, const leveldb::ReadOptions& read) {
  const auto now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  std::vector<std::string> keys;
  for (std::string key; std::getline(std::cin, key);) keys.push_back(Bytes(key));
  const double start = now();
  uint64_t entries = 0, bytes = 0, found = 0;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(read));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ++entries;
    bytes += it->key().size() + it->value().size();
  }
  const double done = now();
  std::string value;
  for (const std::string& key : keys) found += db->Get(read, key, &value).ok();
  std::cout << "{\"entries\":" << entries << ",\"bytes\":" << bytes << ",\"read\":" << done - start
            << ",\"found\":" << found << ",\"gets\":" << now() - done << "}\n";
  return it->status().ok() ? 0 : Fail(it->status());
}

}  // namespace

int main(int, char** argv) {
  const std::string operation = argv[1], path = argv[2];
  const Reverse reverse;
  leveldb::Options options;
  options.paranoid_checks = true;
  const std::unique_ptr<const leveldb::FilterPolicy> filter(leveldb::NewBloomFilterPolicy(10));
  if (std::string(argv[3]) == reverse.Name()) options.comparator = &reverse;
  const Internal internal(options.comparator);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  int code = 0;

  if (operation == "scan-database" || operation == "get-database" || operation == "time-database") {
    options.filter_policy = filter.get();
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open(options, path, &opened);
    if (!status.ok()) return Fail(status);
    const std::unique_ptr<leveldb::DB> db(opened);
    if (operation[0] == 't') return Time(db.get(), read);
    if (operation[0] == 'g') {
      for (std::string key, value; std::getline(std::cin, key);) {
        Answer(key, db->Get(read, Bytes(key), &value), value, &code);
      }
      return code;
    }
    const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(read));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      std::cout << "{\"key\":\"" << Hex(it->key()) << "\",\"value\":\"" << Hex(it->value())
                << "\"}\n";
    }
    return it->status().ok() ? 0 : Fail(it->status());
  }
  const bool plain = operation == "scan-plain" || operation == "get-plain";
  if (!plain && operation != "scan-table") return 3;  // the public Table has no lookups
  if (!plain) options.comparator = &internal;
  leveldb::Env* env = leveldb::Env::Default();
  leveldb::RandomAccessFile* file = nullptr;
  uint64_t size = 0;
  leveldb::Status status = env->NewRandomAccessFile(path, &file);
  if (status.ok()) status = env->GetFileSize(path, &size);
  if (!status.ok()) return Fail(status);
  const std::unique_ptr<leveldb::RandomAccessFile> owned(file);
  leveldb::Table* opened = nullptr;
  status = leveldb::Table::Open(options, file, size, &opened);
  if (!status.ok()) return Fail(status);
  const std::unique_ptr<leveldb::Table> table(opened);
  const std::unique_ptr<leveldb::Iterator> it(table->NewIterator(read));
  if (operation[0] == 'g') {
    for (std::string key; std::getline(std::cin, key);) {
      it->Seek(Bytes(key));
      const bool found = it->Valid() && it->key() == leveldb::Slice(Bytes(key));
      Answer(key,
             !it->status().ok() ? it->status()
             : found            ? leveldb::Status::OK()
                                : leveldb::Status::NotFound(""),
             found ? it->value().ToString() : "", &code);
    }
    return code;
  }
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    std::cout << (plain ? "{\"key\":\"" : "{\"internal_key\":\"") << Hex(it->key())
              << "\",\"value\":\"" << Hex(it->value()) << "\"}\n";
  }
  return it->status().ok() ? 0 : Fail(it->status());
}
