#include "tests/support/table_parts.h"

#include "absl/strings/str_cat.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable::test {

std::string EncodeTrailer(absl::string_view block, uint8_t type) {
  std::string trailer(1, static_cast<char>(type));
  AppendFixed32(&trailer, MaskCrc(Crc32c(absl::StrCat(block, trailer))));
  return trailer;
}

BlockHandle TableAssembler::AddBlock(absl::string_view stored, uint8_t type) {
  const BlockHandle handle = {bytes_.size(), stored.size()};
  absl::StrAppend(&bytes_, stored, EncodeTrailer(stored, type));
  return handle;
}

BlockHandle TableAssembler::AddDataBlock(absl::string_view separator, const Entries& entries) {
  const BlockHandle handle = AddBlock(EncodeBlock(entries));
  AddIndexEntry(separator, handle.Encode());
  return handle;
}

void TableAssembler::AddIndexEntry(absl::string_view separator, absl::string_view value) {
  index_.emplace_back(separator, value);
}

BlockHandle TableAssembler::AddMetaBlock(absl::string_view name, absl::string_view stored,
                                         uint8_t type) {
  const BlockHandle handle = AddBlock(stored, type);
  AddMetaEntry(name, handle.Encode());
  return handle;
}

void TableAssembler::AddMetaEntry(absl::string_view name, absl::string_view value) {
  metaindex_.emplace_back(name, value);
}

std::string TableAssembler::Finish(const BlockShape& index_shape) {
  Footer footer;
  footer.metaindex = AddBlock(EncodeBlock(metaindex_));
  footer.index = AddBlock(EncodeBlock(index_, index_shape));
  return absl::StrCat(bytes_, footer.Encode());
}

}  // namespace sstable::test
