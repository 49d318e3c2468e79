#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"
#include "util/status_util.h"

struct sstable_reader_options {
  sstable::TableReaderOptions options;
  int key_kind = SSTABLE_PLAIN_KEYS;
  int verify = SSTABLE_VERIFY_FIRST_TOUCH;
  sstable::FileAccess file_access = sstable::FileAccess::kMap;
};

namespace sstable {
namespace {

static_assert(SSTABLE_VERIFY_FIRST_TOUCH == static_cast<int>(VerifyChecksums::kFirstTouch));
static_assert(SSTABLE_VERIFY_ALWAYS == static_cast<int>(VerifyChecksums::kAlways));
static_assert(SSTABLE_VERIFY_NEVER == static_cast<int>(VerifyChecksums::kNever));

static_assert(SSTABLE_GUESS_KEYS == static_cast<int>(KeyKind::kInternal) + 1);

// Guesses the kind of keys; plain if the table shows no evidence of another, or can't be read.
KeyKind GuessKeyKind(const TableReader& reader) {
  const absl::StatusOr<TableKeys> keys = ResolveKeys(reader);
  return keys.ok() ? keys->key_kind : KeyKind::kPlain;
}

// May call `open_file` twice, since a reader can't be switched to another kind of keys.
absl::StatusOr<std::unique_ptr<sstable_reader>> OpenReader(
    const sstable_reader_options& from,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<RandomAccessFile>>()> open_file) {
  TableReaderOptions options = from.options;
  const bool guess = from.key_kind == SSTABLE_GUESS_KEYS;
  if (!guess) {
    ASSIGN_OR_RETURN(options.key_kind, ToEnum(from.key_kind, KeyKind::kInternal, "key kind"));
  }
  ASSIGN_OR_RETURN(options.verify_checksums,
                   ToEnum(from.verify, VerifyChecksums::kNever, "verify"));
  auto reader = std::make_unique<sstable_reader>();
  const auto open = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, open_file());
    ASSIGN_OR_RETURN(reader->reader, TableReader::Open(std::move(file), options));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(open());
  if (guess && GuessKeyKind(*reader->reader) == KeyKind::kInternal) {
    options.key_kind = KeyKind::kInternal;
    RETURN_IF_ERROR(open());
  }
  const Metaindex::Filter filter = MetaindexOf(*reader->reader).FindFilter(options.filter_policies);
  if (filter.block != nullptr) reader->filter_policy = absl::CHexEscape(filter.policy_name);
  return reader;
}

}  // namespace
}  // namespace sstable

using sstable::Bytes;
using sstable::Give;
using sstable::Guard;
using sstable::NewOrNull;
using sstable::NotNull;
using sstable::OpenReader;

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

void sstable_reader_options_set_max_work(sstable_reader_options* options, uint32_t max_work) {
  options->options.max_work.reset();
  if (max_work > 0) options->options.max_work = max_work;
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
    return Give(OpenReader(from, [&] { return sstable::OpenFile(path, from.file_access); }),
                reader);
  });
}

sstable_code sstable_reader_open_memory(const sstable_reader_options* options, const void* data,
                                        size_t size, sstable_reader** reader, char** message) {
  if (reader != nullptr) *reader = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    ASSIGN_OR_RETURN(const absl::string_view contents, Bytes(data, size, "data"));
    return Give(OpenReader(options == nullptr ? sstable_reader_options() : *options,
                           [&]() -> absl::StatusOr<std::unique_ptr<sstable::RandomAccessFile>> {
                             return sstable::NewMemoryFile(contents);
                           }),
                reader);
  });
}

void sstable_reader_destroy(sstable_reader* reader) { delete reader; }

sstable_code sstable_reader_skip_damage(sstable_reader* reader, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    if (reader->skipped == nullptr) reader->skipped = std::make_shared<sstable::SkippedDamage>();
    return absl::OkStatus();
  });
}

sstable_code sstable_reader_skipped(const sstable_reader* reader, sstable_problems** problems,
                                    char** message) {
  if (problems != nullptr) *problems = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(problems, "problems"));
    auto found = std::make_unique<sstable_problems>();
    if (reader->skipped != nullptr) {
      for (const sstable::DatabaseProblem& problem : reader->skipped->problems()) {
        found->list.push_back({problem.message, problem.offset.value_or(0), problem.is_damage});
      }
    }
    found->total = found->list.size();
    *problems = found.release();
    return absl::OkStatus();
  });
}

int sstable_reader_key_kind(const sstable_reader* reader) {
  return static_cast<int>(sstable::KeyOrderOf(*reader->reader).kind());
}

sstable_code sstable_reader_filter_status(const sstable_reader* reader, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    return reader->reader->LoadFilter();
  });
}

const char* sstable_reader_filter_policy(const sstable_reader* reader) {
  return reader->filter_policy.has_value() ? reader->filter_policy->c_str() : nullptr;
}
