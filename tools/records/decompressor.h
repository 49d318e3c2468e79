// Uncompresses text as it is read: gzip (RFC 1952) and Zstandard (RFC 8878).
#ifndef SSTABLE_TOOLS_RECORDS_DECOMPRESSOR_H_
#define SSTABLE_TOOLS_RECORDS_DECOMPRESSOR_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace sstable::tools {

class Decompressor {
 public:
  static constexpr size_t kMagicSize = 4;  // bytes that show the format

  virtual ~Decompressor() = default;

  // Returns null if `start`, the first bytes of an input, is of neither format.
  static std::unique_ptr<Decompressor> ForMagic(absl::string_view start);

  // Uncompresses from `*input`, from which it removes what was used, into the `size` bytes at
  // `dst`. Returns how many it wrote: 0 if it needs more input. Streams may follow one another.
  // Errors: DataLoss.
  virtual absl::StatusOr<size_t> Run(absl::string_view* input, char* dst, size_t size) = 0;

  // True at the end of a stream, where the input may end, too.
  virtual bool at_end() const = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORDS_DECOMPRESSOR_H_
