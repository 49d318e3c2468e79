// Bytes to compress, and the output of the codecs' libraries. Deflate() is in
// tests/support/deflate.h.
#ifndef SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
#define SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Incompressible bytes.
std::string Noise(size_t size);

// 50,000 bytes that compress, but not too well.
std::string Text();

std::string Snappy(absl::string_view raw);
std::string Zstd(absl::string_view raw, bool with_size = true);
std::string Bzip2(absl::string_view raw);

// An LZ4 block after its size as a fixed64, as in RocksDB's format version 0.
std::string Lz4(absl::string_view raw);
std::string Lz4Hc(absl::string_view raw);

// A zstd frame after the size of its contents, as in RocksDB.
std::string SizedZstd(absl::string_view raw);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
