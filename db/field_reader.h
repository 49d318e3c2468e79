// Removes fields from the front of a byte string; errors name the offset of the field.
#ifndef SSTABLE_DB_FIELD_READER_H_
#define SSTABLE_DB_FIELD_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "util/coding.h"

namespace sstable {

// Errors: DataLoss, "`what`, offset N: ...", if the bytes end within a field.
// Views are into the bytes passed to the constructor.
class FieldReader {
 public:
  FieldReader(absl::string_view what, absl::string_view bytes)
      : what_(what), size_(bytes.size()), rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  size_t offset() const { return size_ - rest_.size(); }
  void Skip(size_t size) { rest_.remove_prefix(size); }  // requires that many bytes

  absl::Status ReadByte(absl::string_view field, uint8_t* value) {
    if (rest_.empty()) return Cut(field);
    *value = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return absl::OkStatus();
  }
  absl::Status ReadVarint32(absl::string_view field, uint32_t* value) {
    return ConsumeVarint32(&rest_, value) ? absl::OkStatus() : Cut(field);
  }
  absl::Status ReadVarint64(absl::string_view field, uint64_t* value) {
    return ConsumeVarint64(&rest_, value) ? absl::OkStatus() : Cut(field);
  }
  // Reads a varint32 size and that many bytes.
  absl::Status ReadSized(absl::string_view field, absl::string_view* bytes) {
    uint32_t size = 0;
    absl::string_view rest = rest_;
    if (!ConsumeVarint32(&rest, &size)) return Cut(field);
    if (size > rest.size()) {
      return Error(absl::StrCat(field, " has ", size, " bytes, with ", rest.size(), " left"));
    }
    *bytes = rest.substr(0, size);
    rest_ = rest.substr(size);
    return absl::OkStatus();
  }

  // Returns an error for the current offset.
  absl::Status Error(absl::string_view message) const {
    return absl::DataLossError(absl::StrCat(what_, ", offset ", offset(), ": ", message));
  }

 private:
  absl::Status Cut(absl::string_view field) const {
    return Error(absl::StrCat(field, " is cut short or not a varint"));
  }

  absl::string_view what_;
  size_t size_;
  absl::string_view rest_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_FIELD_READER_H_
