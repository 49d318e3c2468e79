#include <zstd.h>

#include <new>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "table/block/codec.h"

namespace sstable {
namespace {

class ZstdEncoder final : public BlockEncoder {
 public:
  explicit ZstdEncoder(int level) : context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
  }

  bool Encode(absl::string_view raw, size_t limit, ByteBuffer* out) override {
    const size_t bound = ZSTD_compressBound(raw.size());
    const size_t size =
        ZSTD_compress2(context_.get(), out->Reserve(bound), bound, raw.data(), raw.size());
    if (ZSTD_isError(size)) return false;
    out->SetSize(size);
    return size < limit;
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  std::unique_ptr<ZSTD_CCtx, Free> context_;
};

}  // namespace

std::unique_ptr<BlockEncoder> NewZstdEncoder(int level) {
  return std::make_unique<ZstdEncoder>(level);
}

absl::Status UncompressZstd(absl::string_view stored, uint64_t max_size, ByteBuffer* out) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR) return absl::DataLossError("zstd: no valid frame header");
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed > max_size) {
    return TooLarge("zstd", claimed, max_size);
  }
  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  if (context == nullptr) return absl::ResourceExhaustedError("zstd: no memory for a context");
  ZSTD_DCtx_reset(context.get(), ZSTD_reset_session_only);

  // The output grows in chunks, since a small frame may claim a large size and hold little.
  ZSTD_inBuffer input = {stored.data(), stored.size(), 0};
  while (true) {
    const size_t room = ReserveNextChunk(max_size, out);
    ZSTD_outBuffer output = {out->data() + out->size(), room, 0};
    const size_t result = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(result)) {
      return absl::DataLossError(absl::StrCat("zstd: ", ZSTD_getErrorName(result)));
    }
    out->SetSize(out->size() + output.pos);
    if (out->size() > max_size) return TooLarge("zstd", out->size(), max_size);
    if (result == 0) break;
    if (output.pos < room && input.pos == input.size) {
      return absl::DataLossError("zstd: the frame is cut short");
    }
  }
  if (input.pos != input.size) return absl::DataLossError("zstd: bytes follow the frame");
  // The decoder does not check this if the last block is empty.
  if (claimed != ZSTD_CONTENTSIZE_UNKNOWN && claimed != out->size()) {
    return absl::DataLossError(
        absl::StrFormat("zstd: the frame claims %d bytes and has %d", claimed, out->size()));
  }
  return absl::OkStatus();
}

}  // namespace sstable
