#include "table/metaindex.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "sstable/comparator.h"
#include "table/block/block.h"
#include "table/block/block_iterator.h"
#include "table/block/key_order.h"
#include "table/block/limits.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {

absl::Status ParseMetaindex(absl::string_view contents, uint64_t file_size,
                            std::vector<MetaBlock>* meta_blocks) {
  ASSIGN_OR_RETURN(const Block block, Block::Parse(contents));
  const KeyOrder order(BytewiseComparator(), KeyKind::kPlain);
  BlockBudget blocks(file_size);
  KeyBudget names(file_size);
  BlockIterator entries(&order, block);
  for (entries.SeekToFirst(); entries.Valid(); entries.Next()) {
    absl::string_view value = entries.value();
    const absl::StatusOr<BlockHandle> handle = BlockHandle::Parse(&value);
    if (!handle.ok()) {
      return AtPlace(absl::StrCat("entry ", ShowBytes(entries.key())), handle.status());
    }
    if (!blocks.Take(*handle)) return blocks.Error();
    if (!names.Take(entries.key().size())) return KeyBudget::Error();
    meta_blocks->push_back({std::string(entries.key()), *handle});
  }
  return entries.status();
}

}  // namespace sstable
