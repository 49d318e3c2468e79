// `sst filter add` and `sst filter strip`: copy a table with other filters, or with none.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "report/json.h"
#include "report/text/words.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/format.h"
#include "table/inspect/filter_rewriter.h"
#include "table/metaindex.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/commands/commands.h"
#include "tools/files/open_table.h"
#include "tools/files/table_output.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& AddInfo() {
  static const auto* info = new CommandInfo{
      "filter add",
      "copy a table and give it a new filter",
      "FILE -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/1,
      R"(Writes OUT, a copy of the table FILE with a new filter. Data blocks are copied
byte for byte and read only to get their keys; the rest is written anew. FILE may
come from any writer, may be in an unknown order, and is only read. If a data
block is damaged, there is no OUT, so no key is missing from the new filter.

With --filter, FILE's filter for the whole table stays, if it has one, and with
--table-filter its filter for blocks; none removes it. With neither, --filter is
bloom:10. A filter that stays is copied unchanged. If it is damaged or does not
contain a key, there is no OUT: replace it, or remove it with none. One with an
unknown policy is copied untested. Other meta blocks are copied; their contents
must not depend on where they are in the file.

LevelDB's MANIFEST has the size of each table of a database, so OUT can't simply
replace a table in a database: the MANIFEST must be changed, too, for instance by
RepairDB.
json: one object on one line.)",
      R"(  sst filter add 000005.ldb -o with_filter.ldb
  sst filter add --filter bloom:1% --filter-base-lg auto 000005.ldb -o small.ldb
  sst filter add --filter none --table-filter fuse8 000005.ldb -o fuse.ldb)"};
  return *info;
}

const CommandInfo& StripInfo() {
  static const auto* info = new CommandInfo{
      "filter strip",
      "copy a table without its filters",
      "FILE -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/1,
      R"(Writes OUT, a copy of the table FILE without filters. Data blocks are copied
byte for byte, after a check of their checksums, without uncompressing them. Other
meta blocks are copied as well; their contents must not depend on where they are
in the file. FILE is only read. If FILE is damaged, there is no OUT.
json: one object on one line.)",
      R"(  sst filter strip 000005.ldb -o bare.ldb)"};
  return *info;
}

class FilterRewriteCommand final : public Command {
 public:
  enum class Kind { kAdd, kStrip };
  explicit FilterRewriteCommand(Kind kind) : kind_(kind) {}

  const CommandInfo& info() const override { return kind_ == Kind::kAdd ? AddInfo() : StripInfo(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status CheckOutput(const std::string& in) const;
  absl::StatusOr<NewFilters> Wanted() const;
  absl::StatusOr<RewrittenTable> Rewrite(const OpenedTable& table, Console* console) const;
  void Report(const OpenedTable& table, const RewrittenTable& written, Console* console) const;

  const Kind kind_;
  std::optional<std::string> out_;
  TableInputOptions input_;
  TableOutputOptions output_;
  const std::unique_ptr<const FilterPolicy> default_policy_ = NewBloomFilterPolicy(10);
  ReportFormat format_ = ReportFormat::kText;
};

void FilterRewriteCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("-o,--output", "OUT", &out_, kOutputHelp);
  if (kind_ == Kind::kAdd) {
    output_.AddFiltersTo(command_line, "bloom:10, unless --table-filter is given");
  } else {
    output_.AddForceTo(command_line);
  }
  AddFormatTo(command_line, &format_,
              "text is on standard error, json on standard output. Default: text");
  input_.AddTo(command_line);
}

absl::Status FilterRewriteCommand::CheckOutput(const std::string& in) const {
  if (!out_.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(info().name, ": -o OUT is missing"));
  }
  RETURN_IF_ERROR(output_.CheckOptions());
  return output_.CheckReplaceable(*out_, in);
}

absl::StatusOr<NewFilters> FilterRewriteCommand::Wanted() const {
  if (kind_ == Kind::kStrip) return NewFilters{nullptr, nullptr};
  NewFilters filters = {output_.filter_policy(), output_.table_filter_policy()};
  const bool makes_windows = filters.filter_policy.has_value()
                                 ? *filters.filter_policy != nullptr
                                 : !filters.table_filter_policy.has_value();
  if (output_.filter_base_lg().has_value() && !makes_windows) {
    return absl::InvalidArgumentError("--filter-base-lg needs a --filter that has windows");
  }
  if (!filters.filter_policy.has_value() && !filters.table_filter_policy.has_value()) {
    filters.filter_policy = default_policy_.get();
  }
  filters.table_filter_prefixes = output_.table_filter_prefixes();
  filters.filter_base_lg = output_.filter_base_lg().value_or(filters.filter_base_lg);
  return filters;
}

absl::StatusOr<RewrittenTable> FilterRewriteCommand::Rewrite(const OpenedTable& table,
                                                             Console* console) const {
  ASSIGN_OR_RETURN(const NewFilters filters, Wanted());
  // A filter built for the wrong kind of keys would rule out all keys.
  if (kind_ == Kind::kAdd) RETURN_IF_ERROR(CheckKindIsCertain(table, "the filter"));
  const InterruptGuard guard;
  ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, CreateTableOutput(*out_, console));
  console->progress().Begin(absl::StrCat("writing ", *out_), 0);
  return RewriteFilters(*table.reader, table.key_trust, filters, std::move(file));
}

void FilterRewriteCommand::Report(const OpenedTable& table, const RewrittenTable& written,
                                  Console* console) const {
  const RandomAccessFile& file = table.reader->file();
  Json filters = Json::array();
  std::string names;
  for (const MetaBlock& block : written.meta_blocks) {
    if (!IsFilterName(block.name)) continue;
    filters.push_back({{"name", JsonText(block.name)}, {"block", HandleJson(block.handle)}});
    absl::StrAppend(&names, ", ", block.name, " of ", block.handle.size, " bytes");
  }
  if (format_ == ReportFormat::kText) {
    return console->Say(absl::StrCat(*out_, ": ", written.file_size, " bytes; ", file.name(),
                                     " has ", file.size(), "; ", written.data_size,
                                     " bytes of data blocks are the same",
                                     names.empty() ? ", no filter" : names));
  }
  WriteJson({{"file", JsonText(file.name())},
             {"output", JsonText(*out_)},
             {"file_bytes", file.size()},
             {"output_bytes", written.file_size},
             {"data_bytes", written.data_size},
             {"keys", written.key_count},
             {"filters", std::move(filters)}},
            console);
}

ExitCode FilterRewriteCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  const std::string& path = arguments[0];
  if (const absl::Status status = CheckOutput(path); !status.ok()) return console->Fail(status);
  const absl::StatusOr<OpenedTable> table = OpenTable(path, input_, console);
  if (!table.ok()) return console->Fail(table.status());
  const absl::StatusOr<RewrittenTable> written = Rewrite(*table, console);
  console->progress().End();
  if (!written.ok()) return console->Fail(written.status());
  Report(*table, *written, console);
  return ExitCode::kOk;
}

}  // namespace

std::unique_ptr<Command> NewFilterAddCommand() {
  return std::make_unique<FilterRewriteCommand>(FilterRewriteCommand::Kind::kAdd);
}

std::unique_ptr<Command> NewFilterStripCommand() {
  return std::make_unique<FilterRewriteCommand>(FilterRewriteCommand::Kind::kStrip);
}

}  // namespace sstable::tools
