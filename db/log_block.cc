// A fragment is fixed32 masked crc32c of type and payload, fixed16 payload size, type byte,
// payload.
#include "db/log_block.h"

#include "sstable/log_file.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable {
namespace {

bool IsKnownType(uint8_t type) {
  return type >= static_cast<uint8_t>(FragmentType::kFull) &&
         type <= static_cast<uint8_t>(FragmentType::kLast);
}

// Whether there is nothing after `position`, too little for a header, nothing but zeros, or, if the
// block is cut, a fragment that reaches beyond the cut.
bool IsEnd(absl::string_view block, size_t position, bool is_cut) {
  if (block.size() - position < kLogHeaderSize) return true;
  if (block.find_first_not_of('\0', position) == block.npos) return true;
  const FragmentHeader header = DecodeFragmentHeader(block.substr(position));
  const size_t end = position + kLogHeaderSize + header.payload_size;
  return is_cut && IsKnownType(header.type) && end > block.size() && end <= kLogBlockSize;
}

}  // namespace

FragmentHeader DecodeFragmentHeader(absl::string_view bytes) {
  const auto byte_at = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  return {DecodeFixed32(bytes.data()), size_t{byte_at(4)} | size_t{byte_at(5)} << 8, byte_at(6)};
}

uint32_t FragmentCrc(uint8_t type, absl::string_view payload) {
  const char type_byte = static_cast<char>(type);
  return MaskCrc(ExtendCrc32c(Crc32c(absl::string_view(&type_byte, 1)), payload));
}

bool IsFragmentAt(absl::string_view block, size_t position, size_t* end) {
  if (position > block.size() || block.size() - position < kLogHeaderSize) return false;
  const FragmentHeader header = DecodeFragmentHeader(block.substr(position));
  const absl::string_view rest = block.substr(position + kLogHeaderSize);
  if (!IsKnownType(header.type) || header.payload_size > rest.size()) return false;
  *end = position + kLogHeaderSize + header.payload_size;
  return FragmentCrc(header.type, rest.substr(0, header.payload_size)) == header.stored_crc;
}

size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut) {
  size_t end = 0, next_end = 0;
  if (claimed_end > position && claimed_end <= block.size() &&
      (IsEnd(block, claimed_end, is_cut) || IsFragmentAt(block, claimed_end, &end))) {
    return claimed_end;
  }
  for (size_t i = position + 1; i + kLogHeaderSize <= block.size(); ++i) {
    if (IsFragmentAt(block, i, &end) &&
        (IsEnd(block, end, is_cut) || IsFragmentAt(block, end, &next_end))) {
      return i;
    }
  }
  return block.size();
}

}  // namespace sstable
