#include "benchmarks/mtbl_rival.h"

#include <mtbl.h>

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "benchmarks/require.h"

namespace sstable::bench {
namespace {

const uint8_t* BytesOf(absl::string_view bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// A non-virtual iterator like those of the other libraries, so that a scan loops over this class.
class MtblIterator {
 public:
  explicit MtblIterator(const mtbl_source* source) : source_(source) {}
  ~MtblIterator() { mtbl_iter_destroy(&it_); }
  MtblIterator(const MtblIterator&) = delete;
  MtblIterator& operator=(const MtblIterator&) = delete;

  struct Status {
    bool ok() const { return true; }  // after an error, mtbl ends the process
  };

  bool Valid() const { return is_valid_; }
  void SeekToFirst() {
    mtbl_iter_destroy(&it_);
    it_ = mtbl_source_iter(source_);
    Next();
  }
  void SeekToLast() { Fail("mtbl has no iteration backward"); }
  void Seek(absl::string_view target) {
    if (it_ == nullptr) it_ = mtbl_source_iter(source_);
    if (mtbl_iter_seek(it_, BytesOf(target), target.size()) == mtbl_res_success) return Next();
    is_valid_ = false;
  }
  void Next() {
    const uint8_t *key, *value;
    size_t key_size, value_size;
    is_valid_ = mtbl_iter_next(it_, &key, &key_size, &value, &value_size) == mtbl_res_success;
    if (!is_valid_) return;
    key_ = {reinterpret_cast<const char*>(key), key_size};
    value_ = {reinterpret_cast<const char*>(value), value_size};
  }
  void Prev() { SeekToLast(); }
  absl::string_view key() const { return key_; }
  absl::string_view value() const { return value_; }
  Status status() const { return {}; }

 private:
  const mtbl_source* source_;
  mtbl_iter* it_ = nullptr;
  bool is_valid_ = false;
  absl::string_view key_, value_;
};

}  // namespace

void MtblTable::Fill(const std::string& path, const Entries& entries, Codec codec) {
  mtbl_writer_options* options = mtbl_writer_options_init();
  mtbl_writer_options_set_compression(
      options, codec == Codec::kSnappy ? MTBL_COMPRESSION_SNAPPY : MTBL_COMPRESSION_NONE);
  mtbl_writer* writer = mtbl_writer_init(path.c_str(), options);
  mtbl_writer_options_destroy(&options);
  Require(writer != nullptr, "mtbl creates " + path);
  for (size_t i = 0; i < entries.size(); ++i) {
    const absl::string_view key = entries.key(i), value = entries.value(i);
    Require(mtbl_writer_add(writer, BytesOf(key), key.size(), BytesOf(value), value.size()) ==
                mtbl_res_success,
            absl::StrCat("mtbl adds to ", path));
  }
  mtbl_writer_destroy(&writer);
}

MtblTable::MtblTable(const std::string& path) : reader_(mtbl_reader_init(path.c_str(), nullptr)) {
  Require(reader_ != nullptr, "mtbl opens " + path);
}

MtblTable::~MtblTable() { mtbl_reader_destroy(&reader_); }

bool MtblTable::Get(absl::string_view key, std::string* value) {
  mtbl_iter* it = mtbl_source_get(mtbl_reader_source(reader_), BytesOf(key), key.size());
  const uint8_t *found_key, *found;
  size_t key_size, size;
  const bool is_found =
      mtbl_iter_next(it, &found_key, &key_size, &found, &size) == mtbl_res_success;
  if (is_found) value->assign(reinterpret_cast<const char*>(found), size);
  mtbl_iter_destroy(&it);
  return is_found;
}

std::unique_ptr<Cursor> MtblTable::NewCursor() const {
  return std::make_unique<CursorOver<MtblIterator, absl::string_view>>(
      std::make_unique<MtblIterator>(mtbl_reader_source(reader_)));
}

}  // namespace sstable::bench
