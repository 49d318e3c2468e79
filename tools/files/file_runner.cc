#include "tools/files/file_runner.h"

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "remote/http_file.h"
#include "report/text/words.h"
#include "tools/cli/common_options.h"
#include "tools/cli/ordered_jobs.h"
#include "util/escape.h"

namespace sstable::tools {
namespace {

// Without -j, at most this many threads read a table. In a dump, a single thread writes, and more
// readers would just wait for it. In a check, each thread needs memory for its blocks.
constexpr uint64_t kMaxDefaultThreads = 4;

constexpr uint64_t kMinSharedFileSize = uint64_t{1} << 20;

}  // namespace

void AddJobsTo(CommandLine* command_line, uint64_t* jobs) {
  command_line->AddNumber("-j,--jobs", "N", {1, 256}, jobs,
                          kJobsHelp + std::string(" Each reads a different file. Default: 1"));
}

uint64_t Threads::ForEachOf(size_t file_count) const {
  if (count.has_value()) return std::max<uint64_t>(*count / std::max<size_t>(file_count, 1), 1);
  return std::clamp<uint64_t>(std::thread::hardware_concurrency(), 1, kMaxDefaultThreads);
}

uint64_t ThreadsForTable(const RandomAccessFile& file, uint64_t threads) {
  return file.size() < kMinSharedFileSize || IsHttpUrl(file.name()) ? 1 : threads;
}

void AddThreadsTo(CommandLine* command_line, Threads* threads) {
  command_line->AddNumber(
      "-j,--jobs", "N", {1, 256}, &threads->count,
      absl::StrCat(
          kJobsHelp,
          " Each reads a different file or part of a large file. Default: one file at a time, "
          "with as many threads for a large one as there are processors, but at most ",
          kMaxDefaultThreads));
}

std::vector<ExitCode> RunOnFiles(absl::Span<const InputFile> files, uint64_t jobs, FileWork work,
                                 Console* console) {
  if (files.size() == 1) return {work(files[0], console)};
  uint64_t total = 0;
  for (const InputFile& file : files) total += file.size;
  console->progress().Begin(Count(files.size(), "file"), total);
  std::vector<ExitCode> codes(files.size(), ExitCode::kOk);
  RunInOrder(
      files.size(), jobs, [&](size_t i) { return files[i].size; },
      [&](const JobContext& job) { codes[job.number] = work(files[job.number], job.console); },
      console);
  console->progress().End();
  return codes;
}

void FilesSummary::Add(absl::Span<const InputFile> files, absl::Span<const ExitCode> codes) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (codes[i] == ExitCode::kOk) {
      ++ok_;
    } else {
      (codes[i] == ExitCode::kCannot ? failed_ : damaged_).push_back(files[i].name);
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
  if (!damaged_.empty()) {
    absl::StrAppend(
        &lines,
        "To save what is left, run sst salvage: it writes a new table or database and leaves the "
        "old one as it is.\n");
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
