#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/database_view.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

using sstable::DatabaseProblem;
using sstable::Guard;
using sstable::NotNull;

sstable_code sstable_database_open(const char* folder, sstable_database** database,
                                   char** message) {
  if (database != nullptr) *database = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(folder, "folder"));
    RETURN_IF_ERROR(NotNull(database, "database"));
    auto opened = std::make_unique<sstable_database>();
    ASSIGN_OR_RETURN(opened->view, sstable::DatabaseView::Open(folder));
    *database = opened.release();
    return absl::OkStatus();
  });
}

void sstable_database_destroy(sstable_database* database) { delete database; }

sstable_code sstable_database_skip_damage(sstable_database* database, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    if (database->skipped == nullptr) {
      database->skipped = std::make_shared<sstable::SkippedDamage>(database->view->FindProblems());
    }
    return absl::OkStatus();
  });
}

sstable_code sstable_database_problems(const sstable_database* database,
                                       sstable_problems** problems, char** message) {
  if (problems != nullptr) *problems = nullptr;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    RETURN_IF_ERROR(NotNull(problems, "problems"));
    auto found = std::make_unique<sstable_problems>();
    const auto add = [&found](const DatabaseProblem& problem) {
      found->list.push_back({problem.message, problem.offset.value_or(0), problem.is_damage});
    };
    for (const DatabaseProblem& problem : database->view->FindProblems()) add(problem);
    if (database->skipped != nullptr) {
      for (const DatabaseProblem& problem : database->skipped->problems()) add(problem);
    }
    found->total = found->list.size();
    *problems = found.release();
    return absl::OkStatus();
  });
}

uint64_t sstable_database_last_sequence(const sstable_database* database) {
  return database->view->last_sequence();
}
