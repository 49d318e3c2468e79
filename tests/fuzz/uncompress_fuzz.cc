// Uncompresses a stream. The first byte of the input chooses type byte and numbering.
#include <string>
#include <vector>

#include "table/block/compression.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_bytes.h"
#include "util/bytes.h"

namespace sstable::fuzz {

constexpr uint64_t kMaxSize = 1 << 20;

std::vector<std::string> Seeds() {
  const std::string text = "to be or not to be, that is to be the question" + std::string(500, '.');
  std::vector<std::string> seeds;
  for (const Compression compression :
       {Compression::kSnappy, Compression::kZstd, Compression::kZlib, Compression::kRawDeflate}) {
    BlockCompressor compressor(compression, 1);
    const auto stored = compressor.Compress(text);
    Require(stored.has_value(), "text can be compressed");
    seeds.push_back(std::string(1, static_cast<char>(TypeByte(compression))) +
                    std::string(*stored));
  }
  // "aaaaaaaa" as raw deflate, and as a zlib stream.
  const std::string deflate("\x4b\x84\x01\x00", 4);
  seeds.push_back("\x04" + deflate);
  seeds.push_back("\x02\x78\x9c" + deflate + "\x0e\xfc\x03\x09");
  seeds.push_back("\x82\x78\x9c" + deflate + "\x0e\xfc\x03\x09");
  // "aaaaaaaa" as LZ4 and as bzip2, with RocksDB's type bytes in both numberings.
  const std::string lz4(
      "\x08\0\0\0\0\0\0\0\x80"
      "aaaaaaaa",
      17);
  const std::string bzip2(
      "BZh1\x31\x41\x59\x26\x53\x59\x60\x95\xee\x95\x00\x00\x02\x41\x00\x04\x00\x20\x00\x20\x00\x21"
      "\x00\x82\x0b\x17\x72\x45\x38\x50\x90\x60\x95\xee\x95",
      39);
  for (const char* types : {"\x03\x04", "\x83\x84"}) {
    seeds.push_back(types[0] + bzip2);
    seeds.push_back(types[1] + lz4);
  }
  return seeds;
}

}  // namespace sstable::fuzz

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sstable;
  fuzz::FuzzBytes bytes(fuzz::View(data, size));
  const uint8_t choice = bytes.Byte();
  const auto dialect =
      (choice & 0x80) != 0 ? CompressionNumbering::kRocksDb : CompressionNumbering::kLevelDb;
  const uint8_t type = choice & 0x7;
  ByteBuffer out;
  const absl::Status status = Uncompress(type, bytes.rest(), dialect, fuzz::kMaxSize, &out);
  if (!status.ok() || type == 0) return 0;
  fuzz::Require(out.size() <= fuzz::kMaxSize, "the limit holds");
  // A limit below the uncompressed size must be enforced; a limit equal to it must have no effect.
  ByteBuffer again;
  fuzz::RequireOk(Uncompress(type, bytes.rest(), dialect, out.size(), &again));
  fuzz::Require(again.view() == out.view(), "the same again");
  if (out.size() > 0) {
    fuzz::Require(!Uncompress(type, bytes.rest(), dialect, out.size() - 1, &again).ok(),
                  "a block above the limit is refused");
  }
  return 0;
}
