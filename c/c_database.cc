#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"

using sstable::DatabaseProblem;
using sstable::Guard;
using sstable::NotNull;

namespace {

// A key order defined by a C function.
class OrderOfC final : public sstable::Comparator {
 public:
  OrderOfC(sstable_compare compare, void (*release)(void*), void* context)
      : compare_(compare), release_(release), context_(context) {}
  ~OrderOfC() override {
    if (release_ != nullptr) release_(context_);
  }
  OrderOfC(const OrderOfC&) = delete;
  OrderOfC& operator=(const OrderOfC&) = delete;

  absl::string_view Name() const override { return "sstable.OrderOfC"; }
  int Compare(absl::string_view a, absl::string_view b) const override {
    return compare_(context_, a.data(), a.size(), b.data(), b.size());
  }
  void FindShortestSeparator(std::string*, absl::string_view) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  const sstable_compare compare_;
  void (*const release_)(void*);
  void* const context_;
};

// A view and the comparator that it borrows.
struct OrderedView {
  std::shared_ptr<const sstable::Comparator> order;
  std::unique_ptr<const sstable::DatabaseView> view;
};

absl::Status OpenView(absl::string_view folder, bool resume_within_log_block,
                      sstable_database* database) {
  sstable::DatabaseViewOptions options;
  options.comparator = database->order.get();
  options.resume_within_log_block = resume_within_log_block;
  const auto owned = std::make_shared<OrderedView>();
  owned->order = database->order;
  ASSIGN_OR_RETURN(owned->view, sstable::DatabaseView::Open(folder, options));
  database->view = std::shared_ptr<const sstable::DatabaseView>(owned, owned->view.get());
  return absl::OkStatus();
}

absl::Status OpenDatabase(const char* folder, std::shared_ptr<const sstable::Comparator> order,
                          sstable_database** database) {
  RETURN_IF_ERROR(NotNull(folder, "folder"));
  RETURN_IF_ERROR(NotNull(database, "database"));
  auto opened = std::make_unique<sstable_database>();
  opened->order = std::move(order);
  RETURN_IF_ERROR(OpenView(folder, /*resume_within_log_block=*/false, opened.get()));
  *database = opened.release();
  return absl::OkStatus();
}

bool IsDamage(const DatabaseProblem& problem) { return problem.is_damage; }

}  // namespace

sstable_code sstable_database_open(const char* folder, sstable_database** database,
                                   char** message) {
  if (database != nullptr) *database = nullptr;
  return Guard(message, [&] { return OpenDatabase(folder, nullptr, database); });
}

sstable_code sstable_database_open_in_order(const char* folder, sstable_compare compare,
                                            void (*release)(void* context), void* context,
                                            sstable_database** database, char** message) {
  if (database != nullptr) *database = nullptr;
  return Guard(message, [&]() -> absl::Status {
    auto order = std::make_shared<OrderOfC>(compare, release, context);
    if (compare == nullptr) return absl::InvalidArgumentError("compare is NULL");
    return OpenDatabase(folder, std::move(order), database);
  });
}

void sstable_database_destroy(sstable_database* database) { delete database; }

sstable_code sstable_database_skip_damage(sstable_database* database, char** message) {
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(database, "database"));
    if (database->skipped != nullptr) return absl::OkStatus();
    std::vector<DatabaseProblem> problems = database->view->FindProblems();
    if (std::any_of(problems.begin(), problems.end(), IsDamage)) {
      const std::string folder(database->view->folder());
      RETURN_IF_ERROR(OpenView(folder, /*resume_within_log_block=*/true, database));
      problems = database->view->FindProblems();
    }
    database->skipped = std::make_shared<sstable::SkippedDamage>(problems);
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
