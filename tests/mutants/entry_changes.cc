// Changes the entries of a table's blocks and corrects the checksums, as an attacker could.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "sstable/file.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/block.h"
#include "table/block/block_io.h"
#include "table/block/block_iterator.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/mutants/changes.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_parts.h"

namespace sstable::mutants {
namespace {

using test::Entries;

struct StoredPart {
  std::string stored;
  uint8_t type = 0;
};

// The parts of a table.
struct Parts {
  std::vector<StoredPart> data;
  std::vector<std::string> index_keys;  // one for each data block
  std::vector<std::pair<std::string, StoredPart>> meta;
};

bool Take(const TableReader& reader, const BlockHandle& handle, StoredPart* part) {
  ByteBuffer buffer;
  const auto stored = ReadStoredBlock(reader.file(), handle, &buffer);
  if (!stored.ok()) return false;
  part->stored = std::string(stored->bytes);
  part->type = stored->type;
  return true;
}

bool TakeApart(const TableReader& reader, Parts* parts) {
  const TableIndex* const index = IndexOf(reader);
  if (index == nullptr) return false;
  BlockIterator it(&KeyOrderOf(reader), index->block());
  it.SeekToFirst();
  for (size_t i = 0; i < index->size() && it.Valid(); ++i, it.Next()) {
    parts->index_keys.emplace_back(it.key());
    if (!Take(reader, index->record(i).handle(), &parts->data.emplace_back())) return false;
  }
  for (const MetaBlock& meta : reader.meta_blocks()) {
    auto& [name, part] = parts->meta.emplace_back();
    name = meta.name;
    if (!Take(reader, meta.handle, &part)) return false;
  }
  return true;
}

// A table being reassembled with changes to its index.
struct Assembly {
  std::vector<BlockHandle> handles;
  Entries index;
};

std::string Assemble(const Parts& parts, Random* random,
                     std::string (*edit_index)(Assembly*, Random*), std::string* description) {
  test::TableAssembler assembler;
  Assembly assembly;
  for (const StoredPart& part : parts.data) {
    assembly.handles.push_back(assembler.AddBlock(part.stored, part.type));
  }
  for (const auto& [name, part] : parts.meta) assembler.AddMetaBlock(name, part.stored, part.type);
  for (size_t i = 0; i < parts.data.size(); ++i) {
    assembly.index.emplace_back(parts.index_keys[i], assembly.handles[i].Encode());
  }
  if (edit_index != nullptr) *description = edit_index(&assembly, random);
  for (const auto& [key, value] : assembly.index) assembler.AddIndexEntry(key, value);
  return assembler.Finish({random->OneIn(3) ? 16 : 1});
}

void EditBytes(Random* random, std::string* bytes) {
  switch (bytes->empty() ? 2 : random->Below(4)) {
    case 0:
      random->Pick(*bytes) = static_cast<char>(random->Below(256));
      break;
    case 1:
      bytes->pop_back();
      break;
    case 2: {  // read one by one, since C++ does not define the order in which arguments are
               // evaluated
      const size_t at = random->Below(bytes->size() + 1);
      const size_t size = 1 + random->Below(20);
      bytes->insert(at, size, static_cast<char>(random->Below(256)));
      break;
    }
    default:
      bytes->resize(random->Below(bytes->size() + 1));
  }
}

// Changes entries of any block.
std::string EditEntries(Random* random, Entries* entries) {
  if (entries->empty()) return "";
  const size_t i = random->Below(entries->size());
  const size_t j = random->Below(entries->size());
  auto& [key, value] = (*entries)[i];
  switch (random->Below(6)) {
    case 0:
      EditBytes(random, &key);
      return absl::StrCat("key of entry ", i);
    case 1:
      EditBytes(random, &value);
      return absl::StrCat("value of entry ", i);
    case 2:
      entries->erase(entries->begin() + static_cast<ptrdiff_t>(i));
      return absl::StrCat("no entry ", i);
    case 3:
      entries->insert(entries->begin() + static_cast<ptrdiff_t>(j), (*entries)[i]);
      return absl::StrCat("entry ", i, " before ", j, ", too");
    case 4:
      std::swap((*entries)[i], (*entries)[j]);
      return absl::StrCat("entries ", i, " and ", j, " swapped");
    default:
      std::swap((*entries)[i].second, (*entries)[j].second);
      return absl::StrCat("values of entries ", i, " and ", j, " swapped");
  }
}

std::unique_ptr<TableReader> Open(const std::string& bytes) {
  auto reader = TableReader::Open(NewMemoryFile(bytes, "mutant"));
  return reader.ok() ? *std::move(reader) : nullptr;
}

// Changes a handle slightly, or replaces it with another block's.
std::string EditHandle(Assembly* assembly, Random* random) {
  if (assembly->handles.empty()) return "";
  const size_t i = random->Below(assembly->handles.size());
  BlockHandle handle = assembly->handles[i];
  const uint64_t deltas[] = {1, 5, ~0ull, ~0ull - 4, 4096, uint64_t{1} << 32, uint64_t{1} << 63};
  switch (random->Below(4)) {
    case 0:
      handle = random->Pick(assembly->handles);
      break;
    case 1:
      handle.offset += random->Pick(deltas);
      break;
    default:
      handle.size += random->Pick(deltas);
  }
  assembly->index[i].second = handle.Encode();
  return absl::StrCat("handle of entry ", i, " is (", handle.offset, ", ", handle.size, ")");
}

std::string EditIndexEntries(Assembly* assembly, Random* random) {
  return EditEntries(random, &assembly->index);
}

std::string EditIndex(const Original&, Random* random, std::string* bytes) {
  const auto reader = Open(*bytes);
  Parts parts;
  if (reader == nullptr || !TakeApart(*reader, &parts)) return "";
  std::string description;
  std::string edited =
      Assemble(parts, random, random->OneIn(2) ? EditHandle : EditIndexEntries, &description);
  if (!description.empty()) *bytes = std::move(edited);
  return description;
}

// Changes one data block. Later blocks move, but the filter block keeps the old offsets.
std::string EditData(const Original&, Random* random, std::string* bytes) {
  const auto reader = Open(*bytes);
  Parts parts;
  if (reader == nullptr || !TakeApart(*reader, &parts) || parts.data.empty()) return "";
  const size_t i = random->Below(parts.data.size());
  const auto it = reader->NewIterator();
  Entries entries;
  for (it->SeekToBlock(i); it->Valid() && it->block_index() == i; it->Next()) {
    entries.emplace_back(it->key(), it->value());
  }
  const std::string description = EditEntries(random, &entries);
  if (description.empty()) return "";
  parts.data[i] = {test::EncodeBlock(entries, {random->OneIn(3) ? 1 : 16}), 0};
  if (random->OneIn(3)) parts.meta.clear();
  std::string unused;
  *bytes = Assemble(parts, random, nullptr, &unused);
  return absl::StrCat("data block ", i, ": ", description, parts.meta.empty() ? ", no filter" : "");
}

std::string EditMetaindex(const Original&, Random* random, std::string* bytes) {
  const auto reader = Open(*bytes);
  Parts parts;
  if (reader == nullptr || !TakeApart(*reader, &parts)) return "";
  std::string description;
  if (parts.meta.empty() || random->OneIn(4)) {
    const char* const name = random->OneIn(2) ? "filter.leveldb.BuiltinBloomFilter2" : "rocksdb.x";
    parts.meta.emplace_back(name, StoredPart{std::string(random->Below(40), '\0'), 0});
    description = "a block more";
  } else {
    auto& [name, part] = random->Pick(parts.meta);
    std::string* const what = random->OneIn(2) ? &name : &part.stored;
    EditBytes(random, what);
    description = what == &name ? "name" : "contents";
  }
  std::string unused;
  *bytes = Assemble(parts, random, nullptr, &unused);
  return description;
}

constexpr Change kChanges[] = {
    {"data-entry", EditData},   {"data-entry", EditData},           {"index-entry", EditIndex},
    {"index-entry", EditIndex}, {"metaindex-entry", EditMetaindex},
};

}  // namespace

absl::Span<const Change> EntryChanges() { return kChanges; }

}  // namespace sstable::mutants
