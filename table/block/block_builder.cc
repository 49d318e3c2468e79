#include "table/block/block_builder.h"

#include "util/coding.h"

namespace sstable {

size_t BlockBuilder::Finish() {
  const size_t array_size = sizeof(uint32_t) * restarts_.size();
  char* p = out_->Reserve(array_size + sizeof(uint32_t));
  for (size_t i = 0; i < restarts_.size(); ++i)
    EncodeFixed32(p + sizeof(uint32_t) * i, restarts_[i]);
  EncodeFixed32(p + array_size, static_cast<uint32_t>(restarts_.size()));
  out_->SetSize(out_->size() + array_size + sizeof(uint32_t));
  return start_;
}

}  // namespace sstable
