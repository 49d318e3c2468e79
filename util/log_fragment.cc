// A fragment is fixed32 masked crc32c of type and payload, fixed16 payload size, type byte,
// payload.
#include "util/log_fragment.h"

#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable {

bool IsFragmentType(uint8_t type) {
  return type >= static_cast<uint8_t>(FragmentType::kFull) &&
         type <= static_cast<uint8_t>(FragmentType::kLast);
}

FragmentHeader DecodeFragmentHeader(absl::string_view bytes) {
  const auto byte_at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  return {DecodeFixed32(bytes.data()), size_t{byte_at(4)} | size_t{byte_at(5)} << 8, byte_at(6)};
}

uint32_t FragmentCrc(uint8_t type, absl::string_view payload) {
  const char type_byte = static_cast<char>(type);
  return MaskCrc(ExtendCrc32c(Crc32c(absl::string_view(&type_byte, 1)), payload));
}

bool IsFragmentAt(absl::string_view block, size_t position, size_t* end) {
  if (position > block.size() || block.size() - position < kFragmentHeaderSize) return false;
  const FragmentHeader header = DecodeFragmentHeader(block.substr(position));
  const absl::string_view rest = block.substr(position + kFragmentHeaderSize);
  if (!IsFragmentType(header.type) || header.payload_size > rest.size()) return false;
  *end = position + kFragmentHeaderSize + header.payload_size;
  return FragmentCrc(header.type, rest.substr(0, header.payload_size)) == header.stored_crc;
}

}  // namespace sstable
