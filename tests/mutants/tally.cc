#include "tests/mutants/tally.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/mutants/memory_meter.h"

namespace sstable::mutants {

nlohmann::json Record(uint64_t number, const Original& original, const Mutant& mutant,
                      const Verdict& verdict) {
  nlohmann::json runs = nlohmann::json::array(), violations = nlohmann::json::array();
  for (const CommandRun& run : verdict.runs) {
    runs.push_back({run.command, run.exit_code, run.cpu_seconds, run.memory_bytes});
  }
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
  auto& [count, first] = rules_["a crash"];
  if (count++ == 0) first = absl::StrCat("mutant ", number);
}

void Tally::Add(const nlohmann::json& record) {
  const bool repaired = record.at("repaired");
  const std::string where = absl::StrCat("mutant ", record.at("mutant").get<uint64_t>(), ", of ",
                                         record.at("table").get<std::string>());
  ++mutants_;
  repaired_ += repaired;
  unchanged_ += record.at("unchanged").get<bool>();
  mutants_with_violations_ += !record.at("violations").empty();
  std::set<std::string> broken;  // each rule once per mutant
  for (const auto& violation : record.at("violations")) broken.insert(violation.at(0));
  for (const std::string& rule : broken) {
    auto& [count, first] = rules_[rule];
    if (count++ == 0) first = where;
  }
  const uint64_t admitted = record.at("admitted");
  if (record.at("admits")) ++admitted_mutants_, admitted_in_vain_ += admitted == 0;
  admitted_entries_ += admitted;
  for (const std::string doubt : record.at("doubts")) {
    absl::StrAppend(&doubts_, where, ": ", doubt, "\n");
  }
  for (const std::string kind : record.at("kinds")) {
    auto& [not_repaired_count, repaired_count] = kinds_[kind];
    ++(repaired ? repaired_count : not_repaired_count);
  }
  for (const auto& run : record.at("runs")) {
    OfCommand& command = commands_[run.at(0)];
    const double cpu_seconds = run.at(2), memory = run.at(3);
    ++runs_, ++command.runs;
    ++command.exit_codes[run.at(1)];
    command.cpu_seconds += cpu_seconds;
    command.slowest = std::max(command.slowest, {cpu_seconds, where});
    command.largest = std::max(command.largest, {memory / (1 << 20), where});
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
  absl::StrAppend(&text, "\nprocessor time; memory (", MemoryMeter::Meaning(), ")\n");
  for (const auto& [name, command] : commands_) {
    absl::StrAppendFormat(&text, "%-9s", name);
    for (const auto& [code, count] : command.exit_codes) {
      absl::StrAppendFormat(&text, " exit %d: %d,", code, count);
    }
    absl::StrAppendFormat(&text, " mean %.2f ms, most %.3f s (%s); %.1f MiB (%s)\n",
                          1000 * command.cpu_seconds / static_cast<double>(command.runs),
                          command.slowest.first, command.slowest.second, command.largest.first,
                          command.largest.second);
  }
  absl::StrAppend(&text, "\ndoubtful results:\n", doubts_,
                  "salvage said that entries may be of another table: of ", admitted_mutants_,
                  " mutants, with ", admitted_entries_, " such entries; in vain of ",
                  admitted_in_vain_, "\n");
  for (const auto& [rule, counts] : rules_) {
    absl::StrAppendFormat(&text, "violated by %d: %s (%s first)\n", counts.first, rule,
                          counts.second);
  }
  return text;
}

}  // namespace sstable::mutants
