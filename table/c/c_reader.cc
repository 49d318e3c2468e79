#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "sstable/block_cache.h"
#include "sstable/c.h"
#include "sstable/check.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/c/c_support.h"
#include "table/table_internals.h"
#include "util/status_util.h"

struct sstable_reader_options {
  sstable::TableReaderOptions options;
  int key_kind = SSTABLE_PLAIN_KEYS;
  int verify = SSTABLE_VERIFY_FIRST_TOUCH;
  sstable::FileAccess file_access = sstable::FileAccess::kMap;
};

struct sstable_reader {
  std::shared_ptr<const sstable::TableReader> reader;  // shared with iterators
  std::optional<std::string> filter_policy;
};

struct sstable_iterator {
  std::shared_ptr<const sstable::TableReader> reader;
  std::unique_ptr<sstable::TableIterator> entries;  // none at first and after a failure
  // Of what emptied `entries`. Takes no memory, which may be what is missing.
  sstable_code failure = SSTABLE_OK;
  const char* failure_message = "";
};

namespace sstable {
namespace {

static_assert(SSTABLE_MAX_SEQUENCE == kMaxSequence);
static_assert(SSTABLE_VERIFY_FIRST_TOUCH == static_cast<int>(VerifyChecksums::kFirstTouch));
static_assert(SSTABLE_VERIFY_ALWAYS == static_cast<int>(VerifyChecksums::kAlways));
static_assert(SSTABLE_VERIFY_NEVER == static_cast<int>(VerifyChecksums::kNever));

absl::StatusOr<std::unique_ptr<sstable_reader>> OpenReader(const sstable_reader_options& from,
                                                           std::unique_ptr<RandomAccessFile> file) {
  TableReaderOptions options = from.options;
  ASSIGN_OR_RETURN(options.key_kind, ToEnum(from.key_kind, KeyKind::kInternal, "key kind"));
  ASSIGN_OR_RETURN(options.verify_checksums,
                   ToEnum(from.verify, VerifyChecksums::kNever, "verify"));
  auto reader = std::make_unique<sstable_reader>();
  ASSIGN_OR_RETURN(reader->reader, TableReader::Open(options, std::move(file)));
  const Metaindex::Filter filter = MetaindexOf(*reader->reader).FindFilter(options.filter_policies);
  if (filter.block != nullptr) reader->filter_policy = absl::CHexEscape(filter.policy_name);
  return reader;
}

absl::Status Find(const sstable_reader* reader, const void* key, size_t key_size,
                  std::optional<uint64_t> snapshot, int* presence, char** value,
                  size_t* value_size) {
  RETURN_IF_ERROR(NotNull(reader, "reader"));
  RETURN_IF_ERROR(NotNull(presence, "presence"));
  RETURN_IF_ERROR(NotNull(value, "value"));
  RETURN_IF_ERROR(NotNull(value_size, "value_size"));
  ASSIGN_OR_RETURN(const absl::string_view key_bytes, Bytes(key, key_size, "key"));
  if (snapshot.has_value() && KeyOrderOf(*reader->reader).kind() == KeyKind::kPlain) {
    return absl::FailedPreconditionError(
        absl::StrCat(reader->reader->file().name(),
                     ": a snapshot needs internal keys, but it was opened for plain"));
  }
  std::string found;
  ASSIGN_OR_RETURN(const Presence answer,
                   reader->reader->Find(key_bytes, &found, snapshot.value_or(kMaxSequence)));
  switch (answer) {
    case Presence::kAbsent:
      *presence = SSTABLE_ABSENT;
      break;
    case Presence::kDeleted:
      *presence = SSTABLE_DELETED;
      break;
    case Presence::kFound:
      *value = CopyForC(found);
      if (*value == nullptr) return absl::ResourceExhaustedError(kNoMemory);
      *value_size = found.size();
      *presence = SSTABLE_FOUND;
      break;
  }
  return absl::OkStatus();
}

sstable_code Get(const sstable_reader* reader, const void* key, size_t key_size,
                 std::optional<uint64_t> snapshot, int* presence, char** value, size_t* value_size,
                 char** message) {
  if (presence != nullptr) *presence = SSTABLE_ABSENT;
  if (value != nullptr) *value = nullptr;
  if (value_size != nullptr) *value_size = 0;
  return Guard(message,
               [&] { return Find(reader, key, key_size, snapshot, presence, value, value_size); });
}

// The problems of a table in a line.
absl::Status Summary(const CheckReport& report, absl::string_view file) {
  if (report.ok()) return absl::OkStatus();
  const CheckProblem& first = report.problems.front();
  return absl::DataLossError(absl::StrCat(file, ": ", first.place, ": ", first.message));
}

void Fail(sstable_iterator* iterator, sstable_code code, const char* message) {
  iterator->entries.reset();
  iterator->failure = code;
  iterator->failure_message = message;
}

// Moves by `move`. If memory ran out on the way, the iterator starts anew at the next seek.
template <typename Function>
void Move(sstable_iterator* iterator, Function move) {
  try {
    if (iterator->entries == nullptr) iterator->entries = iterator->reader->NewIterator();
    move(iterator->entries.get());
  } catch (const std::bad_alloc&) {
    Fail(iterator, SSTABLE_RESOURCE_EXHAUSTED, kNoMemory);
  } catch (const std::exception&) {
    Fail(iterator, SSTABLE_UNKNOWN, "the iterator could not move");
  }
}

// Never null, since an array of no bytes isn't either in most languages.
const char* View(absl::string_view bytes, size_t* size) {
  if (size != nullptr) *size = bytes.size();
  return bytes.data() != nullptr ? bytes.data() : "";
}

const char* NoView(size_t* size) {
  if (size != nullptr) *size = 0;
  return nullptr;
}

}  // namespace
}  // namespace sstable

using sstable::Bytes;
using sstable::Fail;
using sstable::Get;
using sstable::Give;
using sstable::Guard;
using sstable::Move;
using sstable::NewOrNull;
using sstable::NotNull;
using sstable::NoView;
using sstable::OpenReader;
using sstable::Report;
using sstable::Summary;
using sstable::TableIterator;
using sstable::View;

// ---- Reader ----------------------------------------------------------------------------------

sstable_reader_options* sstable_reader_options_create(void) {
  return NewOrNull<sstable_reader_options>();
}

void sstable_reader_options_destroy(sstable_reader_options* options) { delete options; }

void sstable_reader_options_set_key_kind(sstable_reader_options* options, int key_kind) {
  options->key_kind = key_kind;
}

void sstable_reader_options_set_verify(sstable_reader_options* options, int verify) {
  options->verify = verify;
}

void sstable_reader_options_set_use_filter(sstable_reader_options* options, int use_filter) {
  options->options.use_filter = use_filter != 0;
}

void sstable_reader_options_set_max_uncompressed_block_size(sstable_reader_options* options,
                                                            uint64_t max_bytes) {
  options->options.max_uncompressed_block_size.reset();
  if (max_bytes > 0) options->options.max_uncompressed_block_size = max_bytes;
}

sstable_code sstable_reader_options_set_block_cache(sstable_reader_options* options,
                                                    size_t capacity, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(options, "options"));
    options->options.block_cache =
        capacity == 0 ? nullptr : std::make_shared<sstable::BlockCache>(capacity);
    return absl::OkStatus();
  });
}

void sstable_reader_options_set_map_file(sstable_reader_options* options, int map_file) {
  options->file_access = map_file != 0 ? sstable::FileAccess::kMap : sstable::FileAccess::kRead;
}

sstable_code sstable_reader_open(const sstable_reader_options* options, const char* path,
                                 sstable_reader** reader, char** message) {
  if (reader != nullptr) *reader = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(path, "path"));
    const sstable_reader_options from = options == nullptr ? sstable_reader_options() : *options;
    ASSIGN_OR_RETURN(std::unique_ptr<sstable::RandomAccessFile> file,
                     sstable::OpenFile(path, from.file_access));
    return Give(OpenReader(from, std::move(file)), reader);
  });
}

sstable_code sstable_reader_open_memory(const sstable_reader_options* options, const void* data,
                                        size_t size, sstable_reader** reader, char** message) {
  if (reader != nullptr) *reader = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    ASSIGN_OR_RETURN(const absl::string_view contents, Bytes(data, size, "data"));
    return Give(OpenReader(options == nullptr ? sstable_reader_options() : *options,
                           sstable::NewMemoryFile(contents)),
                reader);
  });
}

void sstable_reader_destroy(sstable_reader* reader) { delete reader; }

sstable_code sstable_reader_get(const sstable_reader* reader, const void* key, size_t key_size,
                                int* presence, char** value, size_t* value_size, char** message) {
  return Get(reader, key, key_size, std::nullopt, presence, value, value_size, message);
}

sstable_code sstable_reader_get_at(const sstable_reader* reader, const void* key, size_t key_size,
                                   uint64_t snapshot, int* presence, char** value,
                                   size_t* value_size, char** message) {
  return Get(reader, key, key_size, snapshot, presence, value, value_size, message);
}

sstable_code sstable_reader_filter_status(const sstable_reader* reader, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    return reader->reader->filter_status();
  });
}

const char* sstable_reader_filter_policy(const sstable_reader* reader) {
  return reader->filter_policy.has_value() ? reader->filter_policy->c_str() : nullptr;
}

sstable_code sstable_reader_check(const sstable_reader* reader, uint64_t* problem_count,
                                  uint64_t* entry_count, char** message) {
  if (problem_count != nullptr) *problem_count = 0;
  if (entry_count != nullptr) *entry_count = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    sstable::CheckOptions options;
    options.max_problems = 1;
    const sstable::CheckReport report = sstable::CheckTable(*reader->reader, options);
    if (problem_count != nullptr) *problem_count = report.problem_count;
    if (entry_count != nullptr) *entry_count = report.entries;
    return Summary(report, reader->reader->file().name());
  });
}

// ---- Iterator --------------------------------------------------------------------------------

sstable_iterator* sstable_iterator_create(const sstable_reader* reader) {
  if (reader == nullptr) return nullptr;
  sstable_iterator* const iterator = NewOrNull<sstable_iterator>();
  if (iterator != nullptr) iterator->reader = reader->reader;
  return iterator;
}

void sstable_iterator_destroy(sstable_iterator* iterator) { delete iterator; }

int sstable_iterator_valid(const sstable_iterator* iterator) {
  return iterator->entries != nullptr && iterator->entries->Valid();
}

void sstable_iterator_seek_to_first(sstable_iterator* iterator) {
  Move(iterator, [](TableIterator* entries) { entries->SeekToFirst(); });
}

void sstable_iterator_seek_to_last(sstable_iterator* iterator) {
  Move(iterator, [](TableIterator* entries) { entries->SeekToLast(); });
}

void sstable_iterator_seek(sstable_iterator* iterator, const void* key, size_t key_size) {
  if (key == nullptr && key_size > 0)
    return Fail(iterator, SSTABLE_INVALID_ARGUMENT, "key is NULL");
  Move(iterator, [&](TableIterator* entries) {
    entries->Seek(absl::string_view(static_cast<const char*>(key), key_size));
  });
}

void sstable_iterator_next(sstable_iterator* iterator) {
  if (!sstable_iterator_valid(iterator)) return;
  Move(iterator, [](TableIterator* entries) { entries->Next(); });
}

void sstable_iterator_prev(sstable_iterator* iterator) {
  if (!sstable_iterator_valid(iterator)) return;
  Move(iterator, [](TableIterator* entries) { entries->Prev(); });
}

const char* sstable_iterator_key(const sstable_iterator* iterator, size_t* size) {
  if (!sstable_iterator_valid(iterator)) return NoView(size);
  return View(iterator->entries->key(), size);
}

const char* sstable_iterator_value(const sstable_iterator* iterator, size_t* size) {
  if (!sstable_iterator_valid(iterator)) return NoView(size);
  return View(iterator->entries->value(), size);
}

sstable_code sstable_iterator_status(const sstable_iterator* iterator, char** message) {
  if (iterator == nullptr) return Report(NotNull(iterator, "iterator"), message);
  if (iterator->entries == nullptr) {
    return Report(iterator->failure, iterator->failure_message, message);
  }
  return Report(iterator->entries->status(), message);
}
