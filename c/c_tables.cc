// Checks and measures the tables of a database.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "db/version_check.h"
#include "db/view_state.h"
#include "sstable/c.h"
#include "sstable/check.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/database_view.h"
#include "sstable/experimental/table_stats.h"
#include "sstable/internal_key.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Returns about how many bytes of the table precede `key`.
absl::StatusOr<uint64_t> OffsetOf(const ViewState& state, size_t i, absl::string_view key) {
  const DatabaseTable& table = state.tables->tables()[i];
  const Comparator& order = *state.comparator;
  if (table.smallest.empty() || order.Compare(key, ExtractUserKey(table.smallest)) <= 0) return 0;
  if (order.Compare(key, ExtractUserKey(table.largest)) > 0) return table.size;
  ASSIGN_OR_RETURN(const auto reader, state.tables->Open(i));
  std::string target;
  AppendInternalKey(&target, key, kMaxSequence, ValueType::kValue);
  return reader->ApproximateOffsetOf(target);
}

}  // namespace
}  // namespace sstable

using sstable::Bytes;
using sstable::CheckProblem;
using sstable::CheckReport;
using sstable::DatabaseProblem;
using sstable::DatabaseView;
using sstable::Guard;
using sstable::NotNull;
using sstable::ViewState;

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
    std::set<absl::string_view> known;
    for (const DatabaseProblem& problem : view.FindProblems()) {
      known.insert(problem.message);
      if (!problem.is_damage && !problem.is_unread) continue;
      add(problem.message, problem.offset.value_or(0), problem.is_damage);
    }
    const ViewState& state = sstable::ViewStateOf(view);
    uint64_t entries = 0;
    const std::vector<sstable::DatabaseTable>& tables = view.ListTables();
    for (size_t i = 0; i < tables.size(); ++i) {
      const auto reader = state.tables->Open(i);
      if (!reader.ok()) {
        const absl::Status& status = reader.status();
        if (known.count(status.message()) > 0) continue;
        add(std::string(status.message()), 0, absl::IsDataLoss(status));
        continue;
      }
      const bool has_order = view.source() == sstable::StateSource::kManifest &&
                             view.comparator() != nullptr && tables[i].in_order;
      sstable::CheckOptions options;
      options.keys = has_order ? sstable::KeyTrust::kOrdered : sstable::KeyTrust::kUnordered;
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
    // Report an unknown order even if there is nothing to compare.
    const absl::StatusOr<std::vector<DatabaseProblem>> versions =
        state.order_status.ok() ? sstable::CheckVersions(view, [](uint64_t) {})
                                : state.order_status;
    if (versions.ok()) {
      for (const DatabaseProblem& problem : *versions) add(problem.message, 0, true);
    } else {
      add(absl::StrCat(view.folder(),
                       ": versions of keys were not compared: ", versions.status().message()),
          0, false);
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
    const ViewState& state = sstable::ViewStateOf(*database->view);
    RETURN_IF_ERROR(state.order_status);
    uint64_t sum = 0;
    for (size_t i = 0; i < state.tables->tables().size(); ++i) {
      ASSIGN_OR_RETURN(const uint64_t from, sstable::OffsetOf(state, i, first));
      ASSIGN_OR_RETURN(const uint64_t to, sstable::OffsetOf(state, i, end));
      sum += std::max(from, to) - from;
    }
    *size = sum;
    return absl::OkStatus();
  });
}

uint64_t sstable_database_last_sequence(const sstable_database* database) {
  const ViewState& state = sstable::ViewStateOf(*database->view);
  uint64_t sequence = state.last_sequence;
  if (state.found.source == sstable::StateSource::kManifest) return sequence;
  try {
    for (size_t i = 0; i < state.tables->tables().size(); ++i) {
      const auto reader = state.tables->Open(i);
      if (!reader.ok()) continue;
      const auto stats = sstable::CollectStats(**reader, sstable::KeyTrust::kUnordered);
      sequence = std::max(sequence, stats.max_sequence);
    }
  } catch (const std::exception&) {  // out of memory: returns the highest of the tables read
  }
  return sequence;
}
