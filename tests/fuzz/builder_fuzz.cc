// Takes a builder's options and entries from the input. Reads the table back and compares it with a
// std::map, and with the table of a single-threaded builder.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"
#include "tests/support/model_map.h"
#include "tests/support/table_bytes.h"

namespace sstable::fuzz {
namespace {

TableBuilderOptions TakeOptions(const FilterPolicy* policy, FuzzBytes* bytes) {
  TableBuilderOptions options;
  if (bytes->Bool()) options.comparator = ReverseBytewiseComparator();
  if (bytes->Bool()) options.key_kind = KeyKind::kInternal;
  options.compression =
      static_cast<Compression>(bytes->Between(0, static_cast<int>(kLastCompression)));
  options.zstd_level = bytes->Between(kMinZstdLevel, 3);
  options.zlib_level = bytes->Between(kMinZlibLevel, kMaxZlibLevel);
  options.block_size = static_cast<size_t>(bytes->Between(0, 255)) * 4 + 1;
  options.block_restart_interval = bytes->Between(1, 17);
  options.compression_threads = bytes->Between(1, 4);
  if (bytes->Bool()) options.filter_policy = policy;
  options.filter_base_lg = bytes->Between(0, 12);
  return options;
}

std::string TakeKey(KeyKind kind, FuzzBytes* bytes) {
  const std::string key(bytes->String(200));
  if (kind == KeyKind::kPlain) return key;
  return MakeInternalKey(key, bytes->Byte(),
                         bytes->Bool() ? ValueType::kValue : ValueType::kDeletion);
}

// The value may be long even if it takes few input bytes.
std::string TakeValue(FuzzBytes* bytes) {
  const size_t repeats = bytes->Byte();
  const absl::string_view part = bytes->String(100);
  std::string value;
  for (size_t i = 0; i <= repeats; ++i) absl::StrAppend(&value, part);
  return value;
}

test::Entries ScanForward(const TableReader& reader) {
  test::Entries entries;
  const auto it = reader.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  RequireOk(it->status());
  return entries;
}

test::Entries ScanBackward(const TableReader& reader) {
  test::Entries entries;
  const auto it = reader.NewIterator();
  for (it->SeekToLast(); it->Valid(); it->Prev()) entries.emplace_back(it->key(), it->value());
  RequireOk(it->status());
  return {entries.rbegin(), entries.rend()};
}

void LookUpAll(const TableReader& reader, const test::ModelMap& model) {
  const auto it = reader.NewIterator();
  for (const auto& entry : model) {
    const std::string& key = entry.first;
    const std::string& value = entry.second;
    bool is_found = false;
    RequireOk(reader.InternalGet(key, [&](absl::string_view found, absl::string_view its_value) {
      is_found = found == key && its_value == value;
    }));
    Require(is_found, "InternalGet() finds every key");
    it->Seek(key);
    Require(it->Valid() && it->key() == key && it->value() == value, "Seek() finds every key");
    for (const std::string& near : test::KeysAround(KeyOrderOf(reader), key)) {
      const auto expected = model.lower_bound(near);
      it->Seek(near);
      RequireOk(it->status());
      Require(it->Valid() == (expected != model.end()), "Seek() ends where the map does");
      Require(!it->Valid() || it->key() == expected->first, "Seek() goes where the map does");
    }
  }
}

void GetMany(const TableReader& reader, const test::ModelMap& model) {
  if (KeyOrderOf(reader).kind() == KeyKind::kInternal) return;
  std::vector<std::string> keys;
  for (const auto& entry : model) {
    keys.push_back(entry.first);
    keys.push_back(entry.first + "x");
  }
  std::vector<std::string> values(keys.size());
  std::vector<LookupRequest> requests(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) requests[i] = {keys[i], &values[i]};
  reader.MultiGet(absl::MakeSpan(requests));
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto expected = model.find(keys[i]);
    RequireOk(requests[i].presence.status());
    Require((*requests[i].presence == Presence::kFound) == (expected != model.end()) &&
                (expected == model.end() || values[i] == expected->second),
            "MultiGet() says what the map says");
  }
}

}  // namespace

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (int i = 0; i < 12; ++i) {
    std::string seed = {static_cast<char>(i & 1),
                        static_cast<char>(i >> 1 & 1),
                        static_cast<char>(i % 5),
                        6,
                        static_cast<char>(i),
                        static_cast<char>(i * 3),
                        3,
                        static_cast<char>(i % 4),
                        static_cast<char>(i >> 2 & 1),
                        8};
    for (int entry = 0; entry < 20; ++entry) {
      const std::string key = absl::StrCat("key ", entry * 7 % 20);
      seed.push_back(static_cast<char>(key.size()));
      seed += key;
      if ((i >> 1 & 1) != 0) seed += {static_cast<char>(entry), 1};
      seed += {static_cast<char>(entry % 3), 4, 'a', 'b', 'c', static_cast<char>(entry)};
    }
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  static const auto policy = NewBloomFilterPolicy(10);
  fuzz::FuzzBytes bytes(fuzz::View(data, size));
  TableBuilderOptions options = fuzz::TakeOptions(policy.get(), &bytes);
  const KeyOrder order(options.comparator, options.key_kind);
  test::ModelMap model({&order});
  while (!bytes.empty()) {
    std::string key = fuzz::TakeKey(options.key_kind, &bytes);
    model.emplace(std::move(key), fuzz::TakeValue(&bytes));
  }
  const test::Entries entries = test::ToEntries(model);
  const std::string table = fuzz::ValueOrFail(test::BuildTable(options, entries));
  if (options.compression_threads > 1) {
    options.compression_threads = 1;
    fuzz::Require(fuzz::ValueOrFail(test::BuildTable(options, entries)) == table,
                  "the number of threads changes no byte");
  }
  TableReaderOptions reader_options;
  reader_options.comparator = options.comparator;
  reader_options.key_kind = options.key_kind;
  const auto reader = fuzz::ValueOrFail(TableReader::Open(NewMemoryFile(table), reader_options));
  const CheckReport report = CheckTable(*reader, CheckOptions());
  fuzz::Require(report.ok(), report.ok() ? "" : report.problems[0].message);
  fuzz::Require(reader->LoadFilter().ok() == (options.filter_policy != nullptr),
                "the filter is there and is asked");
  fuzz::Require(fuzz::ScanForward(*reader) == entries, "forward it is what went in");
  fuzz::Require(fuzz::ScanBackward(*reader) == entries, "backward it is what went in");
  fuzz::LookUpAll(*reader, model);
  fuzz::GetMany(*reader, model);
  return 0;
}
