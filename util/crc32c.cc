#include "util/crc32c.h"

#include <isa-l/crc.h>

namespace sstable {

uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data) {
  constexpr size_t kMaxCall = size_t{1} << 30;  // crc32_iscsi takes its length as an int
  uint32_t state = ~crc;
  do {
    const absl::string_view part = data.substr(0, kMaxCall);
    // ISA-L only reads, but its prototype has no const.
    auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    state = crc32_iscsi(bytes, static_cast<int>(part.size()), state);
    data.remove_prefix(part.size());
  } while (!data.empty());
  return ~state;
}

}  // namespace sstable
