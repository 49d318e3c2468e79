#include <bzlib.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "table/block/codec.h"

namespace sstable {
namespace {

constexpr size_t kMaxInput = std::numeric_limits<unsigned>::max();

}  // namespace

absl::Status UncompressBzip2(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  if (stored.size() > kMaxInput) {
    return absl::UnimplementedError("bzip2: block of more than 4 GiB");
  }
  bz_stream stream = {};
  if (BZ2_bzDecompressInit(&stream, /*verbosity=*/0, /*small=*/0) != BZ_OK) {
    return absl::ResourceExhaustedError("bzip2: no memory for a decoder");
  }
  const std::unique_ptr<bz_stream, decltype(&BZ2_bzDecompressEnd)> end(&stream,
                                                                       &BZ2_bzDecompressEnd);
  stream.next_in = const_cast<char*>(stored.data());  // bzip2 does not write there
  stream.avail_in = static_cast<unsigned>(stored.size());
  while (true) {
    const size_t room = std::min(ReserveNextChunk(max_size, out), kMaxInput);
    stream.next_out = out->data() + out->size();
    stream.avail_out = static_cast<unsigned>(room);
    const int result = BZ2_bzDecompress(&stream);
    const bool is_full = stream.avail_out == 0;
    out->SetSize(out->size() + (room - stream.avail_out));
    if (out->size() > max_size) return TooLarge("bzip2", out->size(), max_size);
    if (result == BZ_STREAM_END) break;
    if (result == BZ_MEM_ERROR) {
      return absl::ResourceExhaustedError("bzip2: no memory for a decoder");
    }
    if (result != BZ_OK) return absl::DataLossError("bzip2: the compressed bytes are malformed");
    if (stream.avail_in == 0 && !is_full) {
      return absl::DataLossError("bzip2: the stream is cut short");
    }
  }
  if (stream.avail_in != 0) return absl::DataLossError("bzip2: bytes follow the stream");
  return absl::OkStatus();
}

}  // namespace sstable
