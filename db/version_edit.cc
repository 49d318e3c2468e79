// An edit is a sequence of fields: a varint32 tag, then data that depends on the tag.
#include "absl/strings/str_cat.h"
#include "db/field_reader.h"
#include "sstable/database_files.h"
#include "sstable/internal_key.h"
#include "sstable/slice.h"
#include "util/coding.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Part of the file format. 8 was once used for large values.
enum Tag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactPointer = 5,
  kDeletedFile = 6,
  kNewFile = 7,
  kPreviousLogNumber = 9,
  kFirstForeignTag = 100,  // RocksDB and Pebble use higher ones
};

void AppendSized(std::string* dst, absl::string_view bytes) {
  AppendVarint64(dst, bytes.size());
  dst->append(bytes.data(), bytes.size());
}

void AppendNumber(std::string* dst, Tag tag, const std::optional<uint64_t>& number) {
  if (!number.has_value()) return;
  AppendVarint64(dst, tag);
  AppendVarint64(dst, *number);
}

void AppendLevel(std::string* dst, Tag tag, int level) {
  AppendVarint64(dst, tag);
  AppendVarint64(dst, static_cast<uint64_t>(level));
}

absl::Status ReadNumber(FieldReader* fields, absl::string_view field,
                        std::optional<uint64_t>* number) {
  return fields->ReadVarint64(field, &number->emplace());
}

absl::Status ReadLevel(FieldReader* fields, int* level) {
  uint32_t value = 0;
  RETURN_IF_ERROR(fields->ReadVarint32("level", &value));
  if (value > kMaxLevel) {
    return fields->Error(absl::StrCat("level is ", value, ", expected at most ", kMaxLevel));
  }
  *level = static_cast<int>(value);
  return absl::OkStatus();
}

absl::Status ReadInternalKey(FieldReader* fields, absl::string_view field, std::string* key) {
  absl::string_view bytes;
  RETURN_IF_ERROR(fields->ReadSized(field, &bytes));
  if (bytes.size() < kTagSize) {
    return fields->Error(absl::StrCat(field, " has ", bytes.size(),
                                      " bytes, expected an internal key of at least ", kTagSize));
  }
  key->assign(bytes.data(), bytes.size());
  return absl::OkStatus();
}

absl::Status ReadNewFile(FieldReader* fields, VersionEdit* edit) {
  TableFile file;
  RETURN_IF_ERROR(ReadLevel(fields, &file.level));
  RETURN_IF_ERROR(fields->ReadVarint64("number of a new file", &file.number));
  RETURN_IF_ERROR(fields->ReadVarint64("size of a new file", &file.size));
  RETURN_IF_ERROR(ReadInternalKey(fields, "smallest key", &file.smallest));
  RETURN_IF_ERROR(ReadInternalKey(fields, "largest key", &file.largest));
  edit->new_files.push_back(std::move(file));
  return absl::OkStatus();
}

absl::Status ReadField(uint32_t tag, FieldReader* fields, VersionEdit* edit) {
  switch (tag) {
    case kComparator: {
      absl::string_view name;
      RETURN_IF_ERROR(fields->ReadSized("comparator", &name));
      edit->comparator = std::string(name);
      return absl::OkStatus();
    }
    case kLogNumber:
      return ReadNumber(fields, "log number", &edit->log_number);
    case kPreviousLogNumber:
      return ReadNumber(fields, "previous log number", &edit->previous_log_number);
    case kNextFileNumber:
      return ReadNumber(fields, "next file number", &edit->next_file_number);
    case kLastSequence:
      return ReadNumber(fields, "last sequence", &edit->last_sequence);
    case kCompactPointer: {
      auto& [level, key] = edit->compact_pointers.emplace_back();
      RETURN_IF_ERROR(ReadLevel(fields, &level));
      return ReadInternalKey(fields, "compact pointer", &key);
    }
    case kDeletedFile: {
      auto& [level, number] = edit->deleted_files.emplace_back();
      RETURN_IF_ERROR(ReadLevel(fields, &level));
      return fields->ReadVarint64("number of a deleted file", &number);
    }
    default:
      return ReadNewFile(fields, edit);
  }
}

}  // namespace

std::string VersionEdit::Encode() const {
  std::string bytes;
  if (comparator.has_value()) {
    AppendVarint64(&bytes, kComparator);
    AppendSized(&bytes, *comparator);
  }
  AppendNumber(&bytes, kLogNumber, log_number);
  AppendNumber(&bytes, kPreviousLogNumber, previous_log_number);
  AppendNumber(&bytes, kNextFileNumber, next_file_number);
  AppendNumber(&bytes, kLastSequence, last_sequence);
  for (const auto& [level, key] : compact_pointers) {
    AppendLevel(&bytes, kCompactPointer, level);
    AppendSized(&bytes, key);
  }
  for (const auto& [level, number] : deleted_files) {
    AppendLevel(&bytes, kDeletedFile, level);
    AppendVarint64(&bytes, number);
  }
  for (const TableFile& file : new_files) {
    AppendLevel(&bytes, kNewFile, file.level);
    AppendVarint64(&bytes, file.number);
    AppendVarint64(&bytes, file.size);
    AppendSized(&bytes, file.smallest);
    AppendSized(&bytes, file.largest);
  }
  return bytes;
}

absl::StatusOr<VersionEdit> VersionEdit::Decode(Slice bytes) {
  FieldReader fields("version edit", bytes);
  VersionEdit edit;
  while (!fields.empty()) {
    FieldReader after_tag = fields;
    uint32_t tag = 0;
    RETURN_IF_ERROR(after_tag.ReadVarint32("tag", &tag));
    if (tag >= kFirstForeignTag) {
      return absl::UnimplementedError(absl::StrCat("version edit, offset ", fields.offset(),
                                                   ": tag ", tag,
                                                   " is RocksDB's or Pebble's, not LevelDB's"));
    }
    if (tag < kComparator || tag > kPreviousLogNumber || tag == 8) {
      return fields.Error(absl::StrCat("unknown tag ", tag));
    }
    fields = after_tag;
    RETURN_IF_ERROR(ReadField(tag, &fields, &edit));
  }
  return edit;
}

absl::Status VersionState::Apply(const VersionEdit& edit) {
  if (edit.comparator.has_value() && !comparator.empty() && *edit.comparator != comparator) {
    return absl::DataLossError(absl::StrCat("version edit has comparator ",
                                            ShowBytes(*edit.comparator), ", an earlier one has ",
                                            ShowBytes(comparator)));
  }
  if (edit.comparator.has_value()) comparator = *edit.comparator;
  if (edit.log_number.has_value()) log_number = edit.log_number;
  if (edit.previous_log_number.has_value()) previous_log_number = *edit.previous_log_number;
  if (edit.next_file_number.has_value()) next_file_number = edit.next_file_number;
  if (edit.last_sequence.has_value()) last_sequence = edit.last_sequence;
  for (const auto& [level, key] : edit.compact_pointers) compact_pointers[level] = key;
  for (const auto& [level, number] : edit.deleted_files) {
    tables.erase({level, number});
    dropped.insert(number);
  }
  for (const TableFile& file : edit.new_files) {
    tables[{file.level, file.number}] = file;
    dropped.erase(file.number);
  }
  return absl::OkStatus();
}

VersionEdit VersionState::Snapshot() const {
  VersionEdit edit;
  edit.comparator = comparator;
  edit.log_number = log_number;
  edit.previous_log_number = previous_log_number;
  edit.next_file_number = next_file_number;
  edit.last_sequence = last_sequence;
  edit.compact_pointers.assign(compact_pointers.begin(), compact_pointers.end());
  for (const auto& [place, file] : tables) edit.new_files.push_back(file);
  return edit;
}

}  // namespace sstable
