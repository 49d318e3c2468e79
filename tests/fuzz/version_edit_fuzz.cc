// Parses a version edit, and a MANIFEST whose only record it is.
#include <string>
#include <vector>

#include "sstable/database_files.h"
#include "sstable/experimental/log_file.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "tests/fuzz/fuzz.h"

namespace sstable::fuzz {

std::vector<std::string> Seeds() {
  const std::string key = MakeInternalKey("key", 3, ValueType::kValue);
  VersionEdit edit;
  edit.comparator = "leveldb.BytewiseComparator";
  edit.log_number = 5;
  edit.previous_log_number = 0;
  edit.next_file_number = 300;
  edit.last_sequence = 9;
  std::vector<std::string> seeds = {"", edit.Encode()};
  edit.compact_pointers = {{1, key}};
  edit.deleted_files = {{0, 4}, {1, 3}};
  edit.new_files = {{2, 7, 1000, key, key}, {63, UINT64_MAX, UINT64_MAX, key, key}};
  seeds.push_back(edit.Encode());
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  const absl::string_view bytes = fuzz::View(data, size);
  const auto edit = VersionEdit::Decode(bytes);
  std::string manifest_bytes;
  const auto file = NewStringFile(&manifest_bytes);
  fuzz::RequireOk(LogWriter(file.get()).AddRecord(bytes));
  const auto read = ReadManifest(*NewMemoryFile(manifest_bytes));
  if (absl::IsUnimplemented(edit.status())) {  // a tag of another program
    fuzz::Require(absl::IsUnimplemented(read.status()), "so is its MANIFEST");
    return 0;
  }
  const Manifest manifest = fuzz::ValueOrFail(read);
  fuzz::Require(manifest.edit_count == (edit.ok() ? 1u : 0u), "a MANIFEST has the edit");
  if (!edit.ok()) {
    fuzz::Require(absl::IsDataLoss(edit.status()), "what is no edit is DataLoss");
    return 0;
  }
  const std::string encoded = edit->Encode();
  fuzz::Require(fuzz::ValueOrFail(VersionEdit::Decode(encoded)).Encode() == encoded,
                "an edit is the same when encoded again");
  const std::string snapshot = manifest.state.Snapshot().Encode();
  VersionState again;
  fuzz::RequireOk(again.Apply(fuzz::ValueOrFail(VersionEdit::Decode(snapshot))));
  fuzz::Require(again.Snapshot().Encode() == snapshot, "so is a state");
  return 0;
}
