// Tables assembled block by block, to have contents that the builder would not write.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_PARTS_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "sstable/format.h"
#include "tests/support/block_bytes.h"
#include "tests/support/table_bytes.h"

namespace sstable::test {

// Returns the 5 bytes after a block: its type, and the masked crc32c of block and type.
std::string EncodeTrailer(absl::string_view block, uint8_t type);

// Pattern: (AddBlock | AddDataBlock | AddIndexEntry | AddMetaBlock)* Finish.
class TableAssembler {
 public:
  // Appends a block exactly as given, followed by its trailer.
  BlockHandle AddBlock(absl::string_view stored, uint8_t type = 0);

  // Appends an uncompressed block of these entries, and its index entry.
  BlockHandle AddDataBlock(absl::string_view separator, const Entries& entries);

  // Adds an index entry with any value.
  void AddIndexEntry(absl::string_view separator, absl::string_view value);

  // Appends a block and its metaindex entry. Must be called in order of the names.
  BlockHandle AddMetaBlock(absl::string_view name, absl::string_view stored, uint8_t type = 0);
  void AddMetaEntry(absl::string_view name, absl::string_view value);

  // Appends metaindex, index and footer. The default `index_shape` is LevelDB's: index keys share
  // nothing.
  std::string Finish(const BlockShape& index_shape = {/*restart_interval=*/1});

  uint64_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
  Entries index_;
  Entries metaindex_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_PARTS_H_
