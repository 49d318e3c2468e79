// Salvages the input. The result must always be a sound table. From a sound table, with or without
// its tail, all entries must be saved, except for those with types that only RocksDB has.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/check.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/table_seeds.h"
#include "tests/support/table_bytes.h"

namespace sstable::fuzz {
namespace {

struct Salvaged {
  std::unique_ptr<Salvager> salvager;
  std::string table;
  test::Entries entries;
};

std::unique_ptr<TableReader> Open(const TableBuilderOptions& keys, absl::string_view table) {
  TableReaderOptions options;
  options.comparator = keys.comparator;
  options.key_kind = keys.key_kind;
  auto reader = TableReader::Open(NewMemoryFile(table), options);
  return reader.ok() ? *std::move(reader) : nullptr;
}

test::Entries Scan(const TableReader& reader) {
  test::Entries entries;
  const auto it = reader.NewIterator();
  for (it->SeekToFirst(); it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  return entries;
}

Salvaged Salvage(absl::string_view bytes) {
  Salvaged result;
  result.salvager = ValueOrFail(Salvager::Open(*NewMemoryFile(bytes), SalvageOptions()));
  const TableBuilderOptions options = result.salvager->BuilderOptions();
  const auto builder = ValueOrFail(TableBuilder::Create(NewStringFile(&result.table), options));
  RequireOk(result.salvager->VisitEntries([&](absl::string_view key, absl::string_view value) {
    result.entries.emplace_back(key, value);
    return builder->Add(key, value);
  }));
  RequireOk(builder->Finish());
  Require(result.salvager->report().entries_saved == result.entries.size(),
          "the report counts what is saved");
  Require(result.entries.size() <= result.salvager->total_entries(), "nothing is made up");

  const auto reader = Open(options, result.table);
  Require(reader != nullptr, "what is saved can be opened");
  if (result.salvager->order_known()) {
    const CheckReport report = CheckTable(*reader, CheckOptions());
    Require(report.ok(), report.ok() ? "" : report.problems[0].message);
  }
  Require(Scan(*reader) == result.entries, "what is saved can be read");
  return result;
}

bool HasTypeOfRocksDb(absl::string_view internal_key) {
  return internal_key.size() >= kTagSize &&
         (ExtractTag(internal_key) & 0xff) > static_cast<uint8_t>(ValueType::kValue);
}

// Requires that all entries of a sound table were saved in their order, except for those with types
// that only RocksDB has, which must be counted as left out.
void RequireAllSaved(const test::Entries& sound, const Salvaged& salvaged) {
  const bool have_types = salvaged.salvager->key_kind() == KeyKind::kInternal;
  test::Entries expected;
  for (const auto& entry : sound) {
    if (!have_types || !HasTypeOfRocksDb(entry.first)) expected.push_back(entry);
  }
  const SalvageReport& report = salvaged.salvager->report();
  Require(report.conflict_count == sound.size() - expected.size(),
          "of a sound table, only entries of RocksDB's types are left out, and each is counted");
  for (const SalvageConflict& conflict : report.conflicts) {
    Require(conflict.kind == SalvageConflict::Kind::kNoTag && HasTypeOfRocksDb(conflict.key),
            "what is left out of a sound table is named, with the reason");
  }
  Require(salvaged.entries == expected, "of a sound table, all is saved");
}

}  // namespace

std::vector<std::string> Seeds() { return TableSeeds(); }

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view table = fuzz::View(data, size);
  const fuzz::Salvaged whole = fuzz::Salvage(table);
  const auto reader = fuzz::Open(whole.salvager->BuilderOptions(), table);
  if (reader == nullptr || !CheckTable(*reader, CheckOptions()).ok()) return 0;
  fuzz::RequireAllSaved(fuzz::Scan(*reader), whole);

  const fuzz::Salvaged cut = fuzz::Salvage(table.substr(0, size - kFooterSize));
  if (cut.salvager->scan().lost.empty() && cut.salvager->complete()) {
    fuzz::Require(cut.entries == whole.entries, "where nothing is said to be lost, nothing is");
  }
  return 0;
}
