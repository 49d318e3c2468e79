// Tests two arbitrary byte strings as internal keys: parsing, their order in two ways, and
// separators between them.
#include <string>
#include <vector>

#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "table/block/key_order.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"

namespace sstable::fuzz {
namespace {

std::string Seed(absl::string_view a, absl::string_view b) {
  return std::string(1, static_cast<char>(a.size())) + std::string(a) + std::string(b);
}

int Sign(int number) { return (number > 0) - (number < 0); }

void Parse(absl::string_view key) {
  const auto parsed = ParseInternalKey(key);
  Require(ExtractUserKey(key).size() <= key.size(), "a user key is a part");
  if (!parsed.has_value()) return;
  Require(MakeInternalKey(parsed->user_key, parsed->sequence, parsed->type) == key,
          "a parsed key is the same when made again");
}

void TryComparator(const Comparator* user_comparator, absl::string_view a, absl::string_view b) {
  const InternalKeyComparator comparator(user_comparator);
  const int order = comparator.Compare(a, b);
  Require(Sign(comparator.Compare(b, a)) == -Sign(order), "the order is antisymmetric");
  const KeyOrder key_order(user_comparator, KeyKind::kInternal);
  Require(Sign(key_order.Compare(a, b)) == Sign(order), "the short cut gives the same order");
  if (order >= 0 || a.size() < kTagSize || b.size() < kTagSize) return;
  std::string separator(a);
  comparator.FindShortestSeparator(&separator, b);
  Require(comparator.Compare(a, separator) <= 0 && comparator.Compare(separator, b) < 0,
          "a separator lies between");
  std::string successor(a);
  comparator.FindShortSuccessor(&successor);
  Require(comparator.Compare(a, successor) <= 0, "a successor is not below");
}

}  // namespace

std::vector<std::string> Seeds() {
  const std::string a = MakeInternalKey("user key a", 7, ValueType::kValue);
  const std::string b = MakeInternalKey("user key cc", 9, ValueType::kDeletion);
  return {Seed(a, b), Seed(a, a), Seed("short", b), Seed("", ""),
          Seed(MakeInternalKey("", kMaxSequence, ValueType::kValue),
               MakeInternalKey("\xff\xff", 0, ValueType::kDeletion))};
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  fuzz::FuzzBytes bytes(fuzz::View(data, size));
  const absl::string_view a = bytes.String(255);
  const absl::string_view b = bytes.rest();
  for (const absl::string_view key : {a, b}) fuzz::Parse(key);
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    fuzz::TryComparator(comparator, a, b);
    fuzz::TryComparator(comparator, b, a);
  }
  return 0;
}
