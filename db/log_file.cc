#include "sstable/experimental/log_file.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "sstable/slice.h"
#include "table/block/file_kind.h"
#include "util/coding.h"
#include "util/log_fragment.h"
#include "util/status_util.h"
#include "util/zeros.h"

namespace sstable {
namespace {

static_assert(kLogHeaderSize == kFragmentHeaderSize);

// Returns true if nothing can be read from `position` on: the rest is too short for a header, all
// zeros, or a fragment that the file's end cuts.
bool IsEnd(absl::string_view block, size_t position, bool is_cut) {
  if (block.size() - position < kLogHeaderSize) return true;
  if (block.find_first_not_of('\0', position) == block.npos) return true;
  const FragmentHeader header = DecodeFragmentHeader(block.substr(position));
  const size_t end = position + kLogHeaderSize + header.payload_size;
  return is_cut && IsFragmentType(header.type) && end > block.size() && end <= kLogBlockSize;
}

// Returns the offset in `block` at which fragments resume after the damaged one at `position`, or
// block.size() if that is uncertain. This is `claimed_end`, where the damaged fragment's size says
// that it ends, or the first offset where two fragments follow each other or one ends with the
// block. (A single one might be part of a value.) `is_cut`: the file's end cuts the block, so a
// fragment may extend beyond it.
size_t FindResumption(absl::string_view block, size_t position, size_t claimed_end, bool is_cut) {
  size_t end = 0, next_end = 0;
  if (claimed_end > position && claimed_end <= block.size() &&
      (IsEnd(block, claimed_end, is_cut) || IsFragmentAt(block, claimed_end, &end))) {
    return claimed_end;
  }
  for (size_t i = position + 1; i + kLogHeaderSize <= block.size(); ++i) {
    if (IsFragmentAt(block, i, &end) &&
        (IsEnd(block, end, is_cut) || IsFragmentAt(block, end, &next_end))) {
      return i;
    }
  }
  return block.size();
}

// Approximate number of bytes appended to the file at once.
constexpr size_t kBufferSize = size_t{1} << 20;

// Number of bytes read at once to find the end of zeros.
constexpr size_t kReadAheadSize = size_t{1} << 20;

absl::Status AppendAndClear(WritableFile& file, std::string* buffer) {
  const absl::Status status = file.Append(*buffer);
  buffer->clear();
  return status;
}

}  // namespace

class LogWriter::Impl {
 public:
  Impl(WritableFile* file, uint64_t file_size)
      : file_(*file), block_offset_(file_size % kLogBlockSize) {}

  absl::Status AddRecord(absl::string_view record);

 private:
  void EncodeFragment(uint8_t type, absl::string_view payload);

  WritableFile& file_;
  size_t block_offset_;  // where the next fragment goes
  std::string buffer_;   // encoded, not yet appended to the file
};

absl::Status LogWriter::Impl::AddRecord(absl::string_view record) {
  for (bool is_first = true, is_last = false; !is_last; is_first = false) {
    size_t room = kLogBlockSize - block_offset_;
    if (room < kLogHeaderSize) {
      buffer_.append(room, '\0');
      block_offset_ = 0;
      room = kLogBlockSize;
    }
    const absl::string_view payload = record.substr(0, room - kLogHeaderSize);
    record.remove_prefix(payload.size());
    is_last = record.empty();
    EncodeFragment(static_cast<uint8_t>(is_first && is_last ? FragmentType::kFull
                                        : is_first          ? FragmentType::kFirst
                                        : is_last           ? FragmentType::kLast
                                                            : FragmentType::kMiddle),
                   payload);
    if (buffer_.size() >= kBufferSize) RETURN_IF_ERROR(AppendAndClear(file_, &buffer_));
  }
  return AppendAndClear(file_, &buffer_);
}

void LogWriter::Impl::EncodeFragment(uint8_t type, absl::string_view payload) {
  AppendFixed32(&buffer_, FragmentCrc(type, payload));
  buffer_.push_back(static_cast<char>(payload.size() & 0xff));
  buffer_.push_back(static_cast<char>(payload.size() >> 8));
  buffer_.push_back(static_cast<char>(type));
  buffer_.append(payload.data(), payload.size());
  block_offset_ += kLogHeaderSize + payload.size();
}

class LogReader::Impl {
 public:
  Impl(const RandomAccessFile* file, const LogReaderOptions& options)
      : file_(*file), options_(options) {}

  bool Next();

  // LogReader's methods return these.
  absl::string_view record;
  uint64_t record_offset = 0;  // start of the record that has begun, or of the current one
  std::vector<LogDrop> damage;
  uint64_t drop_count = 0, dropped_size = 0;
  std::optional<LogDrop> torn_end;
  absl::Status status;

 private:
  enum class Found { kFragment, kDamage, kEnd };
  struct Fragment {
    uint8_t type = 0;
    uint64_t offset = 0;  // where its header starts in the file
    uint64_t end = 0;     // where its payload ends
    absl::string_view payload;
  };

  // Reads the fragment at the current position and moves past it, or past what was dropped.
  Found ReadFragment(Fragment* fragment);
  Found ReadZeros();
  // Adds a fragment to the record; true if the record is complete.
  bool AddFragment(const Fragment& fragment);
  bool ReadBlock();
  // Ends reading: the file is torn from the current position on, and so is the record that has
  // begun, if any.
  Found EndTorn(absl::string_view message);
  // Drops the bytes at the current position, and the record that has begun, if any. `claimed_end`
  // is the offset in the block where the damaged fragment's size says that it ends.
  Found DropDamage(size_t claimed_end, absl::string_view message);
  // Drops the damage up to `resumption` in the block.
  Found DropUntil(size_t resumption, absl::string_view message);
  void Drop(uint64_t offset, uint64_t end, absl::string_view message);
  // Drops the fragments of a record that has no end.
  void DropBegun();

  uint64_t offset() const { return block_start_ + position_; }
  void NameOtherFile();
  bool IsLastBlock() const { return block_start_ + block_.size() == file_.size(); }

  const RandomAccessFile& file_;
  const LogReaderOptions options_;
  std::string block_;
  uint64_t block_start_ = 0;  // in the file
  size_t position_ = 0;       // in block_
  uint64_t zeros_end_ = 0;    // end of the last zeros found
  bool is_at_end_ = false;
  bool has_record_ = false;  // a record was read

  bool has_begun_ = false;  // there is a first fragment, but not yet a last one
  std::string fragments_;   // payloads of a record in several fragments
  uint64_t begun_end_ = 0;  // end of the last fragment of the record that has begun
  uint64_t last_drop_end_ = 0;
};

bool LogReader::Impl::Next() {
  record = {};
  fragments_.clear();
  Fragment fragment;
  while (!is_at_end_) {
    const Found found = ReadFragment(&fragment);
    if (found == Found::kFragment && AddFragment(fragment)) return has_record_ = true;
  }
  if (!has_record_) NameOtherFile();
  return false;
}

// If the file is of another kind, replaces the damage found so far by that single error.
void LogReader::Impl::NameOtherFile() {
  has_record_ = true;  // check only once
  if (!status.ok() || (drop_count == 0 && !torn_end.has_value())) return;
  absl::Status kind = ExplainByKind(file_, FileKind::kLog, absl::DataLossError(""));
  if (absl::IsDataLoss(kind)) return;
  status = std::move(kind);
  damage.clear();
  drop_count = dropped_size = 0;
  torn_end.reset();
}

bool LogReader::Impl::AddFragment(const Fragment& fragment) {
  const auto type = static_cast<FragmentType>(fragment.type);
  if (type == FragmentType::kFull || type == FragmentType::kFirst) {
    DropBegun();
    record_offset = fragment.offset;
    if (type == FragmentType::kFull) {
      record = fragment.payload;
      return true;
    }
    has_begun_ = true;
    fragments_.clear();
  } else if (!has_begun_) {
    Drop(fragment.offset, fragment.end, "part of a record whose start is missing");
    return false;
  }
  fragments_.append(fragment.payload.data(), fragment.payload.size());
  begun_end_ = fragment.end;
  if (type != FragmentType::kLast) return false;
  has_begun_ = false;
  record = fragments_;
  return true;
}

LogReader::Impl::Found LogReader::Impl::ReadFragment(Fragment* fragment) {
  while (block_.size() - position_ < kLogHeaderSize) {  // the rest of a block is padding
    if (IsLastBlock()) {
      const bool is_header_cut = position_ < block_.size() && block_.size() < kLogBlockSize;
      return EndTorn(is_header_cut ? "the file ends within a record's header"
                                   : "the file ends within a record");
    }
    if (!ReadBlock()) return Found::kEnd;
  }
  const FragmentHeader header = DecodeFragmentHeader(absl::string_view(block_).substr(position_));
  const absl::string_view rest = absl::string_view(block_).substr(position_ + kLogHeaderSize);
  const size_t claimed_end = position_ + kLogHeaderSize + header.payload_size;
  if (header.type == 0 && header.payload_size == 0) return ReadZeros();
  if (header.payload_size > rest.size()) {
    // The end of the file cuts the fragment, unless its size is wrong.
    const bool is_cut = block_.size() < kLogBlockSize && claimed_end <= kLogBlockSize;
    if (is_cut && FindResumption(block_, position_, claimed_end, true) == block_.size()) {
      return EndTorn(absl::StrFormat("the file ends within a record: %d of %d bytes are there",
                                     rest.size(), header.payload_size));
    }
    return DropDamage(claimed_end,
                      absl::StrFormat("record size is %d, with %d bytes left in the block",
                                      header.payload_size, rest.size()));
  }
  const absl::string_view payload = rest.substr(0, header.payload_size);
  const uint32_t crc = FragmentCrc(header.type, payload);
  if (crc != header.stored_crc) {
    return DropDamage(claimed_end, absl::StrFormat("checksum stored 0x%08x, computed 0x%08x",
                                                   header.stored_crc, crc));
  }
  if (header.type > static_cast<uint8_t>(FragmentType::kLast) || header.type == 0) {
    // The checksum is right, so the size is, too, and the next fragment follows there.
    return DropUntil(claimed_end,
                     absl::StrCat("record type is ", header.type, ", expected 1 to 4"));
  }
  *fragment = {header.type, offset(), block_start_ + claimed_end, payload};
  position_ = claimed_end;
  return Found::kFragment;
}

// Zeros up to the end of the file were preallocated and never overwritten. Zeros before other bytes
// have replaced records.
LogReader::Impl::Found LogReader::Impl::ReadZeros() {
  if (!AllZeros(absl::string_view(block_).substr(position_))) {
    return DropDamage(position_, "zeros instead of a record");
  }
  uint64_t end = std::max(zeros_end_, block_start_ + block_.size());
  std::string next;
  while (zeros_end_ < end && end < file_.size()) {
    next.resize(std::min<uint64_t>(kReadAheadSize, file_.size() - end));
    if (!file_.Read(end, next.size(), &next[0]).ok()) break;  // a later read returns the error
    const size_t zeros = LeadingZeros(next);
    end += zeros;
    if (zeros < next.size()) break;
  }
  zeros_end_ = end;
  if (end == file_.size()) return EndTorn("zeros to the end of the file");
  return DropDamage(block_.size(), "zeros instead of a record");
}

bool LogReader::Impl::ReadBlock() {
  block_start_ += block_.size();
  position_ = 0;
  block_.resize(std::min<uint64_t>(kLogBlockSize, file_.size() - block_start_));
  status = file_.Read(block_start_, block_.size(), &block_[0]);
  if (status.ok()) return true;
  status = AtPlace(absl::StrCat(file_.name(), ": at offset ", block_start_), status);
  block_.clear();
  is_at_end_ = true;
  return false;
}

LogReader::Impl::Found LogReader::Impl::EndTorn(absl::string_view message) {
  const bool is_padding =
      block_.size() == kLogBlockSize && block_.size() - position_ < kLogHeaderSize;
  if (has_begun_ || (position_ < block_.size() && !is_padding)) {
    const uint64_t start = has_begun_ ? record_offset : offset();
    torn_end = LogDrop{start, file_.size() - start, std::string(message)};
  }
  has_begun_ = false;
  is_at_end_ = true;
  return Found::kEnd;
}

LogReader::Impl::Found LogReader::Impl::DropDamage(size_t claimed_end, absl::string_view message) {
  return DropUntil(options_.resume_within_block ? FindResumption(block_, position_, claimed_end,
                                                                 block_.size() < kLogBlockSize)
                                                : block_.size(),
                   message);
}

LogReader::Impl::Found LogReader::Impl::DropUntil(size_t resumption, absl::string_view message) {
  const uint64_t start = has_begun_ ? record_offset : offset();
  const uint64_t end = block_start_ + resumption;
  if (has_begun_) {
    Drop(start, end, absl::StrCat(message, ", in the fragment at offset ", offset()));
  } else {
    Drop(start, end, message);
  }
  has_begun_ = false;
  position_ = resumption;
  return Found::kDamage;
}

void LogReader::Impl::DropBegun() {
  // LevelDB once wrote an empty first fragment before a complete record.
  if (has_begun_ && !fragments_.empty()) Drop(record_offset, begun_end_, "a record without an end");
  has_begun_ = false;
}

void LogReader::Impl::Drop(uint64_t offset, uint64_t end, absl::string_view message) {
  dropped_size += end - offset;
  const bool is_neighbour = drop_count > 0 && offset - last_drop_end_ < kLogHeaderSize;
  last_drop_end_ = end;
  if (is_neighbour) {
    if (drop_count <= kMaxDrops) damage.back().size = end - damage.back().offset;
    return;
  }
  ++drop_count;
  if (damage.size() < kMaxDrops) damage.push_back({offset, end - offset, std::string(message)});
}

LogWriter::LogWriter(WritableFile* file, uint64_t file_size)
    : impl_(std::make_unique<Impl>(file, file_size)) {}
LogWriter::~LogWriter() = default;
absl::Status LogWriter::AddRecord(Slice record) { return impl_->AddRecord(record); }

LogReader::LogReader(const RandomAccessFile* file, const LogReaderOptions& options)
    : impl_(std::make_unique<Impl>(file, options)) {}
LogReader::~LogReader() = default;
bool LogReader::Next() { return impl_->Next(); }
absl::string_view LogReader::record() const { return impl_->record; }
uint64_t LogReader::record_offset() const { return impl_->record_offset; }
const std::vector<LogDrop>& LogReader::damage() const { return impl_->damage; }
uint64_t LogReader::drop_count() const { return impl_->drop_count; }
uint64_t LogReader::dropped_size() const { return impl_->dropped_size; }
const std::optional<LogDrop>& LogReader::torn_end() const { return impl_->torn_end; }
const absl::Status& LogReader::status() const { return impl_->status; }

}  // namespace sstable
