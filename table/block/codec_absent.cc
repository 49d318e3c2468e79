// Stands in for the codecs that a build leaves out: CMakeLists.txt defines SSTABLE_WITHOUT_ZSTD
// instead of compiling codec_zstd.cc, and so on.
#include "table/block/codec.h"

#define ABSENT_DECODER(Name, name, option)                                        \
  absl::Status Uncompress##Name(absl::string_view, uint64_t, ByteBuffer*) {       \
    return absl::UnimplementedError(name                                          \
                                    ": this build of the library was configured " \
                                    "with -DSSTABLE_WITH_" option "=OFF");        \
  }
#define ABSENT_ENCODER(Name) \
  std::unique_ptr<BlockEncoder> New##Name##Encoder(int) { return nullptr; }

namespace sstable {

#ifdef SSTABLE_WITHOUT_SNAPPY
ABSENT_DECODER(Snappy, "snappy", "SNAPPY")
ABSENT_ENCODER(Snappy)
#endif

#ifdef SSTABLE_WITHOUT_ZSTD
ABSENT_DECODER(Zstd, "zstd", "ZSTD")
ABSENT_ENCODER(Zstd)
#endif

#ifdef SSTABLE_WITHOUT_ZLIB
ABSENT_DECODER(Zlib, "zlib", "ZLIB")
ABSENT_ENCODER(Zlib)
ABSENT_DECODER(RawDeflate, "raw deflate", "ZLIB")
ABSENT_ENCODER(RawDeflate)
#endif

#ifdef SSTABLE_WITHOUT_LZ4
ABSENT_DECODER(Lz4, "lz4", "LZ4")
#endif

#ifdef SSTABLE_WITHOUT_BZIP2
ABSENT_DECODER(Bzip2, "bzip2", "BZIP2")
#endif

}  // namespace sstable
