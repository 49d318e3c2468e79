#include "tests/mutants/tally.h"

#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/mutants/memory_meter.h"

namespace sstable::mutants {
namespace {

constexpr double kSlowSeconds = 0.5;  // processor time; reported, but no violation

std::string FileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

nlohmann::json Record(uint64_t number, const Original& original, const Mutant& mutant,
                      const Verdict& verdict) {
  nlohmann::json runs = nlohmann::json::array();
  for (const CommandRun& run : verdict.runs) {
    runs.push_back({run.command, run.exit_code, run.cpu_seconds, run.memory_bytes});
  }
  nlohmann::json violations = nlohmann::json::array();
  for (const Violation& violation : verdict.violations) {
    violations.push_back({violation.rule, violation.detail});
  }
  return {{"mutant", number},
          {"table", original.name},
          {"repaired", mutant.repaired},
          {"unchanged", mutant.bytes == original.bytes},
          {"kinds", mutant.kinds},
          {"runs", std::move(runs)},
          {"violations", std::move(violations)},
          {"doubts", verdict.doubts},
          {"admits", verdict.admits_foreign_entries},
          {"admitted", verdict.admitted_entries}};
}

void Tally::AddCrash(uint64_t number) {
  ++mutants_, ++mutants_with_violations_;
  AddViolation("a crash", "", absl::StrCat("mutant ", number));
}

void Tally::AddViolation(const std::string& rule, const std::string& table,
                         const std::string& where) {
  OfRule& of_rule = rules_[{rule, table}];
  if (of_rule.mutants++ == 0) of_rule.first = where;
}

void Tally::Add(const nlohmann::json& record) {
  const bool repaired = record.at("repaired");
  const std::string table = FileName(record.at("table"));
  const std::string where = absl::StrCat("mutant ", uint64_t{record.at("mutant")}, ", of ", table);
  ++mutants_;
  if (repaired) ++repaired_;
  if (record.at("unchanged")) ++unchanged_;
  if (!record.at("violations").empty()) ++mutants_with_violations_;
  std::set<std::string> broken;  // each once per mutant
  for (const auto& violation : record.at("violations")) broken.insert(violation.at(0));
  for (const std::string& rule : broken) {
    AddViolation(rule, absl::StartsWith(table, "made") ? table : "", where);
  }
  const uint64_t admitted = record.at("admitted");
  if (record.at("admits")) ++(admitted > 0 ? admitted_mutants_ : admitted_in_vain_);
  admitted_entries_ += admitted;
  for (const std::string doubt : record.at("doubts")) {
    doubts_.push_back(absl::StrCat(where, ": ", doubt));
  }
  for (const std::string kind : record.at("kinds")) {
    auto& [not_repaired_count, repaired_count] = kinds_[kind];
    ++(repaired ? repaired_count : not_repaired_count);
  }
  auto& [table_mutants, table_seconds] = tables_[table];
  ++table_mutants;
  for (const auto& run : record.at("runs")) {
    OfCommand& command = commands_[run.at(0)];
    const int exit_code = run.at(1);
    const double cpu_seconds = run.at(2);
    ++runs_;
    if (exit_code >= 0 && exit_code <= 2) ++command.exit_codes[exit_code];
    if (cpu_seconds > kSlowSeconds) ++command.slow_runs;
    command.cpu_seconds += cpu_seconds;
    table_seconds += cpu_seconds;
    command.slowest.Take(cpu_seconds, where);
    command.largest.Take(run.at(3), where);
  }
}

std::string Tally::Line() const {
  return absl::StrFormat("%d mutants (%d repaired), %d runs, %d mutants with violations", mutants_,
                         repaired_, runs_, mutants_with_violations_);
}

std::string Tally::Report() const {
  std::string text = absl::StrCat(Line(), "; ", unchanged_, " did not change the table\n\n");
  absl::StrAppendFormat(&text, "%-16s %9s %9s  changes\n", "kind", "not rep.", "repaired");
  for (const auto& [kind, counts] : kinds_) {
    absl::StrAppendFormat(&text, "%-16s %9d %9d\n", kind, counts.first, counts.second);
  }
  absl::StrAppendFormat(&text, "\n%-9s %9s %9s %9s %9s %9s\n", "command", "exit 0", "exit 1",
                        "exit 2", "mean ms", "> 0.5 s");
  for (const auto& [name, command] : commands_) {
    const uint64_t* const codes = command.exit_codes;
    const uint64_t runs = codes[0] + codes[1] + codes[2];
    absl::StrAppendFormat(&text, "%-9s %9d %9d %9d %9.2f %9d\n", name, codes[0], codes[1], codes[2],
                          1000 * command.cpu_seconds / static_cast<double>(runs),
                          command.slow_runs);
  }
  absl::StrAppend(&text, "\nmost of processor time; of memory (", MemoryMeter::Meaning(), ")\n");
  for (const auto& [name, command] : commands_) {
    absl::StrAppendFormat(&text, "%-9s %6.3f s (%s); %.1f MiB (%s)\n", name, command.slowest.value,
                          command.slowest.where, command.largest.value / (1 << 20),
                          command.largest.where);
  }
  absl::StrAppendFormat(&text, "\n%-45s %9s %9s\n", "table", "mutants", "seconds");
  for (const auto& [table, counts] : tables_) {
    absl::StrAppendFormat(&text, "%-45s %9d %9.1f\n", table, counts.first, counts.second);
  }
  absl::StrAppend(&text, "\n", doubts_.size(), " doubtful results\n");
  for (const std::string& doubt : doubts_) absl::StrAppend(&text, doubt, "\n");
  absl::StrAppend(&text, "\nsalvage said that entries may be of another table: of ",
                  admitted_mutants_, " mutants, with ", admitted_entries_, " such entries; of ",
                  admitted_in_vain_, " more without one\n");
  for (const auto& [rule, counts] : rules_) {
    absl::StrAppendFormat(&text, "violated by %d: %s%s%s (%s first)\n", counts.mutants, rule.first,
                          rule.second.empty() ? "" : ", of tables ", rule.second, counts.first);
  }
  return text;
}

}  // namespace sstable::mutants
