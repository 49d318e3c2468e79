#include "db/renamed_tables.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

using KeyRange = std::pair<std::string, std::string>;  // first and last internal key

}  // namespace

absl::StatusOr<KeyRange> ReadKeyRange(const std::string& path,
                                      std::optional<uint64_t> max_block_size) {
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.use_filter = false;
  options.max_uncompressed_block_size = max_block_size;
  ASSIGN_OR_RETURN(auto file, OpenDatabaseFile(path));
  ASSIGN_OR_RETURN(const auto reader, TableReader::Open(std::move(file), options));
  const auto it = reader->NewIterator(ReadOptions::ForScan());
  KeyRange range;
  it->SeekToFirst();
  if (it->Valid()) range.first = std::string(it->key());
  it->SeekToLast();
  if (it->Valid()) range.second = std::string(it->key());
  RETURN_IF_ERROR(it->status());
  return range;
}

std::vector<DatabaseFile> ListLevelFolders(const std::string& folder) {
  std::vector<DatabaseFile> files;
  for (int level = 0; level < kLevelDbLevels; ++level) {
    const std::string name = absl::StrCat("sst_", level);
    auto listed = ListFolder(PathIn(folder, name));
    if (!listed.ok()) continue;  // there is no such sub-folder
    for (DatabaseFile& file : *listed) {
      file.name = PathIn(name, file.name);
      files.push_back(std::move(file));
    }
  }
  return files;
}

std::optional<uint64_t> LeadingNumber(absl::string_view name) {
  name.remove_prefix(sys::FolderPartSize(name));
  uint64_t number = 0;
  const bool has_number =
      absl::SimpleAtoi(name.substr(0, name.find_first_not_of("0123456789")), &number);
  return has_number ? std::optional(number) : std::nullopt;
}

std::map<uint64_t, const DatabaseFile*> FindRenamedTables(
    absl::string_view folder, const std::vector<DatabaseFile>& files,
    const std::vector<const TableFile*>& missing, const std::set<uint64_t>& dropped,
    std::optional<uint64_t> max_block_size) {
  std::set<uint64_t> numbers, sizes;
  std::multimap<KeyRange, const TableFile*> by_range;
  for (const TableFile* table : missing) {
    numbers.insert(table->number);
    sizes.insert(table->size);
    by_range.emplace(KeyRange(table->smallest, table->largest), table);
  }
  std::map<uint64_t, const DatabaseFile*> found;
  for (const DatabaseFile& file : files) {
    if (by_range.empty()) break;
    if (file.parsed.has_value() && file.parsed->kind == DatabaseFileKind::kTable &&
        dropped.count(file.parsed->number) > 0) {
      continue;
    }
    const auto number = LeadingNumber(file.name);
    const bool has_number = number.has_value() && numbers.count(*number) > 0;
    if (file.size == 0 || (!has_number && sizes.count(file.size) == 0)) continue;
    const auto range = ReadKeyRange(PathIn(folder, file.name), max_block_size);
    if (!range.ok()) continue;  // not a table
    const auto table = by_range.find(*range);
    if (table == by_range.end()) continue;
    found.emplace(table->second->number, &file);
    by_range.erase(table);
  }
  return found;
}

}  // namespace sstable
