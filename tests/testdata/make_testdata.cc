// Rewrites the tables of this folder and their summaries:
//   bazel run //tests/testdata:make_testdata -- "$PWD/tests/testdata"
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "filter/bloom.h"
#include "leveldb/db.h"
#include "leveldb/filter_policy.h"
#include "leveldb/options.h"
#include "sstable/file.h"
#include "sstable/filter_block.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/table_internals.h"
#include "tests/interop/leveldb_database.h"
#include "tests/interop/leveldb_order.h"
#include "tests/interop/leveldb_table.h"
#include "tests/interop/table_spec.h"
#include "tests/support/block_bytes.h"
#include "tests/support/deflate.h"
#include "tests/support/foreign_filters.h"
#include "tests/support/table_bytes.h"
#include "tests/support/table_parts.h"
#include "tests/support/whole_file.h"
#include "tests/testdata/table_summary.h"

namespace sstable::test {
namespace {

using Files = std::map<std::string, std::string>;  // name to contents

// Names, some of which have letters that are not ASCII among their last bytes.
constexpr const char* kCities[][2] = {
    {"Aarhus", "DK"},   {"Asunción", "PY"},  {"Bogotá", "CO"},     {"Brasília", "BR"},
    {"Chișinău", "MD"}, {"Córdoba", "AR"},   {"Gdańsk", "PL"},     {"Győr", "HU"},
    {"Göteborg", "SE"}, {"Hà Nội", "VN"},    {"Kraków", "PL"},     {"København", "DK"},
    {"Košice", "SK"},   {"Lomé", "TG"},      {"Malé", "MV"},       {"Malmö", "SE"},
    {"Medellín", "CO"}, {"München", "DE"},   {"Orléans", "FR"},    {"Plzeň", "CZ"},
    {"Poznań", "PL"},   {"Reykjavík", "IS"}, {"San José", "CR"},   {"São Paulo", "BR"},
    {"Tórshavn", "FO"}, {"Tromsø", "NO"},    {"Valparaíso", "CL"}, {"Yaoundé", "CM"},
    {"Zürich", "CH"},   {"Łódź", "PL"},      {"Šiauliai", "LT"},   {"Αθήνα", "GR"},
    {"Київ", "UA"},     {"София", "BG"},     {"Тбилиси", "GE"},    {"서울", "KR"},
    {"京都", "JP"},     {"東京", "JP"},
};

// LevelDB's Bloom filter as releases up to 1.17 wrote it on x86: with its old name, and a hash that
// takes the bytes after a key's last whole word as signed.
class SignedHashPolicy final : public leveldb::FilterPolicy {
 public:
  const char* Name() const override { return "leveldb.BuiltinBloomFilter"; }
  void CreateFilter(const leveldb::Slice* keys, int n, std::string* dst) const override {
    std::vector<uint32_t> hashes;
    for (int i = 0; i < n; ++i) {
      hashes.push_back(
          BloomKeyHash<HashTail::kSigned>(absl::string_view(keys[i].data(), keys[i].size())));
    }
    AppendBloomFilter(hashes, {10}, dst);
  }
  bool KeyMayMatch(const leveldb::Slice&, const leveldb::Slice&) const override { return true; }
};

Entries ReadLines(const std::string& path) {
  std::ifstream file(path);
  Entries entries;
  for (std::string line; std::getline(file, line);) {
    entries.push_back(absl::StrSplit(line, absl::MaxSplits('\t', 1)));
  }
  return entries;
}

TableSpec SpecOf(const Entries& entries) {
  TableSpec spec;  // LevelDB's own defaults
  spec.bits_per_key = 10;
  spec.entries = entries;
  return spec;
}

std::string BuildRaw(const Entries& entries) {
  TableSpec spec = SpecOf(entries);
  spec.snappy = false;
  return BuildWithLevelDb(spec);
}

std::string BuildReversed(const Entries& entries) {
  TableSpec spec = SpecOf(Entries(entries.rbegin(), entries.rend()));
  spec.reverse = true;
  spec.block_size = 1024;
  return BuildWithLevelDb(spec);
}

Entries Cities() {
  std::map<std::string, std::string> sorted;
  for (const auto& [name, country] : kCities) sorted[name] = country;
  return {sorted.begin(), sorted.end()};
}

std::string BuildWithSignedHash() {
  const SignedHashPolicy policy;
  leveldb::Options options;
  options.filter_policy = &policy;
  options.block_size = 256;
  return BuildWithLevelDb(options, SpecOf(Cities()));
}

// The only table of a database in which the elements after 103 first have a temporary name.
std::string BuildDatabaseTable(const Entries& elements) {
  const std::map<std::string, std::string> facts(elements.begin(), elements.end());
  const auto fact = [&facts](const std::string& name, const char* what) {
    const auto found = facts.find(absl::StrCat(name, "/", what));
    return found == facts.end() ? std::string("?") : found->second;
  };
  const std::unique_ptr<const leveldb::FilterPolicy> policy = LevelDbBloom(KeyKind::kPlain, 10);
  leveldb::Options options;
  options.filter_policy = policy.get();
  options.block_size = 1024;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "make_testdata";
  LevelDbDatabase database(folder.string(), options);

  std::vector<std::string> names;
  for (const auto& [key, value] : elements) {
    const std::vector<std::string> parts = absl::StrSplit(key, '/');
    if (parts[1] == "number") names.push_back(parts[0]);
  }
  const auto temporary_name = [&fact](const std::string& name) {
    constexpr const char* kDigits[] = {"nil",  "un",  "bi",   "tri", "quad",
                                       "pent", "hex", "sept", "oct", "enn"};
    std::string temporary;
    for (const char digit : fact(name, "number")) temporary += kDigits[digit - '0'];
    return temporary + (temporary.back() == 'i' ? "um" : "ium");
  };
  const auto is_new = [&fact](const std::string& name) {
    return fact(name, "number").size() == 3 && fact(name, "number") > "103";
  };
  for (const std::string& name : names) {
    database.Put(is_new(name) ? temporary_name(name) : name, fact(name, "number"));
  }
  database.HoldSnapshot();
  for (const std::string& name : names) {
    const std::string value = absl::StrCat(fact(name, "number"), " ", fact(name, "symbol"));
    if (is_new(name)) {
      database.PutAndDelete(name, value, temporary_name(name));
    } else {
      database.Put(name, value);
    }
  }
  database.HoldSnapshot();
  for (const std::string& name : names) {
    if (fact(name, "weight") == "?") continue;
    database.Put(name, absl::StrCat(fact(name, "number"), " ", fact(name, "symbol"), " ",
                                    fact(name, "weight")));
  }
  database.FlushMemtable();
  const std::vector<std::string> paths = database.TablePaths();
  if (paths.size() != 1) {
    std::cerr << "expected the database to have one table, not " << paths.size() << "\n";
    std::exit(1);
  }
  return ReadWholeFile(paths.front());
}

// Makes a table as Minecraft's LevelDB writes it: with blocks of one of its two types, and a filter
// of today's LevelDB.
std::string BuildDeflated(const Entries& entries, uint8_t type, int window_bits) {
  constexpr size_t kEntriesPerBlock = 100;
  const auto policy = NewBloomFilterPolicy(10);
  FilterBlockBuilder filter(policy.get());
  TableAssembler table;
  for (size_t start = 0; start < entries.size(); start += kEntriesPerBlock) {
    const size_t end = std::min(start + kEntriesPerBlock, entries.size());
    const Entries block(entries.begin() + static_cast<ptrdiff_t>(start),
                        entries.begin() + static_cast<ptrdiff_t>(end));
    filter.StartBlock(table.size());
    for (const auto& [key, value] : block) filter.AddKey(key);
    const BlockHandle handle =
        table.AddBlock(test::Deflate(EncodeBlock(block), window_bits, Z_BEST_COMPRESSION), type);
    table.AddIndexEntry(block.back().first, handle.Encode());
  }
  table.AddMetaBlock(absl::StrCat("filter.", policy->Name()), *filter.Finish());
  return table.Finish();
}

std::string BuildWithOurs(const Entries& entries, Compression compression, BloomName filter_name,
                          size_t block_size) {
  const auto policy = NewBloomFilterPolicy(10, filter_name);
  TableBuilderOptions options;
  options.compression = compression;
  options.filter_policy = policy.get();
  options.block_size = block_size;
  return *BuildTable(options, entries);
}

// Uses StarRocks' hash, murmur3, under LevelDB's name, and one filter for all keys, which the first
// key passes by chance.
std::string BuildWithForeignHash(Entries entries) {
  const auto known = NewBloomFilterPolicy(10);
  const ForeignBloom policy({"Murmur3", StarRocksHash}, 4);
  TableBuilderOptions options;
  options.filter_policy = &policy;
  options.filter_base_lg = 30;
  for (std::string filter;; entries.erase(entries.begin())) {
    std::vector<absl::string_view> keys;
    for (const auto& entry : entries) keys.push_back(entry.first);
    filter.clear();
    policy.CreateFilter(keys, &filter);
    if (known->KeyMayMatch(keys.front(), filter)) return *BuildTable(options, entries);
  }
}

// `bytes` with one bit in the middle of a block flipped.
std::string Damage(std::string bytes, const BlockHandle& handle) {
  bytes[handle.offset + handle.size / 2] ^= 0x10;
  return bytes;
}

void AddDamaged(const std::string& sound, Files* files) {
  const auto table = *TableReader::Open(NewMemoryFile(sound));
  (*files)["damaged-data-block"] = Damage(sound, IndexOf(*table)->record(1).handle());
  (*files)["damaged-filter-block"] = Damage(sound, table->meta_blocks().front().handle);
  (*files)["damaged-index-block"] = Damage(sound, table->footer().index);
  (*files)["cut-short"] = sound.substr(0, sound.size() / 2);
}

Files MakeTables(const std::string& folder) {
  const Entries elements = ReadLines(folder + "/elements.tsv");
  Files files;
  files["leveldb-1.23-elements"] = BuildWithLevelDb(SpecOf(elements));
  files["leveldb-1.23-raw"] = BuildRaw(elements);
  files["leveldb-1.23-database"] = BuildDatabaseTable(elements);
  files["leveldb-1.23-reverse-order"] = BuildReversed(elements);
  files["leveldb-1.23-signed-hash"] = BuildWithSignedHash();
  files["old-filter-name"] =
      BuildWithOurs(Cities(), Compression::kSnappy, BloomName::kLevelDbOld, 256);
  files["foreign-filter-hash"] = BuildWithForeignHash(elements);
  files["zstd"] = BuildWithOurs(elements, Compression::kZstd, BloomName::kLevelDb, 4096);
  files["zlib"] = BuildDeflated(elements, /*type=*/2, /*window_bits=*/15);
  files["raw-deflate"] = BuildDeflated(elements, /*type=*/4, /*window_bits=*/-15);
  files["empty"] = BuildWithOurs({}, Compression::kSnappy, BloomName::kLevelDb, 4096);
  AddDamaged(files["leveldb-1.23-elements"], &files);
  return files;
}

// Opens and closes a database three times, and leaves its folder at `path`.
bool MakeDatabase(const std::string& path) {
  leveldb::Options options;
  options.create_if_missing = true;
  std::filesystem::remove_all(path);
  for (int run = 0; run < 3; ++run) {
    leveldb::DB* opened = nullptr;
    if (!leveldb::DB::Open(options, path, &opened).ok()) return false;
    const std::unique_ptr<leveldb::DB> database(opened);
    if (run == 0) {
      database->Put({}, "colour/apple", "red");
      database->Put({}, "colour/banana", "green");
      database->Put({}, "colour/cherry", "black");
      database->Put({}, "price/apple", "1.20");
      database->Put({}, "price/banana", "0.90");
      database->CompactRange(nullptr, nullptr);
    } else if (run == 1) {
      database->Put({}, "colour/banana", "yellow");
      database->Delete({}, "colour/cherry");
    } else {
      database->Put({}, "price/banana", "1.10");
      database->Put({}, "price/pear", "1.50");
    }
  }
  for (const char* const name : {"LOCK", "LOG", "LOG.old"}) {
    std::filesystem::remove(absl::StrCat(path, "/", name));
  }
  return true;
}

}  // namespace
}  // namespace sstable::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_testdata FOLDER_WITH_ELEMENTS_TSV\n";
    return 2;
  }
  const std::string folder = argv[1];
  const sstable::test::Files files = sstable::test::MakeTables(folder);
  for (const sstable::test::TestdataTable& table : sstable::test::TestdataTables()) {
    const std::string path = absl::StrCat(folder, "/", table.name, ".ldb");
    const auto made = files.find(table.name);
    // The others are made by make_rocksdb_testdata.
    const std::string bytes =
        made != files.end() ? made->second : sstable::test::ReadWholeFile(path);
    std::ofstream(path, std::ios::binary) << bytes;
    std::ofstream(absl::StrCat(folder, "/", table.name, ".txt"))
        << sstable::test::Summarize(table, bytes);
  }
  return sstable::test::MakeDatabase(absl::StrCat(folder, "/database")) ? 0 : 1;
}
