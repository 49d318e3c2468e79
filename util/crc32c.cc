#include "util/crc32c.h"

#ifdef SSTABLE_WITHOUT_ISAL

#include "util/portable_crc32c.h"

namespace sstable {

uint32_t ExtendCrc32c(uint32_t crc, absl::string_view data) {
  return PortableExtendCrc32c(crc, data);
}

}  // namespace sstable

#else

#include <isa-l/crc.h>

namespace sstable {
namespace {

// ISA-L's AVX-512 loop does not clear the upper parts of the vector registers, as the calling
// convention requires. SSE code that this thread then runs has to preserve them, and waits for the
// instructions that wrote them: a scan took six times as long on an Emerald Rapids. Source: Intel
// 64 and IA-32 Architectures Optimization Reference Manual, "Mixing AVX Code with SSE Code".
#ifdef __x86_64__
__attribute__((target("avx"))) void ZeroUpperParts() { __builtin_ia32_vzeroupper(); }
void LeaveUpperPartsEmpty() {
  if (__builtin_cpu_supports("avx")) ZeroUpperParts();
}
#else
void LeaveUpperPartsEmpty() {}
#endif

}  // namespace

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
  LeaveUpperPartsEmpty();
  return ~state;
}

}  // namespace sstable

#endif  // SSTABLE_WITHOUT_ISAL
