#include "tests/interop/leveldb_order.h"

#include <cassert>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sstable::test {
namespace {

leveldb::Slice UserKey(const leveldb::Slice& key) {
  assert(key.size() >= 8);
  return leveldb::Slice(key.data(), key.size() - 8);
}

uint64_t Tag(const leveldb::Slice& key) {
  uint64_t tag;
  std::memcpy(&tag, key.data() + key.size() - 8, 8);
  return tag;
}

class ReverseOrder final : public leveldb::Comparator {
 public:
  const char* Name() const override { return "rocksdb.ReverseBytewiseComparator"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    return b.compare(a);
  }
  void FindShortestSeparator(std::string*, const leveldb::Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

class InternalOrder final : public leveldb::Comparator {
 public:
  explicit InternalOrder(const leveldb::Comparator* user_order) : user_order_(user_order) {}

  const char* Name() const override { return "leveldb.InternalKeyComparator"; }

  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    const int order = user_order_->Compare(UserKey(a), UserKey(b));
    if (order != 0) return order;
    return Tag(a) > Tag(b) ? -1 : Tag(a) < Tag(b) ? +1 : 0;
  }

  void FindShortestSeparator(std::string* start, const leveldb::Slice& limit) const override {
    std::string shortened = UserKey(*start).ToString();
    user_order_->FindShortestSeparator(&shortened, UserKey(limit));
    TakeIfShorter(std::move(shortened), start);
  }

  void FindShortSuccessor(std::string* key) const override {
    std::string shortened = UserKey(*key).ToString();
    user_order_->FindShortSuccessor(&shortened);
    TakeIfShorter(std::move(shortened), key);
  }

 private:
  void TakeIfShorter(std::string shortened, std::string* key) const {
    const leveldb::Slice user_key = UserKey(*key);
    if (shortened.size() >= user_key.size()) return;
    if (user_order_->Compare(user_key, shortened) >= 0) return;
    shortened.append("\x01\xff\xff\xff\xff\xff\xff\xff", 8);  // the tag that sorts first
    *key = std::move(shortened);
  }

  const leveldb::Comparator* user_order_;
};

class UserKeyPolicy final : public leveldb::FilterPolicy {
 public:
  explicit UserKeyPolicy(std::unique_ptr<const leveldb::FilterPolicy> user_policy)
      : user_policy_(std::move(user_policy)) {}

  const char* Name() const override { return user_policy_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    std::vector<leveldb::Slice> user_keys;
    for (int i = 0; i < n; ++i) user_keys.push_back(UserKey(keys[i]));
    user_policy_->CreateFilter(user_keys.data(), n, dst);
  }
  bool KeyMayMatch(const leveldb::Slice& key, const leveldb::Slice& filter) const override {
    return user_policy_->KeyMayMatch(UserKey(key), filter);
  }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> user_policy_;
};

}  // namespace

const leveldb::Comparator* LevelDbOrder(KeyKind key_kind, bool reverse) {
  static const auto* const reverse_order = new ReverseOrder;
  static const auto* const internal = new InternalOrder(leveldb::BytewiseComparator());
  static const auto* const internal_reverse = new InternalOrder(reverse_order);
  if (key_kind == KeyKind::kInternal) return reverse ? internal_reverse : internal;
  return reverse ? reverse_order : leveldb::BytewiseComparator();
}

std::unique_ptr<const leveldb::FilterPolicy> LevelDbBloom(KeyKind key_kind, int bits_per_key) {
  std::unique_ptr<const leveldb::FilterPolicy> bloom(leveldb::NewBloomFilterPolicy(bits_per_key));
  if (key_kind == KeyKind::kPlain) return bloom;
  return std::make_unique<UserKeyPolicy>(std::move(bloom));
}

}  // namespace sstable::test
