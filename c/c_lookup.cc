#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "c/column_writer.h"
#include "sstable/c.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace sstable {
namespace {

static_assert(SSTABLE_MAX_SEQUENCE == kMaxSequence);

unsigned char PresenceForC(Presence presence) {
  switch (presence) {
    case Presence::kAbsent:
      return SSTABLE_ABSENT;
    case Presence::kDeleted:
      return SSTABLE_DELETED;
    case Presence::kFound:
      break;
  }
  return SSTABLE_FOUND;
}

// Looks up a key by calling `find`, which returns a StatusOr<Presence> and sets the value. `name`
// is the name of the parameter `source`.
template <typename Function>
sstable_code Get(absl::string_view name, const void* source, const void* key, size_t key_size,
                 int* presence, char** value, size_t* value_size, char** message, Function find) {
  if (presence != nullptr) *presence = SSTABLE_ABSENT;
  if (value != nullptr) *value = nullptr;
  if (value_size != nullptr) *value_size = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(source, name));
    RETURN_IF_ERROR(NotNull(presence, "presence"));
    RETURN_IF_ERROR(NotNull(value, "value"));
    RETURN_IF_ERROR(NotNull(value_size, "value_size"));
    ASSIGN_OR_RETURN(const absl::string_view key_bytes, Bytes(key, key_size, "key"));
    std::string found;
    ASSIGN_OR_RETURN(const Presence answer, find(key_bytes, &found));
    if (answer == Presence::kFound) {
      *value = CopyForC(found);
      if (*value == nullptr) return absl::ResourceExhaustedError(kNoMemory);
      *value_size = found.size();
    }
    *presence = PresenceForC(answer);
    return absl::OkStatus();
  });
}

// Keys looked up at a time. The memory for their values is reused and stays in the CPU's cache.
constexpr size_t kBatchSize = 256;

// Appends the results of lookups to the columns.
absl::Status AppendFound(absl::Span<const LookupRequest> requests, unsigned char* presences,
                         ColumnWriter* values) {
  size_t size = 0;
  for (const LookupRequest& request : requests) {
    RETURN_IF_ERROR(request.presence.status());
    if (*request.presence == Presence::kFound) size += request.value->size();
  }
  if (!values->Reserve(requests.size(), size)) return absl::ResourceExhaustedError(kNoMemory);
  for (const LookupRequest& request : requests) {
    if (presences != nullptr) *presences++ = PresenceForC(*request.presence);
    *request.presence == Presence::kFound ? values->Append(*request.value) : values->AppendNone();
  }
  return absl::OkStatus();
}

// Looks up keys in batches by calling `look_up`, which sets the presence of each request.
template <typename Function>
sstable_code GetMany(absl::string_view name, const void* source, size_t count, const void* keys,
                     const size_t* key_sizes, unsigned char* presences, sstable_column* values,
                     char** message, Function look_up) {
  const auto clear = [values] {
    values->data = nullptr;
    values->capacity = values->size = 0;
  };
  if (values != nullptr) clear();
  const sstable_code code = Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(source, name));
    RETURN_IF_ERROR(NotNull(values, "values"));
    RETURN_IF_ERROR(ColumnWriter::Check(values));
    ASSIGN_OR_RETURN(ItemsOfC key_items, ItemsOfC::Make(count, keys, key_sizes, "key"));
    std::vector<LookupRequest> requests(std::min(count, kBatchSize));
    std::vector<std::string> found(requests.size());
    ColumnWriter writer(values);
    if (!writer.Reserve(0, 0)) return absl::ResourceExhaustedError(kNoMemory);
    for (size_t done = 0; done < count; done += kBatchSize) {
      requests.resize(std::min(count - done, kBatchSize));
      for (size_t i = 0; i < requests.size(); ++i) {
        requests[i].key = key_items.Next();
        requests[i].value = &found[i];
      }
      look_up(absl::MakeSpan(requests));
      RETURN_IF_ERROR(
          AppendFound(requests, presences == nullptr ? nullptr : presences + done, &writer));
    }
    writer.Finish();
    return absl::OkStatus();
  });
  if (code != SSTABLE_OK && values != nullptr) {
    std::free(values->data);
    clear();
  }
  return code;
}

}  // namespace
}  // namespace sstable

using sstable::Get;
using sstable::GetMany;
using sstable::LookupRequest;
using sstable::Presence;

sstable_code sstable_reader_get(const sstable_reader* reader, const void* key, size_t key_size,
                                int* presence, char** value, size_t* value_size, char** message) {
  return Get("reader", reader, key, key_size, presence, value, value_size, message,
             [&](absl::string_view bytes, std::string* found) {
               return reader->reader->Get(bytes, found);
             });
}

sstable_code sstable_reader_get_at(const sstable_reader* reader, const void* key, size_t key_size,
                                   uint64_t snapshot, int* presence, char** value,
                                   size_t* value_size, char** message) {
  return Get("reader", reader, key, key_size, presence, value, value_size, message,
             [&](absl::string_view bytes, std::string* found) -> absl::StatusOr<Presence> {
               RETURN_IF_ERROR(sstable::NeedInternalKeys(*reader->reader));
               return reader->reader->Get(bytes, found, {snapshot});
             });
}

sstable_code sstable_database_get(const sstable_database* database, const void* key,
                                  size_t key_size, uint64_t snapshot, int* presence, char** value,
                                  size_t* value_size, char** message) {
  return Get("database", database, key, key_size, presence, value, value_size, message,
             [&](absl::string_view bytes, std::string* found) {
               sstable::ViewReadOptions options;
               options.snapshot = snapshot;
               return database->view->Get(bytes, found, options);
             });
}

sstable_code sstable_reader_get_many(const sstable_reader* reader, size_t count, const void* keys,
                                     const size_t* key_sizes, uint64_t snapshot,
                                     unsigned char* presences, sstable_column* values,
                                     char** message) {
  return GetMany(
      "reader", reader, count, keys, key_sizes, presences, values, message,
      [&](absl::Span<LookupRequest> requests) { reader->reader->MultiGet(requests, {snapshot}); });
}

sstable_code sstable_database_get_many(const sstable_database* database, size_t count,
                                       const void* keys, const size_t* key_sizes, uint64_t snapshot,
                                       unsigned char* presences, sstable_column* values,
                                       char** message) {
  return GetMany("database", database, count, keys, key_sizes, presences, values, message,
                 [&](absl::Span<LookupRequest> requests) {
                   sstable::ViewReadOptions options;
                   options.snapshot = snapshot;
                   database->view->MultiGet(requests, options);
                 });
}
