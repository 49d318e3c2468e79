// What a database's tables say, each read by itself.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/check.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

namespace sstable {
namespace {

absl::StatusOr<std::unique_ptr<TableReader>> OpenTable(const DatabaseView& view,
                                                       const DatabaseTable& table) {
  if (view.comparator() == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(view.folder(), ": its order, ", view.comparator_name(), ", is not known"));
  }
  TableReaderOptions options;
  options.key_kind = KeyKind::kInternal;
  options.comparator = view.comparator();
  return TableReader::Open(absl::StrCat(view.folder(), "/", table.name), options);
}

// About how many bytes of the table come before `key`.
absl::StatusOr<uint64_t> OffsetOf(const DatabaseView& view, const DatabaseTable& table,
                                  absl::string_view key) {
  const Comparator& order = *view.comparator();
  if (table.smallest.empty() || order.Compare(key, ExtractUserKey(table.smallest)) <= 0) return 0;
  if (order.Compare(key, ExtractUserKey(table.largest)) > 0) return table.size;
  ASSIGN_OR_RETURN(const std::unique_ptr<TableReader> reader, OpenTable(view, table));
  std::string target;
  AppendInternalKey(&target, key, kMaxSequence, ValueType::kValue);
  return reader->ApproximateOffsetOf(target);
}

}  // namespace
}  // namespace sstable

using sstable::Bytes;
using sstable::CheckProblem;
using sstable::CheckReport;
using sstable::DatabaseTable;
using sstable::DatabaseView;
using sstable::Guard;
using sstable::NotNull;

sstable_code sstable_database_check(const sstable_database* database, size_t max_count,
                                    sstable_problems** problems, uint64_t* entry_count,
                                    char** message) {
  if (problems != nullptr) *problems = nullptr;
  if (entry_count != nullptr) *entry_count = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(problems, "problems"));
    const DatabaseView& view = *database->view;
    auto found = std::make_unique<sstable_problems>();
    const auto add = [&](std::string text, uint64_t offset, bool is_damage) {
      ++found->total;
      if (found->list.size() >= max_count) return;
      found->list.push_back({std::move(text), offset, is_damage});
    };
    for (const sstable::DatabaseProblem& problem : view.problems()) {
      add(problem.message, problem.offset.value_or(0), problem.is_damage);
    }
    uint64_t entries = 0;
    for (const DatabaseTable& table : view.tables()) {
      if (!table.file_size.has_value()) continue;  // is among the view's problems
      const auto reader = sstable::OpenTable(view, table);
      if (!reader.ok()) {
        add(std::string(reader.status().message()), 0, absl::IsDataLoss(reader.status()));
        continue;
      }
      sstable::CheckOptions options;
      options.max_problems = max_count;
      const CheckReport report = sstable::CheckTable(**reader, options);
      entries += report.entries;
      for (const CheckProblem& problem : report.problems) {
        add(absl::StrCat((*reader)->file().name(), ": ", problem.place, ": ", problem.message),
            problem.offset, true);
      }
      found->total += report.problem_count - report.problems.size();
      if (!report.limit_status.ok()) add(std::string(report.limit_status.message()), 0, false);
    }
    if (entry_count != nullptr) *entry_count = entries;
    *problems = found.release();
    return absl::OkStatus();
  });
}

sstable_code sstable_database_approximate_size(const sstable_database* database, const void* start,
                                               size_t start_size, const void* stop,
                                               size_t stop_size, uint64_t* size, char** message) {
  if (size != nullptr) *size = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(size, "size"));
    ASSIGN_OR_RETURN(const absl::string_view first, Bytes(start, start_size, "start"));
    ASSIGN_OR_RETURN(const absl::string_view end, Bytes(stop, stop_size, "stop"));
    const DatabaseView& view = *database->view;
    if (view.comparator() == nullptr) return sstable::OpenTable(view, {}).status();
    uint64_t sum = 0;
    for (const DatabaseTable& table : view.tables()) {
      ASSIGN_OR_RETURN(const uint64_t from, sstable::OffsetOf(view, table, first));
      ASSIGN_OR_RETURN(const uint64_t to, sstable::OffsetOf(view, table, end));
      sum += std::max(from, to) - from;
    }
    *size = sum;
    return absl::OkStatus();
  });
}
