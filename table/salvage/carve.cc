// A CRC is linear: if S(i) is its register after the first i bytes of the file, its register for
// bytes s to e alone is S(e) ^ A^(e-s) (S(s) ^ ~0), where A is the effect of a zero byte. So bytes
// s to e have the checksum c if and only if
//
//     A^-s (S(s) ^ ~0)  ==  A^-e (S(e) ^ ~c)
//
// The left side depends only on the start, the right side only on the end. Starts are stored in a
// hash table by their side, and each end is looked up there.
#include "table/salvage/carve.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "sstable/filter_block.h"
#include "util/coding.h"
#include "util/crc32c.h"

namespace sstable {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;        // CRC-32C, lowest bit first
constexpr size_t kMinBlockSize = sizeof(uint32_t);  // a block has at least its restart count
constexpr uint32_t kOne = 0x80000000;               // the polynomial 1, lowest bit first

constexpr std::array<uint32_t, 256> MakeByteTable() {
  std::array<uint32_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (kPolynomial & (0 - (crc & 1)));
    table[byte] = crc;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kByteTable = MakeByteTable();

// For StepBack(): the index of the entry of kByteTable that has this high byte.
constexpr std::array<uint8_t, 256> MakeInverseTable() {
  std::array<uint8_t, 256> table = {};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    table[kByteTable[byte] >> 24] = static_cast<uint8_t>(byte);
  }
  return table;
}
constexpr std::array<uint8_t, 256> kInverseTable = MakeInverseTable();

uint32_t StepCrc(uint32_t crc, uint8_t byte) {
  return kByteTable[(crc ^ byte) & 0xff] ^ (crc >> 8);
}

// A^-1.
uint32_t StepBack(uint32_t value) {
  const uint8_t byte = kInverseTable[value >> 24];
  return (value ^ kByteTable[byte]) << 8 | byte;
}

uint32_t Multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (; a != 0; a <<= 1) {
    product ^= b & (0 - (a >> 31));
    b = (b >> 1) ^ (kPolynomial & (0 - (b & 1)));
  }
  return product;
}

uint8_t ByteAt(const char* p, size_t i) { return static_cast<uint8_t>(p[i]); }

// Returns true if the three sizes of a first entry are at `p`: its key shares nothing.
bool MayStartRaw(const char* p, uint64_t left) {
  if (*p != 0) return false;
  if (DecodeFixed64(p) == 0) return false;  // keys ascend, so only the first can be empty
  uint32_t unshared = 0, value_size = 0;
  const char* const limit = p + 1 + 2 * kMaxVarint32Size;
  const char* q = DecodeVarint32(p + 1, limit, &unshared);
  if (q == nullptr || (q = DecodeVarint32(q, limit, &value_size)) == nullptr) return false;
  return uint64_t{unshared} + value_size <= left;
}

// varint32 uncompressed size, then a literal that starts with the first byte of a raw block, 0, and
// is no longer than that size.
bool MayStartSnappy(const char* p) {
  uint32_t size = 0;
  const char* q = DecodeVarint32(p, p + kMaxVarint32Size, &size);
  if (q == nullptr || size < kMinBlockSize || (*q & 3) != 0) return false;
  // The literal's size - 1, or 59 + the number of bytes that hold it.
  const uint32_t length = ByteAt(q, 0) >> 2;
  if (length < 60) return q[1] == 0 && length < size;
  return q[length - 58] == 0;
}

// Returns true if the code of code lengths is complete (RFC 1951, section 3.2.7).
bool HasCompleteCode(const char* p) {
  const uint64_t low = DecodeFixed64(p), high = DecodeFixed64(p + 4);
  if (((low >> 3) & 31) > 29 || ((low >> 8) & 31) > 29) return false;
  const int count = static_cast<int>((low >> 13) & 15) + 4;
  int sum = 0;
  for (int i = 0; i < count; ++i) {
    const int bit = 17 + 3 * i;
    const int length = static_cast<int>((bit + 3 <= 60 ? low >> bit : high >> (bit - 32)) & 7);
    if (length != 0) sum += 128 >> length;
  }
  return sum == 128;
}

// Returns true for a block of any of deflate's three kinds. If its first output byte can be seen,
// it must be 0.
bool MayStartDeflate(const char* p) {
  switch ((ByteAt(p, 0) >> 1) & 3) {
    case 0:  // stored: a size and its complement
      return (DecodeFixed32(p + 1) & 0xffff) == (~DecodeFixed32(p + 1) >> 16) && p[5] == 0;
    case 1:  // fixed codes: 0 is encoded as 00110000, highest bit first
      return ((DecodeFixed32(p) >> 3) & 0xff) == 0x0c;
    case 2:
      return HasCompleteCode(p);
    default:
      return false;
  }
}

bool MayStartZlib(const char* p) {
  return (ByteAt(p, 0) & 0x0f) == 8 && (ByteAt(p, 0) * 256 + ByteAt(p, 1)) % 31 == 0;
}

bool MayStartZstd(const char* p) { return DecodeFixed32(p) == 0xfd2fb528; }

// RocksDB stores the uncompressed size before the frame.
bool MayStartSizedZstd(const char* p) {
  uint32_t size = 0;
  const char* const q = DecodeVarint32(p, p + kMaxVarint32Size, &size);
  return q != nullptr && MayStartZstd(q);
}

bool MayStartBzip2(const char* p) { return (DecodeFixed32(p) & 0xffffff) == 0x685a42; }

// fixed64 uncompressed size, then literals that start with the first byte of a raw block, 0.
bool MayStartLz4(const char* p) {
  const uint64_t size = DecodeFixed64(p);
  const int literals = ByteAt(p, 8) >> 4;
  return size >= kMinBlockSize && size >> 32 == 0 && literals > 0 &&
         (literals < 15 ? p[9] == 0 : ByteAt(p, 9) != 255 && p[10] == 0);
}

// Reads up to 20 bytes.
bool MayStartBlock(const char* p, uint64_t left) {
  return MayStartRaw(p, left) || MayStartSnappy(p) || MayStartZstd(p) || MayStartZlib(p) ||
         MayStartDeflate(p) || MayStartLz4(p) || MayStartSizedZstd(p) || MayStartBzip2(p);
}

// Type bytes of all numberings, including codecs that can't be uncompressed.
bool MayBeType(uint8_t byte) { return byte <= 7; }

// Blocks that can't be uncompressed are searched for only at the start of the file and where
// another block ends.
bool MayBeUncompressed(uint8_t type) { return type != 6; }

// Returns true if up to `size` bytes that end at `end` may be a raw block: either they end in
// restart points, the first of which is 0, or they are a filter block.
bool MayEndRaw(const char* end, uint64_t size) {
  const uint64_t array_size = sizeof(uint32_t) * uint64_t{DecodeFixed32(end - sizeof(uint32_t))};
  if (array_size <= size - sizeof(uint32_t) &&
      (array_size == 0 || DecodeFixed32(end - sizeof(uint32_t) - array_size) == 0)) {
    return true;
  }
  return size > sizeof(uint32_t) && ByteAt(end - 1, 0) <= kMaxFilterBaseLg &&
         DecodeFixed32(end - kFilterBlockTailSize) <= size;
}

// The most recent starts, by their side of the equation (see above). If too many have the same
// hash, the oldest are dropped.
class StartTable {
 public:
  static constexpr size_t kWays = 4;

  // Has room for `count` starts, or for the most recent 4 million, since a block ends soon after
  // its start.
  explicit StartTable(uint64_t count) {
    constexpr size_t kMaxSlots = size_t{1} << 22;
    size_t slots = 64;
    while (slots < kMaxSlots && slots < 2 * count) slots *= 2;
    slots_.resize(slots);
    mask_ = slots - kWays;
  }

  void Insert(uint32_t key, uint64_t offset) {
    Slot* const bucket = Bucket(key);
    std::copy_backward(bucket, bucket + kWays - 1, bucket + kWays);
    bucket[0] = {key, static_cast<uint32_t>(offset)};
  }

  // Calls `found` with the offset of each start that has this key. `end` is where the run ends.
  template <typename Found>
  void Find(uint32_t key, uint64_t end, Found found) {
    const Slot* const bucket = Bucket(key);
    for (size_t way = 0; way < kWays; ++way) {
      if (bucket[way].key != key) continue;
      const uint32_t size = static_cast<uint32_t>(end) - bucket[way].offset;  // modulo 2^32
      if (size <= end) found(end - size);
    }
  }

 private:
  struct Slot {
    uint32_t key = 0;
    uint32_t offset = 0;  // its low 32 bits
  };

  Slot* Bucket(uint32_t key) { return &slots_[(key * 0x9e3779b1u >> 8) * kWays & mask_]; }

  std::vector<Slot> slots_;
  size_t mask_;
};

// Returns true if `p`, at offset `i`, is inside zeros, of which damaged files may have megabytes.
bool IsInZeros(const char* p, uint64_t i) {
  return i >= sizeof(uint64_t) && DecodeFixed64(p - sizeof(uint64_t)) == 0 && DecodeFixed32(p) == 0;
}

// Finds all runs with a correct checksum, in the order of their ends.
std::vector<BlockHandle> FindRuns(absl::string_view bytes, std::optional<uint64_t>* stopped_at) {
  const size_t max_runs = 1024 + bytes.size() / (kMinBlockSize + kBlockTrailerSize);
  std::vector<BlockHandle> runs;
  StartTable starts(bytes.size());
  StartTable sure_starts(std::min<uint64_t>(max_runs, 4096));  // where guesses can't displace them
  uint32_t crc = 0;                                            // S(i), from 0
  uint32_t power = kOne;                                       // A^-i
  uint32_t due_start = 1;  // bit n: a block ends at i + n, so another may start there
  for (uint64_t i = 0; i + kBlockTrailerSize - 1 <= bytes.size(); ++i) {
    const char* const p = bytes.data() + i;
    // A possible end: the previous byte is a type byte, the checksum follows.
    if (i > kMinBlockSize && MayBeType(ByteAt(p - 1, 0)) &&
        (p[-1] != 0 || MayEndRaw(p - 1, i - 1)) && !IsInZeros(p, i)) {
      const uint32_t key = Multiply(power, crc ^ ~UnmaskCrc(DecodeFixed32(p)));
      const auto found = [&](uint64_t start) {
        if (i - start < kMinBlockSize + 1) return;
        runs.push_back({start, i - start - 1});
        due_start |= 1 << (kBlockTrailerSize - 1);
      };
      sure_starts.Find(key, i, found);
      if (MayBeUncompressed(ByteAt(p - 1, 0))) starts.Find(key, i, found);
      if (runs.size() > max_runs) {
        *stopped_at = i;
        return runs;
      }
    }
    if ((due_start & 1) != 0) {
      sure_starts.Insert(Multiply(power, ~crc), i);
    } else if (MayStartBlock(p, bytes.size() - i)) {
      starts.Insert(Multiply(power, ~crc), i);
    }
    due_start >>= 1;
    crc = StepCrc(crc, ByteAt(p, 0));
    power = StepBack(power);
  }
  return runs;
}

}  // namespace

CarveResult CarveBlocks(
    absl::string_view bytes,
    absl::FunctionRef<CarveVerdict(const BlockHandle& handle, bool adjacent)> try_block) {
  CarveResult result;
  std::vector<BlockHandle> runs = FindRuns(bytes, &result.stopped_at);
  std::sort(runs.begin(), runs.end(), [](const BlockHandle& a, const BlockHandle& b) {
    return a.offset != b.offset ? a.offset < b.offset : a.size < b.size;
  });
  uint64_t end = 0;  // end of the last block, with its trailer
  for (const BlockHandle& run : runs) {
    if (run.offset < end) continue;
    switch (try_block(run, /*adjacent=*/run.offset == end)) {
      case CarveVerdict::kBlock:
        result.blocks.push_back(run);
        end = run.offset + run.size + kBlockTrailerSize;
        break;
      case CarveVerdict::kNoBlock:
        break;
      case CarveVerdict::kStop:
        result.stopped_at = std::min(result.stopped_at.value_or(run.offset), run.offset);
        return result;
    }
  }
  return result;
}

}  // namespace sstable
