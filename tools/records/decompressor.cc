#include "tools/records/decompressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <climits>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace sstable::tools {
namespace {

class GzipDecompressor final : public Decompressor {
 public:
  GzipDecompressor() { is_open_ = ::inflateInit2(&stream_, kOnlyGzip) == Z_OK; }
  ~GzipDecompressor() override {
    if (is_open_) ::inflateEnd(&stream_);
  }

  absl::StatusOr<size_t> Run(absl::string_view* input, char* dst, size_t size) override {
    if (!is_open_) return absl::ResourceExhaustedError("no memory for zlib");
    if (at_end_ && !input->empty()) {
      ::inflateReset(&stream_);
      at_end_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input->data()));
    stream_.avail_in = static_cast<uInt>(std::min<size_t>(input->size(), UINT_MAX));
    stream_.next_out = reinterpret_cast<Bytef*>(dst);
    stream_.avail_out = static_cast<uInt>(std::min<size_t>(size, UINT_MAX));
    const uInt room = stream_.avail_out;
    const uInt before = stream_.avail_in;
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    input->remove_prefix(before - stream_.avail_in);
    at_end_ = at_end_ || result == Z_STREAM_END;
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) {
      return absl::DataLossError(
          absl::StrCat("damaged gzip: ", stream_.msg == nullptr ? "error" : stream_.msg));
    }
    return room - stream_.avail_out;
  }
  bool at_end() const override { return at_end_; }

 private:
  static constexpr int kOnlyGzip = 15 + 16;  // for inflateInit2()

  z_stream stream_ = {};
  bool is_open_ = false;
  bool at_end_ = false;
};

class ZstdDecompressor final : public Decompressor {
 public:
  ~ZstdDecompressor() override { ::ZSTD_freeDStream(stream_); }

  absl::StatusOr<size_t> Run(absl::string_view* input, char* dst, size_t size) override {
    if (stream_ == nullptr) return absl::ResourceExhaustedError("no memory for zstd");
    ZSTD_inBuffer in = {input->data(), input->size(), 0};
    ZSTD_outBuffer out = {dst, size, 0};
    const size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
    if (::ZSTD_isError(result) != 0) {
      return absl::DataLossError(absl::StrCat("damaged zstd: ", ::ZSTD_getErrorName(result)));
    }
    // Without input, the result is for the next frame.
    if (in.pos > 0 || out.pos > 0) at_end_ = result == 0;
    input->remove_prefix(in.pos);
    return out.pos;
  }
  bool at_end() const override { return at_end_; }

 private:
  ZSTD_DStream* const stream_ = ::ZSTD_createDStream();
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<Decompressor> Decompressor::ForMagic(absl::string_view start) {
  if (absl::StartsWith(start, "\x1f\x8b\x08")) return std::make_unique<GzipDecompressor>();
  if (absl::StartsWith(start, "\x28\xb5\x2f\xfd")) return std::make_unique<ZstdDecompressor>();
  return nullptr;
}

}  // namespace sstable::tools
