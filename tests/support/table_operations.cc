#include "tests/support/table_operations.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "table/inspect/check.h"
#include "table/inspect/detect.h"
#include "table/inspect/filter_report.h"
#include "table/inspect/layout.h"
#include "table/block/limits.h"
#include "table/table_iterator.h"
#include "table/inspect/table_stats.h"
#include "tools/records/record_writer.h"
#include "util/internal_key.h"

namespace sstable::test {
namespace {

constexpr size_t kSoughtKeys = 40;  // more than MultiGet() takes at once
constexpr size_t kMaxSoughtKey = 64 << 10;

void ScanForward(const TableReader& reader) {
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  do {
    while (it->Valid()) it->Next();
  } while (it->SkipDamage());
}

void ScanBackward(const TableReader& reader) {
  const auto it = reader.NewIterator();
  for (it->SeekToLast(); it->Valid();) it->Prev();
}

// As `sst dump` does, less what it writes to.
void Dump(const TableReader& reader) {
  tools::RecordWriterOptions options;
  options.key_kind = reader.order().kind();
  const tools::RecordWriter writer(options);
  std::string line;
  KeyBudget keys(reader.file().size());
  const auto it = reader.NewIterator(FillCache::kNo);
  it->SeekToFirst();
  do {
    for (; it->Valid(); it->Next()) {
      if (!keys.Take(it->key().size())) return;
      line.clear();
      writer.Append(it->key(), it->value(), &line);
    }
  } while (it->SkipDamage());
}

// Some keys of the table and some that it may not have; user keys, if it has internal ones.
std::vector<std::string> SomeKeys(const TableReader& reader) {
  std::vector<std::string> keys = {"", "k", std::string(20, '\xff')};
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  do {
    for (; it->Valid() && keys.size() < kSoughtKeys; it->Next()) {
      keys.emplace_back(reader.order().UserKey(it->key()).substr(0, kMaxSoughtKey));
      keys.push_back(absl::StrCat(keys.back(), "x"));
    }
  } while (keys.size() < kSoughtKeys && it->SkipDamage());
  return keys;
}

void Get(const TableReader& reader) {
  for (const std::string& key : SomeKeys(reader)) static_cast<void>(reader.Get(key));
}

void GetInternally(const TableReader& reader) {
  const auto it = reader.NewIterator();
  for (std::string key : SomeKeys(reader)) {
    if (reader.order().kind() == KeyKind::kInternal) key.append(kTagSize, '\x01');
    static_cast<void>(reader.InternalGet(key, [](absl::string_view, absl::string_view) {}));
    static_cast<void>(reader.ApproximateOffsetOf(key));
    it->Seek(key);
    if (it->Valid()) it->Prev();
    it->Seek(key);
    if (it->Valid()) it->Next();
  }
}

void GetMany(const TableReader& reader) {
  const std::vector<std::string> keys = SomeKeys(reader);
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) requests[i] = {keys[i], &values[i]};
  reader.MultiGet(absl::MakeSpan(requests));
}

constexpr TableOperation kOperations[] = {
    {"check", [](const TableReader& reader) { CheckTable(reader, CheckOptions()); }},
    {"forward", ScanForward},
    {"backward", ScanBackward},
    {"dump", Dump},
    {"get", Get},
    {"internal get", GetInternally},
    {"multi get", GetMany},
    {"layout", [](const TableReader& reader) { DescribeLayout(reader); }},
    {"filter", [](const TableReader& reader) { MeasureFilter(reader, 100); }},
    {"stats", [](const TableReader& reader) { CollectStats(reader); }},
    {"detect", [](const TableReader& reader) { static_cast<void>(ResolveKeys(reader)); }},
};

}  // namespace

absl::Span<const TableOperation> TableOperations() { return kOperations; }

}  // namespace sstable::test
