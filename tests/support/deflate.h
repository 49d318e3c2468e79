// Compresses with zlib itself.
#ifndef SSTABLE_TESTS_SUPPORT_DEFLATE_H_
#define SSTABLE_TESTS_SUPPORT_DEFLATE_H_

#include <zlib.h>

#include <cstdlib>
#include <string>

#include "absl/strings/string_view.h"

namespace sstable::test {

// Returns `raw` as a complete stream, even if that is larger. `window_bits` is zlib's: 15 for a
// zlib stream, -15 for raw deflate.
inline std::string Deflate(absl::string_view raw, int window_bits,
                           int level = Z_DEFAULT_COMPRESSION) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    std::abort();
  }
  std::string stored(deflateBound(&stream, raw.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
  stream.avail_in = static_cast<uInt>(raw.size());
  stream.next_out = reinterpret_cast<Bytef*>(&stored[0]);
  stream.avail_out = static_cast<uInt>(stored.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  stored.resize(stream.total_out);
  deflateEnd(&stream);
  return stored;
}

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_DEFLATE_H_
