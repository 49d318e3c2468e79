#include "examples/toy_lsm/memtable.h"

#include <algorithm>
#include <new>

#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "util/coding.h"

namespace toy_lsm {

// In memory, a node is followed by its links (one for each list that it is in), then by its
// internal key and its value.
struct MemTable::Node {
  using Link = std::atomic<Node*>;

  Link* links() { return reinterpret_cast<Link*>(this + 1); }
  // A thread that sees the link to a node also sees the complete node.
  Node* Next(int level) { return links()[level].load(std::memory_order_acquire); }
  void SetNext(int level, Node* next) { links()[level].store(next, std::memory_order_release); }
  absl::string_view key() const { return {bytes, key_size}; }
  absl::string_view value() const { return {bytes + key_size, value_size}; }
  bool IsBefore(absl::string_view internal_key) const {
    const int order = sstable::ExtractUserKey(key()).compare(sstable::ExtractUserKey(internal_key));
    // The newest version of a key, which has the largest tag, comes first.
    return order != 0 ? order < 0 : sstable::ExtractTag(key()) > sstable::ExtractTag(internal_key);
  }

  char* bytes;
  uint32_t key_size, value_size;  // batches are smaller than 4 GiB
};

MemTable::MemTable() : head_(NewNode(kMaxHeight, 0, 0)) {
  tails_.fill(head_);
  size_ = 0;
}

MemTable::Node* MemTable::NewNode(int height, size_t key_size, size_t value_size) {
  const size_t links_size = sizeof(Node::Link) * static_cast<size_t>(height);
  const size_t size = (sizeof(Node) + links_size + key_size + value_size + 7) / 8 * 8;
  if (size > free_size_) {
    const size_t block_size = std::max(size, size_t{32} << 10);
    free_ = blocks_.emplace_back(std::make_unique<char[]>(block_size)).get();
    free_size_ = block_size;
  }
  char* const place = free_;
  free_ += size;
  free_size_ -= size;
  size_.store(this->size() + size, std::memory_order_relaxed);
  Node* const node = new (place) Node;  // owned by the block
  node->bytes = place + sizeof(Node) + links_size;
  node->key_size = static_cast<uint32_t>(key_size);
  node->value_size = static_cast<uint32_t>(value_size);
  for (int level = 0; level < height; ++level) new (node->links() + level) Node::Link(nullptr);
  return node;
}

MemTable::Node* MemTable::Seek(absl::string_view internal_key, Path* path) const {
  Node *node = head_, *found = nullptr;
  for (int level = kMaxHeight - 1; level >= 0; --level) {
    Node* next;
    while ((next = node->Next(level)) != found && next->IsBefore(internal_key)) node = next;
    found = next;
    (*path)[level] = node;
  }
  return found;
}

absl::Status MemTable::Add(absl::string_view batch) {
  return sstable::VisitWriteBatch(batch, [&](const sstable::BatchChange& change) {
    const auto& [sequence, type, key, value] = change;
    int height = 1;
    for (auto bits = random_(); height < kMaxHeight && bits % 4 == 0; bits /= 4) ++height;
    Node* const node = NewNode(height, key.size() + sstable::kTagSize, value.size());
    std::copy(key.begin(), key.end(), node->bytes);
    sstable::EncodeFixed64(node->bytes + key.size(), sequence << 8 | static_cast<uint64_t>(type));
    std::copy(value.begin(), value.end(), node->bytes + node->key_size);

    Path path = tails_;  // the right position if keys arrive in order
    if (tails_[0] != head_ && !tails_[0]->IsBefore(node->key())) Seek(node->key(), &path);
    for (int level = 0; level < height; ++level) {
      Node* const next = path[level]->Next(level);
      node->SetNext(level, next);
      path[level]->SetNext(level, node);
      if (next == nullptr) tails_[level] = node;
    }
    return absl::OkStatus();
  });
}

sstable::Presence MemTable::Find(absl::string_view key, uint64_t snapshot,
                                 std::string* value) const {
  if (size() == 0) return sstable::Presence::kAbsent;
  Path path;
  const Node* const node =
      Seek(sstable::MakeInternalKey(key, snapshot, sstable::ValueType::kValue), &path);
  if (node == nullptr || sstable::ExtractUserKey(node->key()) != key) {
    return sstable::Presence::kAbsent;
  }
  if (sstable::ExtractTag(node->key()) % 256 == 0) return sstable::Presence::kDeleted;
  value->assign(node->value().data(), node->value().size());
  return sstable::Presence::kFound;
}

class MemTable::Iterator final : public sstable::Iterator {
 public:
  explicit Iterator(const MemTable* table) : table_(*table) {}

  bool Valid() const override { return node_ != nullptr; }
  void SeekToFirst() override { node_ = table_.head_->Next(0); }
  void SeekToLast() override {
    node_ = table_.head_;
    for (int level = kMaxHeight - 1; level >= 0; --level) {
      while (Node* const next = node_->Next(level)) node_ = next;
    }
    if (node_ == table_.head_) node_ = nullptr;
  }
  void Seek(sstable::Slice target) override { node_ = table_.Seek(target, &path_); }
  void Next() override { node_ = node_->Next(0); }
  void Prev() override {
    table_.Seek(node_->key(), &path_);
    node_ = path_[0] == table_.head_ ? nullptr : path_[0];
  }
  absl::string_view key() const override { return node_->key(); }
  absl::string_view value() const override { return node_->value(); }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  const MemTable& table_;
  Node* node_ = nullptr;
  Path path_;
};

std::unique_ptr<sstable::Iterator> MemTable::NewIterator() const {
  return std::make_unique<Iterator>(this);
}

}  // namespace toy_lsm
