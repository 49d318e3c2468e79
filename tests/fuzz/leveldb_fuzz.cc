// Reads tables with LevelDB 1.23 and with this library. LevelDB crashes on some crafted tables, so
// it gets only tables that pass CheckTable().
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "leveldb/iterator.h"
#include "sstable/check.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/table_seeds.h"
#include "tests/interop/leveldb_table.h"
#include "tests/interop/table_spec.h"

namespace sstable::fuzz {
namespace {

constexpr size_t kSoughtKeys = 100;

absl::string_view ToView(const leveldb::Slice& slice) {
  return absl::string_view(slice.data(), slice.size());
}

bool SameEntry(const Iterator& ours, const leveldb::Iterator& theirs) {
  if (ours.Valid() != theirs.Valid()) return false;
  return !ours.Valid() ||
         (ours.key() == ToView(theirs.key()) && ours.value() == ToView(theirs.value()));
}

// Returns true if both know all codecs and neither examines a byte that the other ignores.
bool IsForLevelDb(const TableReader& reader) {
  if (!CheckTable(reader, CheckOptions()).ok() || !IndexOf(reader)->order_status().ok())
    return false;
  for (const BlockInfo& block : DescribeLayout(reader).blocks) {
    if (block.codec != Codec::kNone && block.codec != Codec::kSnappy) return false;
    if (block.kind != BlockKind::kFilter && block.kind != BlockKind::kMeta &&
        block.restart_count == 0) {
      return false;
    }
  }
  return true;
}

void Compare(const TableReader& reader, const test::LevelDbTable& theirs) {
  const auto our_it = reader.NewIterator();
  const auto their_it = theirs.NewIterator();
  std::vector<std::string> keys = {"", "k", "z"};
  their_it->SeekToFirst();
  for (our_it->SeekToFirst(); our_it->Valid(); our_it->Next(), their_it->Next()) {
    Require(SameEntry(*our_it, *their_it), "forward both have the same entries");
    if (keys.size() < kSoughtKeys) keys.emplace_back(our_it->key());
  }
  Require(!their_it->Valid() && our_it->status().ok() == their_it->status().ok(),
          "forward both end at the same place");
  their_it->SeekToLast();
  for (our_it->SeekToLast(); our_it->Valid(); our_it->Prev(), their_it->Prev()) {
    Require(SameEntry(*our_it, *their_it), "backward both have the same entries");
  }
  Require(!their_it->Valid(), "backward both end at the same place");
  for (const std::string& key : keys) {
    for (const std::string& target : {key, key + "x"}) {
      if (KeyOrderOf(reader).kind() == KeyKind::kInternal && target.size() < kTagSize) continue;
      our_it->Seek(target);
      their_it->Seek(target);
      Require(SameEntry(*our_it, *their_it), "Seek() goes to the same entry in both");
    }
  }
}

}  // namespace

std::vector<std::string> Seeds() { return TableSeeds(); }

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const std::string table(fuzz::View(data, size));
  for (const KeyKind kind : {KeyKind::kPlain, KeyKind::kInternal}) {
    TableReaderOptions options;
    options.key_kind = kind;
    const auto reader = TableReader::Open(NewMemoryFile(table), options);
    if (!reader.ok() || !fuzz::IsForLevelDb(**reader)) continue;
    test::TableSpec spec;
    spec.key_kind = kind;
    const test::LevelDbTable theirs(spec, table);
    fuzz::Require(theirs.status().ok(), "LevelDB opens what has no fault");
    fuzz::Compare(**reader, theirs);
  }
  return 0;
}
