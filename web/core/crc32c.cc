// Replaces util/crc32c.cc.
#include "util/crc32c.h"

#include "web/core/portable_crc32c.h"

namespace sstable {

uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data) {
  return PortableExtendCrc32c(crc, data);
}

}  // namespace sstable
