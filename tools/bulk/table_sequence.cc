#include "tools/bulk/table_sequence.h"

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "db/folder.h"
#include "filter/bloom.h"
#include "report/json.h"
#include "report/text/words.h"
#include "sstable/comparator.h"
#include "sstable/database_files.h"
#include "sstable/experimental/table_filter.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "tools/files/input_files.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// Describes the filters that the options request.
std::string DescribeFilters(const TableBuilderOptions& options) {
  std::vector<std::string> filters;
  if (const FilterPolicy* const policy = options.filter_policy; policy != nullptr) {
    const std::optional<BloomTraits> bloom = BloomTraitsOf(*policy);
    filters.push_back(absl::StrCat(
        "filter ", policy->Name(),
        !bloom.has_value() ? ""
        : bloom->rate > 0  ? absl::StrCat(" for a rate of ", 100 * bloom->rate, " %")
                           : absl::StrCat(" with ", bloom->bits_per_key, " bits per key")));
  }
  if (const TableFilterPolicy* const policy = options.table_filter_policy; policy != nullptr) {
    filters.push_back(absl::StrCat("table filter ", policy->Name()));
  }
  return filters.empty() ? "no filter" : absl::StrJoin(filters, ", ");
}

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(sys::ToPath(path), error);
}

}  // namespace

absl::Status TableSequenceOptions::Check() const {
  RETURN_IF_ERROR(CheckIsNoUrl(out));
  if (split_size == 0) return absl::OkStatus();
  // FileSize() does not count blocks that the threads have not finished.
  if (builder->compression_threads > 1) {
    return absl::InvalidArgumentError(
        "--split-size and --jobs can't be combined: where a table ends depends on the size of "
        "its compressed blocks");
  }
  if (number > 0) return absl::OkStatus();
  if (out == "-") {
    return absl::InvalidArgumentError("--split-size writes several files; OUT can't be -");
  }
  std::error_code error;
  if (out.empty()) {
    return absl::InvalidArgumentError("OUT is empty; --split-size needs the name of a file");
  }
  if (std::filesystem::is_other(sys::ToPath(out), error)) {
    return absl::InvalidArgumentError(absl::StrCat(
        out, ": is not a regular file; --split-size adds a number to the name of a file"));
  }
  if (sys::FolderPartSize(out) == out.size() ||
      std::filesystem::is_directory(sys::ToPath(out), error)) {
    return absl::InvalidArgumentError(
        absl::StrCat(out,
                     ": is a folder; --split-size adds a number to the name of a file, and needs "
                     "--number to make tables in a folder"));
  }
  return absl::OkStatus();
}

TableSequence::TableSequence(const TableSequenceOptions* options, Console* console)
    : options_(*options),
      console_(console),
      order_(options->builder->comparator, options->builder->key_kind) {}

std::string TableSequence::Name(uint64_t index) const {
  if (IsInDatabase()) return PathIn(options_.out, TableFileName(options_.number + index));
  if (options_.split_size == 0) return options_.out;
  const std::string extension = sys::FromPath(sys::ToPath(options_.out).extension());
  return absl::StrFormat("%s-%06d%s",
                         options_.out.substr(0, options_.out.size() - extension.size()), index + 1,
                         extension);
}

std::string TableSequence::Names() const {
  if (IsStandardOutput()) return "standard output";
  return table_count_ < 2 ? Name(0) : absl::StrCat(Name(0), " to ", Name(table_count_ - 1));
}

// Protects an existing file that the user meant as an INPUT.
absl::Status TableSequence::CheckName() const {
  if (IsStandardOutput()) {
    return console_->output_is_terminal()
               ? absl::InvalidArgumentError(
                     "a table is not written to a terminal; redirect standard output")
               : absl::OkStatus();
  }
  if (IsInDatabase() && table_count_ > kMaxTableNumber - options_.number) {
    return absl::InvalidArgumentError(absl::StrCat("there is no number above ", kMaxTableNumber,
                                                   " for the next table; use a lower --number"));
  }
  // Begin() has checked that the folder has no database yet, so its tables may be replaced when a
  // task is run again.
  if (IsInDatabase()) return absl::OkStatus();
  const absl::Status status = options_.output->CheckReplaceable(Name(table_count_));
  if (!absl::IsAlreadyExists(status) || !options_.out_is_first) return status;
  return absl::AlreadyExistsError(absl::StrCat(status.message(), " (OUT comes before the INPUTs)"));
}

absl::Status TableSequence::BeginTable() {
  RETURN_IF_ERROR(CheckName());
  std::unique_ptr<WritableFile> file;
  if (IsStandardOutput()) {
    file = console_->OutputFile();
  } else {
    ASSIGN_OR_RETURN(file, CreateTableOutput(Name(table_count_), console_));
  }
  ASSIGN_OR_RETURN(builder_, TableBuilder::Create(std::move(file), *options_.builder));
  built_ = {};
  is_full_ = false;
  return absl::OkStatus();
}

absl::Status TableSequence::Begin() {
  // The MANIFEST of that database describes other tables of these names.
  if (const std::string current = PathIn(options_.out, kCurrentFileName);
      IsInDatabase() && Exists(current) && !options_.output->force()) {
    return absl::AlreadyExistsError(absl::StrCat(
        current, ": exists, so the folder has a database; --force replaces its tables"));
  }
  return BeginTable();
}

absl::Status TableSequence::Add(absl::string_view key, absl::string_view value) {
  if (is_full_ && order_.user_comparator().Compare(order_.UserKey(key), last_user_key_) != 0) {
    RETURN_IF_ERROR(EndTable(/*has_more=*/true));
    RETURN_IF_ERROR(BeginTable());
  }
  if (IsInDatabase()) built_.Add(key);
  RETURN_IF_ERROR(builder_->Add(key, value));
  if (options_.split_size > 0 && !is_full_ && builder_->FileSize() >= options_.split_size) {
    is_full_ = true;
    last_user_key_ = std::string(order_.UserKey(key));
  }
  return absl::OkStatus();
}

absl::Status TableSequence::EndTable(bool has_more) {
  // LevelDB has no tables without entries.
  const bool has_table = !IsInDatabase() || built_.entry_count > 0;
  if (has_table) RETURN_IF_ERROR(builder_->Finish());
  built_.has_more = has_more;
  built_.file.number = options_.number + table_count_;
  built_.file.size = builder_->FileSize();
  built_.comparator = std::string(order_.user_comparator().Name());
  if (has_table) ++table_count_;
  entry_count_ += builder_->NumEntries();
  size_ += builder_->FileSize();
  builder_.reset();
  if (!IsInDatabase()) return absl::OkStatus();
  WriteJson(BuiltTableJson(built_), console_);
  console_->Flush();  // a signal may end the program before the next table
  return absl::OkStatus();
}

absl::Status TableSequence::Finish() {
  RETURN_IF_ERROR(EndTable(/*has_more=*/false));
  console_->progress().End();
  if (table_count_ == 0) {
    console_->Say(absl::StrCat(Name(0), ": no record, so no table"));
    return absl::OkStatus();
  }
  console_->Say(absl::StrCat(
      Names(), ": ", table_count_ > 1 ? absl::StrCat(Count(table_count_, "table"), ", ") : "",
      Count(entry_count_, "entry"), ", ", size_, " bytes, ", DescribeFilters(*options_.builder)));
  // The next table may remain from an earlier run with smaller tables. In a database folder it may
  // be another task's, and `sst manifest` checks that.
  if (const std::string next = Name(table_count_);
      options_.split_size > 0 && !IsInDatabase() && Exists(next)) {
    console_->Say(absl::StrCat(next, ": exists, but is not one of these tables"));
  }
  return absl::OkStatus();
}

void TableSequence::SayComplete() const {
  if (options_.split_size == 0 || table_count_ == 0) return;
  console_->Say(absl::StrCat(Names(), ": complete, ", Count(table_count_, "table"), " with ",
                             Count(entry_count_, "entry"), "; the rest is not written"));
}

}  // namespace sstable::tools
