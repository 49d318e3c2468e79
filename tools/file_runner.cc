#include "tools/file_runner.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/cli/ordered_output.h"
#include "tools/cli/words.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

constexpr size_t kMaxHeldSize = size_t{4} << 20;

// Takes files, one after the other, until there are no more.
class FileQueue {
 public:
  FileQueue(absl::Span<const InputFile> files, FileWork work, Console* console)
      : files_(files),
        work_(work),
        console_(console),
        output_(console, kMaxHeldSize),
        codes_(files.size(), ExitCode::kOk) {}

  // What each thread does.
  void Work() {
    try {
      while (!failed_ && !output_.closed()) {
        const size_t i = next_.fetch_add(1);
        if (i >= files_.size()) return;
        OrderedOutput::Job job(&output_, i);
        Console console(console_, &job, files_[i].size);
        codes_[i] = work_(files_[i], &console);
        console.Flush();
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!failed_) exception_ = std::current_exception();
      failed_ = true;
    }
  }

  // Once all threads have ended. Throws what one of them has thrown.
  std::vector<ExitCode> TakeCodes() {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
    return std::move(codes_);
  }

 private:
  const absl::Span<const InputFile> files_;
  const FileWork work_;
  Console* const console_;
  OrderedOutput output_;
  std::vector<ExitCode> codes_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::exception_ptr exception_;  // the first; guarded by mutex_
};

}  // namespace

void AddJobsTo(CommandLine* command_line, uint64_t* jobs) {
  command_line->AddNumber("-j,--jobs", "N", {1, 256}, jobs,
                          "Work on up to this many files at once. Output is the same. Default: 1");
}

std::vector<ExitCode> RunOnFiles(absl::Span<const InputFile> files, uint64_t jobs, FileWork work,
                                 Console* console) {
  if (files.size() == 1) return {work(files[0], console)};
  uint64_t total = 0;
  for (const InputFile& file : files) total += file.size;
  console->progress().Begin(Count(files.size(), "file"), total);
  FileQueue queue(files, work, console);
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min<uint64_t>(jobs, files.size()); ++i) {
    try {
      threads.emplace_back([&queue] { queue.Work(); });
    } catch (const std::system_error&) {
      break;  // fewer do it as well
    }
  }
  queue.Work();
  for (std::thread& thread : threads) thread.join();
  console->progress().End();
  return queue.TakeCodes();
}

void FilesSummary::Add(absl::Span<const InputFile> files, absl::Span<const ExitCode> codes) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (codes[i] == ExitCode::kOk) {
      ++ok_;
    } else {
      (codes[i] == ExitCode::kCannot ? failed_ : damaged_).push_back(InputName(files[i].path));
    }
  }
}

ExitCode FilesSummary::worst() const {
  if (!failed_.empty()) return ExitCode::kCannot;
  return damaged_.empty() ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
}

std::string FilesSummary::Text(const Style& style) const {
  std::string text =
      absl::StrCat(Count(ok_ + damaged_.size() + failed_.size(), "file"), ": ", ok_, " ok");
  std::string lines;
  for (const auto& [names, word] :
       {std::pair{&damaged_, "damaged"}, std::pair{&failed_, "can't be read"}}) {
    if (names->empty()) continue;
    absl::StrAppend(&text, ", ", style.Red(absl::StrCat(names->size(), " ", word)));
    for (const std::string& name : *names) {
      absl::StrAppend(&lines, "  ", word, ": ", EscapeControls(name), "\n");
    }
  }
  return absl::StrCat(text, "\n", lines);
}

Json FilesSummary::ToJson() const {
  const auto list = [](const std::vector<std::string>& names) {
    Json texts = Json::array();
    for (const std::string& name : names) texts.push_back(JsonText(name));
    return texts;
  };
  return {{"summary",
           {{"files", ok_ + damaged_.size() + failed_.size()},
            {"ok", ok_},
            {"damaged", damaged_.size()},
            {"failed", failed_.size()},
            {"damaged_files", list(damaged_)},
            {"failed_files", list(failed_)}}}};
}

ExitCode ReportSummary(const FilesSummary& summary, bool many, ReportFormat format,
                       Console* console) {
  if (many && format == ReportFormat::kJson) {
    WriteJson(summary.ToJson(), console);
  } else if (many) {
    console->Write(summary.Text(console->output_style()));
  }
  return summary.worst();
}

ExitCode ReportSummary(const InputFiles& inputs, absl::Span<const ExitCode> codes,
                       ReportFormat format, Console* console) {
  FilesSummary summary;
  summary.Add(inputs.files, codes);
  return ReportSummary(summary, inputs.many, format, console);
}

}  // namespace sstable::tools
