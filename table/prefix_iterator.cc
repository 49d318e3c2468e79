// An iterator limited to a prefix.
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "sstable/iterator.h"
#include "sstable/slice.h"
#include "sstable/table_iterator.h"
#include "table/block/seek_key.h"
#include "table/table_reader_impl.h"

namespace sstable {
namespace {

// Returns the smallest string above all those that begin with `prefix`; empty if there is none.
std::string PastPrefix(absl::string_view prefix) {
  std::string past(prefix);
  while (!past.empty() && past.back() == '\xff') past.pop_back();
  if (!past.empty()) ++past.back();
  return past;
}

class PrefixIterator final : public Iterator {
 public:
  PrefixIterator(const TableReader* reader, const KeyOrder* order, absl::string_view prefix,
                 const ReadOptions& options)
      : order_(*order), prefix_(prefix), it_(reader->NewIterator(options)) {
    if (order_.shape() == KeyOrder::Shape::kOther) {
      status_ = absl::FailedPreconditionError(
          absl::StrCat(reader->file().name(), ": keys with a common prefix are contiguous only in ",
                       "bytewise order; the table's order is ", order_.user_comparator().Name()));
    }
    is_empty_ = !status_.ok() || !reader->ProbePrefix(prefix).value_or(true);
  }

  bool Valid() const override { return is_valid_; }
  void SeekToFirst() override {
    if (is_empty_) return;
    it_->Seek(SeekKey(order_, prefix_));
    Check();
  }
  void SeekToLast() override {
    if (is_empty_) return;
    const std::string past = PastPrefix(prefix_);
    if (!past.empty()) it_->Seek(SeekKey(order_, past));
    if (!past.empty() && it_->Valid()) {
      it_->Prev();
    } else if (past.empty() || it_->status().ok()) {
      it_->SeekToLast();
    }
    Check();
  }
  void Seek(Slice target) override {
    if (is_empty_) return;
    if (order_.UserKey(target) < prefix_) return SeekToFirst();
    it_->Seek(target);
    Check();
  }
  void Next() override {
    it_->Next();
    Check();
  }
  void Prev() override {
    it_->Prev();
    Check();
  }
  absl::string_view key() const override { return it_->key(); }
  absl::string_view value() const override { return it_->value(); }
  absl::Status status() const override { return status_.ok() ? it_->status() : status_; }

 private:
  void Check() {
    is_valid_ = it_->Valid() && absl::StartsWith(order_.UserKey(it_->key()), prefix_);
  }

  const KeyOrder& order_;
  const std::string prefix_;
  const std::unique_ptr<TableIterator> it_;
  absl::Status status_;
  bool is_empty_ = false;  // no key can match
  bool is_valid_ = false;
};

}  // namespace

std::unique_ptr<Iterator> TableReader::NewPrefixIterator(Slice prefix,
                                                         const ReadOptions& options) const {
  return std::make_unique<PrefixIterator>(this, &Impl::Of(*this).parts_.order, prefix, options);
}

}  // namespace sstable
