// A write batch that can be decoded must be encoded to the same bytes.
#include <string>
#include <vector>

#include "sstable/experimental/write_batch.h"
#include "tests/fuzz/fuzz.h"

namespace sstable::fuzz {

std::vector<std::string> Seeds() {
  WriteBatch batch;
  batch.set_sequence(7);
  std::vector<std::string> seeds = {std::string(batch.bytes())};
  batch.Put("key", "value").Delete("old").Put("", std::string(200, 'x'));
  seeds.emplace_back(batch.bytes());
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  WriteBatch copy;
  uint64_t changes_size = 0;
  const absl::Status status =
      VisitWriteBatch(fuzz::View(data, size), [&](const BatchChange& change) {
        changes_size += 2 + change.key.size() + change.value.size();
        fuzz::Require(change.sequence <= kMaxSequence, "sequences are in range");
        if (copy.count() == 0) copy.set_sequence(change.sequence);
        fuzz::Require(change.sequence == copy.sequence() + copy.count(), "and follow one another");
        if (change.type == ValueType::kValue) {
          copy.Put(change.key, change.value);
        } else {
          copy.Delete(change.key);
        }
        return absl::OkStatus();
      });
  fuzz::RequireOk(copy.status());
  fuzz::Require(changes_size <= size, "changes are in the batch");
  if (!status.ok()) return 0;
  const auto header = fuzz::ValueOrFail(DecodeWriteBatchHeader(fuzz::View(data, size)));
  fuzz::Require(header.count == copy.count(), "there are as many changes as it says");
  fuzz::RequireOk(VisitWriteBatch(copy.bytes(), [](auto&) { return absl::OkStatus(); }));
  fuzz::Require(copy.bytes().size() <= size, "our encoding is the shortest");
  return 0;
}
