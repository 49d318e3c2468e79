#include "tests/table/block/codec_samples.h"

#include <bzlib.h>
#include <lz4.h>
#include <lz4hc.h>
#include <snappy.h>
#include <zstd.h>

#include <cstdlib>
#include <random>

#include "absl/strings/str_cat.h"
#include "util/coding.h"

namespace sstable::test {
namespace {

std::string SizedLz4(absl::string_view raw, absl::string_view block) {
  std::string stored;
  AppendFixed64(&stored, raw.size());
  return absl::StrCat(stored, block);
}

}  // namespace

std::string Noise(size_t size) {
  std::mt19937 random(1);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string Text() {
  std::mt19937 random(2);
  std::string text;
  while (text.size() < 50000) absl::StrAppend(&text, "word", random() % 1000, " ");
  text.resize(50000);
  return text;
}

std::string Snappy(absl::string_view raw) {
  std::string stored;
  snappy::Compress(raw.data(), raw.size(), &stored);
  return stored;
}

std::string Zstd(absl::string_view raw, bool with_size) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_size ? 1 : 0);
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(ZSTD_compress2(context, &stored[0], stored.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(context);
  return stored;
}

std::string Bzip2(absl::string_view raw) {
  std::string stored(raw.size() + raw.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(stored.size());
  if (BZ2_bzBuffToBuffCompress(&stored[0], &size, const_cast<char*>(raw.data()),
                               static_cast<unsigned>(raw.size()), 1, 0, 0) != BZ_OK) {
    std::abort();
  }
  stored.resize(size);
  return stored;
}

std::string Lz4(absl::string_view raw) {
  std::string block(LZ4_compressBound(static_cast<int>(raw.size())), '\0');
  block.resize(LZ4_compress_default(raw.data(), &block[0], static_cast<int>(raw.size()),
                                    static_cast<int>(block.size())));
  return SizedLz4(raw, block);
}

std::string Lz4Hc(absl::string_view raw) {
  std::string block(LZ4_compressBound(static_cast<int>(raw.size())), '\0');
  block.resize(LZ4_compress_HC(raw.data(), &block[0], static_cast<int>(raw.size()),
                               static_cast<int>(block.size()), LZ4HC_CLEVEL_DEFAULT));
  return SizedLz4(raw, block);
}

std::string SizedZstd(absl::string_view raw) {
  std::string stored;
  AppendVarint64(&stored, raw.size());
  return stored + Zstd(raw);
}

}  // namespace sstable::test
