#include "tests/mutants/campaign.h"

#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <list>
#include <map>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
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
constexpr uint64_t kMutantsOfMade = 10;   // neighbours whose table is made for them share it
constexpr int kMaxSecondsOfMutant = 300;  // processor time for all of its commands; more is a hang
constexpr uint64_t kReportEvery = 2000;

struct Child {
  pid_t pid = 0;
  int pipe = -1;
  uint64_t next = 0, end = 0;  // the current mutant, and the end of its batch
  std::unique_ptr<SstRunner> runner;
  std::string input;  // an incomplete line
};

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options) : options_(options) {
    for (const std::string& path : options.tables) {
      const uint64_t size = std::filesystem::file_size(path);
      if (size > options.max_size) continue;
      // A table of 10 KB is chosen 50 times as often as one of 1 MB; both take as long in total.
      tables_.push_back({path, 1e9 / static_cast<double>(size + 10000)});
    }
  }

  bool Run() {
    uint64_t next = options_.only.value_or(0);
    const uint64_t end = options_.only.has_value() ? next + 1 : options_.count;
    std::list<Child> children;
    while (next < end || !children.empty()) {
      while (next < end && children.size() < static_cast<size_t>(options_.jobs)) {
        const uint64_t batch_end = std::min(end, next + kBatch);
        children.push_back(Start(next, batch_end));
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
    std::unique_ptr<Original> original = nullptr;  // loaded when needed
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

  // Returns the original of mutant `number`, using the mutant's first random numbers.
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

  Child Start(uint64_t first, uint64_t end) {
    for (uint64_t i = first; i < end; ++i) {
      Random random(options_.seed, i);
      if (!ChoosesMade(&random)) Load(ChooseTable(&random));
    }
    Child child;
    child.next = first;
    child.end = end;
    child.runner = std::make_unique<SstRunner>();
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(stdout);
    child.pid = ::fork();
    if (child.pid < 0) std::abort();
    if (child.pid == 0) {
      ::close(ends[0]);
      RunBatch(first, end, child.runner.get(), ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    child.pipe = ends[0];
    return child;
  }

  void RunBatch(uint64_t first, uint64_t end, SstRunner* runner, int pipe) {
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
      const std::string line = Record(i, original, mutant, verdict)
                                   .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                               "\n";
      for (size_t at = 0; at < line.size();) {
        const ssize_t count = ::write(pipe, line.data() + at, line.size() - at);
        if (count < 0) ::_exit(1);
        at += static_cast<size_t>(count);
      }
    }
  }

  // Reads the output of children; a child that ended before its batch did has crashed.
  void Await(std::list<Child>* children) {
    std::vector<struct pollfd> polled;
    for (const Child& child : *children) polled.push_back({child.pipe, POLLIN, 0});
    ::poll(polled.data(), polled.size(), -1);
    size_t i = 0;
    for (auto child = children->begin(); child != children->end(); ++i) {
      if (polled[i].revents == 0) {
        ++child;
        continue;
      }
      char buffer[1 << 16];
      const ssize_t count = ::read(child->pipe, buffer, sizeof(buffer));
      if (count > 0) {
        Take(absl::string_view(buffer, static_cast<size_t>(count)), &*child);
        ++child;
        continue;
      }
      int status = 0;
      ::waitpid(child->pid, &status, 0);
      ::close(child->pipe);
      if (child->next < child->end) {
        TellCrash(*child, status);
        const uint64_t next = child->next + 1, end = child->end;
        *child = Child();
        if (next < end) *child = Start(next, end);
      }
      child =
          child->pid == 0 || child->next == child->end ? children->erase(child) : std::next(child);
    }
  }

  void Take(absl::string_view bytes, Child* child) {
    absl::StrAppend(&child->input, bytes);
    for (size_t end; (end = child->input.find('\n')) != std::string::npos;) {
      const auto record = nlohmann::json::parse(child->input.substr(0, end));
      child->input.erase(0, end + 1);
      ++child->next;
      tally_.Add(record);
      for (const auto& violation : record.at("violations")) {
        Tell(record.at("mutant"), violation.at(0), violation.at(1));
      }
      if (tally_.mutants() % kReportEvery == 0) std::printf("%s\n", tally_.Line().c_str());
      std::fflush(stdout);
    }
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
  std::unique_ptr<Original> made_;  // the last that was made, and its number
  uint64_t made_number_ = 0;
  Tally tally_;
};

}  // namespace

bool RunCampaign(const CampaignOptions& options) { return Campaign(options).Run(); }

}  // namespace sstable::mutants
