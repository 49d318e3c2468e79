// A common interface for the iterators of all libraries.
#ifndef SSTABLE_BENCHMARKS_CURSOR_H_
#define SSTABLE_BENCHMARKS_CURSOR_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/string_view.h"

namespace sstable::bench {

// The result of a scan. Computing it keeps the reads of keys and values from being optimized away.
struct ScanSum {
  uint64_t entry_count = 0;
  uint64_t byte_count = 0;
};

// A loop over the iterator's own class, so that each library pays only for its own calls.
template <typename Iterator>
ScanSum SumForward(Iterator& it) {
  ScanSum sum;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ++sum.entry_count;
    sum.byte_count += it.key().size() + it.value().size();
  }
  return sum;
}

template <typename Iterator>
ScanSum SumBackward(Iterator& it) {
  ScanSum sum;
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    ++sum.entry_count;
    sum.byte_count += it.key().size() + it.value().size();
  }
  return sum;
}

// Reads the key's size and one byte of the value, if there is one: the minimum that a caller of
// Seek() would use.
template <typename Iterator>
uint64_t TouchEntry(const Iterator& it) {
  if (!it.Valid()) return 0;
  const auto value = it.value();
  return it.key().size() + (value.size() == 0 ? 0 : static_cast<unsigned char>(*value.data()));
}

// The usual methods of iterators. A rival's seek takes hundreds of nanoseconds, to which the
// virtual call adds about one. A complete scan is one virtual call.
class Cursor {
 public:
  virtual ~Cursor() = default;

  virtual bool Valid() const = 0;
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  virtual void Seek(absl::string_view target) = 0;
  virtual void Next() = 0;
  virtual void Prev() = 0;
  virtual absl::string_view key() const = 0;
  virtual absl::string_view value() const = 0;
  virtual bool ok() const = 0;

  virtual uint64_t SeekAndTouch(absl::string_view target) = 0;
  virtual ScanSum ScanForward() = 0;
  virtual ScanSum ScanBackward() = 0;
};

// A cursor over `Iterator`, whose keys are `View`s.
template <typename Iterator, typename View>
class CursorOver final : public Cursor {
 public:
  explicit CursorOver(std::unique_ptr<Iterator> it) : it_(std::move(it)) {}

  bool Valid() const override { return it_->Valid(); }
  void SeekToFirst() override { it_->SeekToFirst(); }
  void SeekToLast() override { it_->SeekToLast(); }
  void Seek(absl::string_view target) override { it_->Seek(View(target.data(), target.size())); }
  void Next() override { it_->Next(); }
  void Prev() override { it_->Prev(); }
  absl::string_view key() const override { return {it_->key().data(), it_->key().size()}; }
  absl::string_view value() const override { return {it_->value().data(), it_->value().size()}; }
  bool ok() const override { return it_->status().ok(); }

  uint64_t SeekAndTouch(absl::string_view target) override {
    it_->Seek(View(target.data(), target.size()));
    return TouchEntry(*it_);
  }
  ScanSum ScanForward() override { return SumForward(*it_); }
  ScanSum ScanBackward() override { return SumBackward(*it_); }

 private:
  std::unique_ptr<Iterator> it_;
};

}  // namespace sstable::bench

#endif  // SSTABLE_BENCHMARKS_CURSOR_H_
