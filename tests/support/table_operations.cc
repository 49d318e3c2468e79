#include "tests/support/table_operations.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "report/record_writer.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/experimental/layout.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "table/block/limits.h"
#include "table/table_internals.h"

namespace sstable::test {
namespace {

constexpr size_t kSoughtKeys = 40;  // more than MultiGet() processes at once
constexpr size_t kMaxSoughtKey = 64 << 10;

uint64_t ScanForward(const TableReader& reader) {
  uint64_t count = 0;
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  do {
    for (; it->Valid(); it->Next()) ++count;
  } while (it->SkipDamage());
  return count;
}

uint64_t ScanBackward(const TableReader& reader) {
  uint64_t count = 0;
  const auto it = reader.NewIterator();
  for (it->SeekToLast(); it->Valid(); it->Prev()) ++count;
  return count;
}

// Formats all entries like `sst dump`, but prints nothing.
uint64_t Dump(const TableReader& reader) {
  RecordWriterOptions options;
  options.key_kind = KeyOrderOf(reader).kind();
  const RecordWriter writer(options);
  std::string line;
  WorkMeter work(WorkOf(reader));
  uint64_t count = 0;
  const auto it = reader.NewIterator(ReadOptions::ForScan());
  it->SeekToFirst();
  do {
    for (; it->Valid(); it->Next()) {
      if (!work.TakeKey(it->key().size())) return count;
      line.clear();
      writer.Append(it->key(), it->value(), &line);
      ++count;
    }
  } while (it->SkipDamage());
  return count;
}

// Returns some keys of the table and some that it may not have; user keys if its keys are internal.
std::vector<std::string> SomeKeys(const TableReader& reader) {
  std::vector<std::string> keys = {"", "k", std::string(20, '\xff')};
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  do {
    for (; it->Valid() && keys.size() < kSoughtKeys; it->Next()) {
      keys.emplace_back(KeyOrderOf(reader).UserKey(it->key()).substr(0, kMaxSoughtKey));
      keys.push_back(absl::StrCat(keys.back(), "x"));
    }
  } while (keys.size() < kSoughtKeys && it->SkipDamage());
  return keys;
}

uint64_t Get(const TableReader& reader) {
  const std::vector<std::string> keys = SomeKeys(reader);
  for (const std::string& key : keys) static_cast<void>(reader.Get(key));
  return keys.size();
}

uint64_t GetInternally(const TableReader& reader) {
  const auto it = reader.NewIterator();
  const std::vector<std::string> keys = SomeKeys(reader);
  for (std::string key : keys) {
    if (KeyOrderOf(reader).kind() == KeyKind::kInternal) key.append(kTagSize, '\x01');
    static_cast<void>(reader.InternalGet(key, [](absl::string_view, absl::string_view) {}));
    static_cast<void>(reader.ApproximateOffsetOf(key));
    it->Seek(key);
    if (it->Valid()) it->Prev();
    it->Seek(key);
    if (it->Valid()) it->Next();
  }
  return keys.size();
}

uint64_t GetMany(const TableReader& reader) {
  const std::vector<std::string> keys = SomeKeys(reader);
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) requests[i] = {keys[i], &values[i]};
  reader.MultiGet(absl::MakeSpan(requests));
  return keys.size();
}

uint64_t LookAtLayout(const TableReader& reader) {
  uint64_t count = 0;
  for (const BlockInfo& block : DescribeLayout(reader).blocks) count += block.entry_count;
  return count;
}

uint64_t Detect(const TableReader& reader) {
  static_cast<void>(ResolveKeys(reader));
  return 0;
}

constexpr TableOperation kOperations[] = {
    {"check", [](const TableReader& reader) { return CheckTable(reader, CheckOptions()).entries; }},
    {"forward", ScanForward},
    {"backward", ScanBackward},
    {"dump", Dump},
    {"get", Get},
    {"internal get", GetInternally},
    {"multi get", GetMany},
    {"layout", LookAtLayout},
    {"filter",
     [](const TableReader& reader) {
       return MeasureFilter(reader, {100, {}}).keys_tested;
     }},
    {"stats", [](const TableReader& reader) { return CollectStats(reader).entries; }},
    {"detect", Detect},
};

}  // namespace

absl::Span<const TableOperation> TableOperations() { return kOperations; }

}  // namespace sstable::test
