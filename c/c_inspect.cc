#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "c/c_objects.h"
#include "c/c_support.h"
#include "sstable/c.h"
#include "sstable/check.h"
#include "sstable/experimental/filter_report.h"
#include "util/status_util.h"

namespace sstable {
namespace {

CheckReport Check(const sstable_reader& reader, size_t max_problems) {
  CheckOptions options;
  options.max_problems = max_problems;
  return CheckTable(*reader.reader, options);
}

}  // namespace
}  // namespace sstable

using sstable::CheckProblem;
using sstable::CheckReport;
using sstable::Guard;
using sstable::NotNull;

sstable_code sstable_reader_check(const sstable_reader* reader, uint64_t* problem_count,
                                  uint64_t* entry_count, char** message) {
  if (problem_count != nullptr) *problem_count = 0;
  if (entry_count != nullptr) *entry_count = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    const CheckReport report = sstable::Check(*reader, 1);
    if (problem_count != nullptr) *problem_count = report.problem_count;
    if (entry_count != nullptr) *entry_count = report.entries;
    if (report.problems.empty()) return report.limit_status;
    const CheckProblem& first = report.problems.front();
    return absl::DataLossError(
        absl::StrCat(reader->reader->file().name(), ": ", first.place, ": ", first.message));
  });
}

void sstable_problems_destroy(sstable_problems* problems) { delete problems; }

size_t sstable_problems_count(const sstable_problems* problems, uint64_t* total) {
  if (total != nullptr) *total = problems->total;
  return problems->list.size();
}

const char* sstable_problems_text(const sstable_problems* problems, size_t i, uint64_t* offset,
                                  int* is_damage) {
  const sstable_problems::Problem& problem = problems->list[i];
  if (offset != nullptr) *offset = problem.offset;
  if (is_damage != nullptr) *is_damage = problem.is_damage ? 1 : 0;
  return problem.text.c_str();
}

sstable_code sstable_reader_find_problems(const sstable_reader* reader, size_t max_count,
                                          sstable_problems** problems, uint64_t* entry_count,
                                          char** message) {
  if (problems != nullptr) *problems = nullptr;
  if (entry_count != nullptr) *entry_count = 0;
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(problems, "problems"));
    const CheckReport report = sstable::Check(*reader, max_count);
    auto found = std::make_unique<sstable_problems>();
    found->total = report.problem_count;
    for (const CheckProblem& problem : report.problems) {
      found->list.push_back(
          {absl::StrCat(problem.place, ": ", problem.message), problem.offset, true});
    }
    if (!report.limit_status.ok()) {
      ++found->total;
      absl::string_view text = report.limit_status.message();
      absl::ConsumePrefix(&text, absl::StrCat(reader->reader->file().name(), ": "));
      if (found->list.size() < max_count) found->list.push_back({std::string(text), 0, false});
    }
    if (entry_count != nullptr) *entry_count = report.entries;
    *problems = found.release();
    return absl::OkStatus();
  });
}

sstable_code sstable_reader_measure_filter(const sstable_reader* reader,
                                           sstable_filter_facts* facts, size_t facts_size,
                                           char** message) {
  if (facts != nullptr) std::memset(facts, 0, facts_size);
  return Guard(message, [&]() -> absl::Status {
    RETURN_IF_ERROR(NotNull(reader, "reader"));
    RETURN_IF_ERROR(NotNull(facts, "facts"));
    const sstable::FilterReport report =
        sstable::MeasureFilter(*reader->reader, {}, sstable::KeyTrust::kUnknown);
    RETURN_IF_ERROR(report.status);
    RETURN_IF_ERROR(report.scan_status);
    sstable_filter_facts measured = {};
    measured.window_count = report.windows;
    measured.bit_count = report.bits;
    measured.bits_set = report.bits_set;
    measured.keys_tested = report.keys_tested;
    measured.false_negatives = report.false_negatives;
    measured.random_tested = report.random.tested;
    measured.random_passed = report.random.passed;
    measured.expected_rate = report.expected_rate;
    std::memcpy(facts, &measured, std::min(facts_size, sizeof measured));
    return absl::OkStatus();
  });
}
