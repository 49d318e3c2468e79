#include "tests/mutants/campaign.h"

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tests/mutants/judge.h"
#include "tests/mutants/made_table.h"
#include "tests/mutants/mutant.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"
#include "tests/mutants/sst_runner.h"
#include "tests/mutants/tally.h"

extern "C" int __attribute__((weak)) __lsan_do_recoverable_leak_check();

namespace sstable::mutants {
namespace {

constexpr uint64_t kBatch = 100;
constexpr uint64_t kMutantsOfMade = 10;   // each table made for mutants is used for this many
constexpr int kMaxSecondsOfMutant = 300;  // processor time for all commands; above this, it hangs
constexpr uint64_t kReportEvery = 2000;
constexpr char kReport[] = "report";

struct Child {
  uint64_t next = 0, end = 0;         // the next mutant to be reported; the end of the batch
  std::unique_ptr<SstRunner> runner;  // the child writes its report in the runner's folder, one
                                      // line for each mutant
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {
    for (const std::string& path : options.tables) {
      const uint64_t size = std::filesystem::file_size(path);
      if (size > options.max_size) continue;
      // Tables of 10 KB are chosen 50 times as often as those of 1 MB, which take 50 times as long.
      tables_.push_back({path, 1e9 / static_cast<double>(size + 10000)});
    }
  }

  bool Run() {
    uint64_t next = options_.only.value_or(0);
    const uint64_t end = options_.only.has_value() ? next + 1 : options_.count;
    std::map<pid_t, Child> children;
    while (next < end || !children.empty()) {
      while (next < end && children.size() < static_cast<size_t>(options_.jobs)) {
        const uint64_t batch_end = std::min(end, next + kBatch);
        Start(next, batch_end, &children);
        next = batch_end;
      }
      Await(&children);
    }
    std::printf("\n%s", tally_.Report().c_str());
    return tally_.mutants_with_violations() == 0;
  }

 private:
  struct Table {
    std::string path;
    double weight;
    std::unique_ptr<Original> original = nullptr;  // loaded on first use
  };

  size_t ChooseTable(Random* random) const {
    double sum = 0;
    for (const Table& table : tables_) sum += table.weight;
    double left = sum * static_cast<double>(random->Below(1 << 30)) / (1 << 30);
    size_t i = 0;
    while (i + 1 < tables_.size() && left >= tables_[i].weight) left -= tables_[i++].weight;
    return i;
  }

  const Original& Load(size_t i) {
    Table& table = tables_[i];
    if (table.original == nullptr) {
      table.original = std::make_unique<Original>();
      SstRunner runner;
      LoadOriginal(table.path, &runner, table.original.get());
    }
    return *table.original;
  }

  bool ChoosesMade(Random* random) const {
    return tables_.empty() || random->Below(100) < options_.made_percent;
  }

  // Returns the original of mutant `number`. Uses the first of the mutant's random numbers.
  const Original& Choose(uint64_t number, Random* random) {
    return ChoosesMade(random) ? Make(number / kMutantsOfMade) : Load(ChooseTable(random));
  }

  const Original& Make(uint64_t number) {
    if (made_ == nullptr || made_number_ != number) {
      Random random(~options_.seed, number);
      made_ = std::make_unique<Original>();
      LoadMade(MakeTable(&random), made_.get());
      made_number_ = number;
    }
    return *made_;
  }

  void Start(uint64_t first, uint64_t end, std::map<pid_t, Child>* children) {
    for (uint64_t i = first; i < end; ++i) {
      Random random(options_.seed, i);
      if (!ChoosesMade(&random)) Load(ChooseTable(&random));
    }
    Child child{first, end, std::make_unique<SstRunner>()};
    std::fflush(stdout);
    const pid_t pid = ::fork();
    if (pid < 0) std::abort();
    if (pid == 0) {
      RunBatch(first, end, child.runner.get());
      ::_exit(0);
    }
    children->emplace(pid, std::move(child));
  }

  void RunBatch(uint64_t first, uint64_t end, SstRunner* runner) {
    std::ofstream report(runner->Path(kReport), std::ios::binary);
    for (uint64_t i = first; i < end; ++i) {
      const struct itimerval limit = {{0, 0}, {kMaxSecondsOfMutant, 0}};
      ::setitimer(ITIMER_PROF, &limit, nullptr);
      Random random(options_.seed, i);
      const Original& original = Choose(i, &random);
      const Mutant mutant = MakeMutant(original, &random);
      Verdict verdict = JudgeMutant(original, mutant, runner, &random);
      const bool is_last = i + 1 == end;
      if (is_last && __lsan_do_recoverable_leak_check != nullptr &&
          __lsan_do_recoverable_leak_check() != 0) {
        verdict.violations.push_back(
            {"memory leaked", absl::StrCat("by one of the mutants from ", first, " on")});
      }
      const auto record = Record(i, original, mutant, verdict);
      report << record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
    }
  }

  // Reads the report of a child that has exited. One that exits before the end of its batch has
  // crashed.
  void Await(std::map<pid_t, Child>* children) {
    int status = 0;
    const auto ended = children->find(::waitpid(-1, &status, 0));
    if (ended == children->end()) std::abort();
    Child child = std::move(ended->second);
    children->erase(ended);
    std::ifstream report(child.runner->Path(kReport), std::ios::binary);
    for (std::string line; std::getline(report, line) && !report.eof(); ++child.next) {
      const auto record = nlohmann::json::parse(line);
      tally_.Add(record);
      for (const auto& violation : record.at("violations")) {
        Tell(record.at("mutant"), violation.at(0), violation.at(1));
      }
      if (tally_.mutants() % kReportEvery == 0) std::printf("%s\n", tally_.Line().c_str());
    }
    std::fflush(stdout);
    if (child.next == child.end) return;
    TellCrash(child, status);
    if (child.next + 1 < child.end) Start(child.next + 1, child.end, children);
  }

  void TellCrash(const Child& child, int status) {
    tally_.AddCrash(child.next);
    Tell(child.next,
         WIFSIGNALED(status) ? absl::StrCat("signal ", WTERMSIG(status))
                             : absl::StrCat("exit code ", WEXITSTATUS(status)),
         child.runner->StandardError());
  }

  void Tell(uint64_t number, const std::string& rule, const std::string& detail) {
    Random random(options_.seed, number);
    const Original& original = Choose(number, &random);
    const Mutant mutant = MakeMutant(original, &random);
    std::string saved;
    if (!options_.save_folder.empty()) {
      saved = absl::StrCat(options_.save_folder, "/mutant-", options_.seed, "-", number, ".ldb");
      std::ofstream(saved, std::ios::binary) << mutant.bytes;
    }
    std::printf("VIOLATION mutant %d (seed %d) of %s: %s\n  %s: %s\n", static_cast<int>(number),
                static_cast<int>(options_.seed), original.name.c_str(), mutant.description.c_str(),
                rule.c_str(), detail.c_str());
    if (!original.details.empty()) std::printf("  table: %s\n", original.details.c_str());
    if (!saved.empty()) std::printf("  %s\n", saved.c_str());
    std::fflush(stdout);
  }

  const CampaignOptions& options_;
  std::vector<Table> tables_;
  std::unique_ptr<Original> made_;  // the one made last, and its number
  uint64_t made_number_ = 0;
  Tally tally_;
};

}  // namespace

bool RunCampaign(const CampaignOptions& options) { return Campaign(options).Run(); }

}  // namespace sstable::mutants
