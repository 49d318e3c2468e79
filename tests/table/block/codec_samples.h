// Bytes to compress, and what the libraries of the codecs make of bytes. Deflate() is in
// tests/support/deflate.h.
#ifndef SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
#define SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Does not compress.
std::string Noise(size_t size);

// Compresses, but not too well: 50,000 bytes.
std::string Text();

std::string Snappy(absl::string_view raw);
std::string Zstd(absl::string_view raw, bool with_size = true);
std::string Bzip2(absl::string_view raw);

// An LZ4 block after its size as a fixed64, as RocksDB's format version 0 has it.
std::string Lz4(absl::string_view raw);
std::string Lz4Hc(absl::string_view raw);

// A frame of zstd after the size of what it holds, as RocksDB has it.
std::string SizedZstd(absl::string_view raw);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_TABLE_BLOCK_CODEC_SAMPLES_H_
