#include "tools/files/report_command.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/cli/common_options.h"
#include "tools/cli/console.h"
#include "tools/files/file_runner.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// Reads a list of names, each followed by `end`: '\n', or '\0' for names that contain line ends.
// After the last name, `end` may be missing.
//
// Pattern:  Next* until it returns no names or an error.
// Errors:   read errors; InvalidArgument, with the number of the name, for a name that is empty,
//           longer than a path can be, "-", or contains a NUL byte.
class NameList {
 public:
  // `path` is "-" for standard input.
  NameList(const std::string& path, char end);

  // Sets `*names` to up to `max_count` names; to none after the last; on error, to the names before
  // it.
  absl::Status Next(size_t max_count, std::vector<std::string>* names);

 private:
  absl::StatusOr<bool> NextName(std::string* name);
  absl::Status ReadMore();
  absl::Status ErrorAt(const char* what) const;

  const std::string path_;
  const char end_;
  ScopedDescriptor descriptor_{-1};  // negative before the first read
  std::string buffer_;
  size_t start_ = 0;  // where the next name starts in the buffer
  bool at_end_ = false;
  uint64_t number_ = 0;  // number of the last name, from 1
};

NameList::NameList(const std::string& path, char end) : path_(path), end_(end) {}

absl::Status NameList::ErrorAt(const char* what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(InputName(path_), ": name ", number_, " of the list ", what));
}

absl::Status NameList::ReadMore() {
  constexpr size_t kReadSize = 64 * 1024;
  if (descriptor_.get() < 0) {
    descriptor_ = ScopedDescriptor(path_ == "-" ? sys::Duplicate(0)
                                                : OpenDescriptor(path_, sys::OpenFor::kRead));
    if (descriptor_.get() < 0) return ErrnoError(InputName(path_), "can't open");
  }
  buffer_.erase(0, std::exchange(start_, 0));
  const size_t old_size = buffer_.size();
  buffer_.resize(old_size + kReadSize);
  const ptrdiff_t count =
      Uninterrupted([&] { return sys::Read(descriptor_.get(), &buffer_[old_size], kReadSize); });
  buffer_.resize(old_size + static_cast<size_t>(std::max<ptrdiff_t>(count, 0)));
  if (count < 0) return ErrnoError(InputName(path_), "can't read");
  at_end_ = count == 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> NameList::NextName(std::string* name) {
  size_t end;
  while ((end = buffer_.find(end_, start_)) == buffer_.npos && !at_end_ &&
         buffer_.size() - start_ < sys::kMaxPathSize) {
    RETURN_IF_ERROR(ReadMore());
  }
  if (start_ == buffer_.size()) return false;
  ++number_;
  const size_t size = std::min(end, buffer_.size()) - start_;
  if (size >= sys::kMaxPathSize) return ErrorAt("is longer than a path can be");
  name->assign(buffer_, start_, size);
  start_ += size + (end == buffer_.npos ? 0 : 1);
  if (name->empty()) return ErrorAt("is empty");
  if (*name == "-") return ErrorAt("is \"-\"; a file with that name is ./-");
  if (name->find('\0') != name->npos) {
    return ErrorAt("contains a NUL byte; --files0-from reads names that end in one");
  }
  return true;
}

absl::Status NameList::Next(size_t max_count, std::vector<std::string>* names) {
  names->clear();
  std::string name;
  while (names->size() < max_count) {
    ASSIGN_OR_RETURN(const bool found, NextName(&name));
    if (!found) break;
    names->push_back(name);
  }
  return absl::OkStatus();
}

// The number of names that are read from a list before these files are reported on.
constexpr size_t kNamesAtOnce = 4096;

}  // namespace

void ReportCommand::AddOptions(CommandLine* command_line) {
  AddFormatTo(command_line, &options_.format);
  AddJobsTo(command_line, &jobs_);
  command_line->AddFlag("-q,--quiet", &options_.quiet, "Print only what is wrong, and the summary");
  command_line->AddText("--files-from", "FILE", &list_,
                        "Read the PATHs from FILE, one per line. - is standard input");
  command_line->AddText(
      "--files0-from", "FILE", &list0_,
      "Like --files-from, with a NUL byte after each PATH. `find -print0` writes such a list");
  options_.input.AddTo(command_line);
}

ExitCode ReportCommand::ReportOn(const InputFile& file, Console* console) const {
  absl::Status status = file.status;
  if (status.ok()) {
    const absl::StatusOr<OpenedTable> table = OpenTable(file, options_.input, console);
    if (table.ok()) return report_(*table, options_, console);
    status = table.status();
  }
  return report_unopened_(file.name, status, options_, console);
}

ExitCode ReportCommand::Run(const std::vector<std::string>& paths, Console* console) {
  if (list_.has_value() || list0_.has_value()) {
    if (list_.has_value() && list0_.has_value()) {
      return console->Fail(absl::InvalidArgumentError(
          absl::StrCat(info_.name, ": --files-from and --files0-from can't be combined")));
    }
    if (!paths.empty()) {
      return console->Fail(absl::InvalidArgumentError(
          absl::StrCat(info_.name, ": a list of files can't be combined with ", info_.arguments)));
    }
    return list_.has_value() ? RunOnList(*list_, '\n', console) : RunOnList(*list0_, '\0', console);
  }
  if (paths.empty()) {
    return console->Fail(absl::InvalidArgumentError(
        absl::StrCat(info_.name, ": too few arguments; expected: ", info_.arguments)));
  }
  const InputFiles inputs = FindFiles(paths, console);
  const std::vector<ExitCode> codes = ReportOnAll(inputs, console);
  return ReportSummary(inputs, codes, options_.format, console);
}

std::vector<ExitCode> ReportCommand::ReportOnAll(const InputFiles& inputs, Console* console) {
  return RunOnFiles(
      inputs.files, jobs_,
      [this](const InputFile& file, Console* own) { return ReportOn(file, own); }, console);
}

ExitCode ReportCommand::RunOnList(const std::string& list, char end, Console* console) {
  NameList names(list, end);
  FilesSummary summary;
  absl::Status status;
  std::vector<std::string> paths;
  do {
    status = names.Next(kNamesAtOnce, &paths);
    const InputFiles inputs = FindFiles(paths, console);
    const std::vector<ExitCode> codes = ReportOnAll(inputs, console);
    summary.Add(inputs.files, codes);
  } while (status.ok() && !paths.empty() && !console->closed());
  const ExitCode code = ReportSummary(summary, /*many=*/true, options_.format, console);
  return status.ok() ? code : console->Fail(status);
}

}  // namespace sstable::tools
