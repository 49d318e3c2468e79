#include "tests/testdata/table_summary.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/experimental/filter_report.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "tests/support/sha256.h"
#include "tests/support/table_bytes.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

std::string Quote(absl::string_view bytes) {
  return absl::StrCat("\"", absl::Utf8SafeCHexEscape(bytes.substr(0, 80)), "\"");
}

std::string ShowEntry(KeyKind key_kind, const std::pair<std::string, std::string>& entry) {
  const std::optional<ParsedInternalKey> parsed = ParseInternalKey(entry.first);
  if (key_kind == KeyKind::kPlain || !parsed.has_value()) {
    return absl::StrCat(Quote(entry.first), " -> ", Quote(entry.second));
  }
  const std::string key = absl::StrCat(Quote(parsed->user_key), " @ ", parsed->sequence);
  if (parsed->type == ValueType::kDeletion) return absl::StrCat(key, " deleted");
  return absl::StrCat(key, " -> ", Quote(entry.second));
}

// All entries that can still be read.
Entries ReadEntries(const TableReader& table) {
  Entries entries;
  const auto it = table.NewIterator();
  it->SeekToFirst();
  do {
    for (; it->Valid(); it->Next()) entries.emplace_back(it->key(), it->value());
  } while (it->SkipDamage());
  return entries;
}

std::string Sha256OfEntries(const Entries& entries) {
  Sha256 sha256;
  for (const auto& [key, value] : entries) {
    for (const std::string* part : {&key, &value}) {
      std::string size;
      AppendFixed32(&size, static_cast<uint32_t>(part->size()));
      sha256.Add(size);
      sha256.Add(*part);
    }
  }
  return sha256.HexDigest();
}

std::string SummarizeEntries(const TestdataTable& table, const Entries& entries) {
  std::string text =
      absl::StrCat("entries: ", entries.size(), ", sha256 ", Sha256OfEntries(entries), "\n");
  if (entries.empty()) return text;
  absl::StrAppend(&text, "first: ", ShowEntry(table.key_kind, entries.front()), "\n");
  absl::StrAppend(&text, "last: ", ShowEntry(table.key_kind, entries.back()), "\n");
  return text;
}

std::string SummarizeFilter(const TableReader& reader) {
  const FilterReport report = MeasureFilter(reader);
  std::string text = absl::StrCat("filter: ", absl::StatusCodeToString(report.status.code()));
  if (reader.filter() != nullptr) {
    absl::StrAppend(&text, ", base lg ", report.base_lg, ", ", report.windows, " windows, ",
                    report.empty_windows, " of them empty\nkeys asked of it: ", report.keys_tested,
                    ", not known to it: ", report.false_negatives,
                    "; lost by the unsigned hash: ", report.hash.lost_by_unsigned_hash,
                    ", by the signed: ", report.hash.lost_by_signed_hash);
  }
  return text + "\n";
}

// Looks up plain keys, or each version at its own sequence.
std::string SummarizeLookups(const TestdataTable& table, const TableReader& reader,
                             const Entries& entries) {
  size_t found = 0, deleted = 0, wrong = 0;
  for (const auto& [key, expected] : entries) {
    const bool internal = table.key_kind == KeyKind::kInternal;
    std::string value;
    const absl::StatusOr<Presence> presence =
        internal ? reader.Get(ExtractUserKey(key), &value, {ExtractTag(key) >> 8})
                 : reader.Get(key, &value);
    if (presence.ok() && *presence == Presence::kDeleted) {
      ++deleted;
    } else if (presence.ok() && *presence == Presence::kFound && value == expected) {
      ++found;
    } else {
      ++wrong;
    }
  }
  return absl::StrCat("lookups of them: ", found, " found, ", deleted, " found deleted, ", wrong,
                      " wrong\n");
}

std::string SummarizeDamage(const TableReader& reader) {
  const CheckReport report = CheckTable(reader, {});
  if (report.ok()) return "damage: none\n";
  std::string text;
  for (const CheckProblem& problem : report.problems) {
    absl::StrAppend(&text, "damage: ", problem.place, "\n");
  }
  return text;
}

}  // namespace

const std::vector<TestdataTable>& TestdataTables() {
  static const auto* const tables = new std::vector<TestdataTable>{
      {"leveldb-1.23-elements"},
      {"leveldb-1.23-raw"},
      {"leveldb-1.23-database", KeyKind::kInternal},
      {"leveldb-1.23-reverse-order", KeyKind::kPlain, /*reverse=*/true},
      {"leveldb-1.23-signed-hash"},
      {"old-filter-name"},
      {"foreign-filter-hash"},
      {"zstd"},
      {"zlib"},
      {"raw-deflate"},
      {"rocksdb-7.8-lz4", KeyKind::kInternal},
      {"rocksdb-7.8-lz4hc", KeyKind::kInternal},
      {"rocksdb-7.8-bzip2", KeyKind::kInternal},
      {"rocksdb-7.8-zstd", KeyKind::kInternal},
      {"empty"},
      {"damaged-data-block"},
      {"damaged-filter-block"},
      {"damaged-index-block"},
      {"cut-short"},
  };
  return *tables;
}

TableReaderOptions OptionsFor(const TestdataTable& table) {
  TableReaderOptions options;
  options.key_kind = table.key_kind;
  if (table.reverse) options.comparator = ReverseBytewiseComparator();
  return options;
}

std::string Summarize(const TestdataTable& table, absl::string_view bytes) {
  std::string text =
      absl::StrFormat("file: %d bytes, sha256 %s\nread as: %s keys in %s order\n", bytes.size(),
                      Sha256Hex(bytes), table.key_kind == KeyKind::kInternal ? "internal" : "plain",
                      table.reverse ? "reverse" : "bytewise");
  const absl::StatusOr<std::unique_ptr<TableReader>> opened =
      TableReader::Open(NewMemoryFile(bytes, table.name), OptionsFor(table));
  absl::StrAppend(&text, "open: ", absl::StatusCodeToString(opened.status().code()), "\n");
  if (!opened.ok()) return text;
  const TableReader& reader = **opened;
  for (const MetaBlock& block : reader.meta_blocks()) {
    absl::StrAppend(&text, "metaindex: ", block.name, "\n");
  }
  absl::StrAppend(&text, "index: ", absl::StatusCodeToString(reader.LoadIndex().code()), "\n");
  const TableStats stats = CollectStats(reader);
  absl::StrAppend(&text, "data blocks: ", stats.data_blocks);
  for (const auto& [codec, count] : stats.blocks_by_codec) {
    absl::StrAppend(&text, ", ", count, " ", codec);
  }
  const Entries entries = ReadEntries(reader);
  absl::StrAppend(&text, "\n", SummarizeEntries(table, entries), SummarizeFilter(reader),
                  SummarizeLookups(table, reader, entries), SummarizeDamage(reader));
  return text;
}

}  // namespace sstable::test
