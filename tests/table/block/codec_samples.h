// Bytes to compress, and compressors that use the codecs' own libraries. Deflate() is in
// tests/support/deflate.h.
#ifndef SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
#define SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Returns incompressible bytes.
std::string Noise(size_t size);

// Returns 50,000 bytes that compress moderately.
std::string Text();

std::string Snappy(absl::string_view raw);
std::string Zstd(absl::string_view raw, bool with_size = true);
std::string Bzip2(absl::string_view raw);

// Returns the size as a fixed64, then an LZ4 block, as in RocksDB's format version 0.
std::string Lz4(absl::string_view raw);
std::string Lz4Hc(absl::string_view raw);

// Returns the uncompressed size as a varint, then a zstd frame, as in RocksDB.
std::string SizedZstd(absl::string_view raw);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
