// `sst merge`: makes one table of several.
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "report/text/words.h"
#include "sstable/filter_policy.h"
#include "sstable/iterator.h"
#include "sstable/options.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "table/table_internals.h"
#include "tools/bulk/table_sequence.h"
#include "tools/cli/common_options.h"
#include "tools/cli/interrupt.h"
#include "tools/commands/commands.h"
#include "tools/files/entry_stream.h"
#include "tools/files/input_files.h"
#include "tools/files/open_table.h"
#include "tools/files/table_output.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "merge",
      "make one table of several",
      "TABLE... -o OUT",
      /*min_arguments=*/1,
      /*max_arguments=*/SIZE_MAX,
      R"(Writes OUT, a table with the entries of all TABLEs, which have keys of one kind
and in one order. Of several entries with one key, OUT has the newest.

plain keys     the newest is that of the TABLE which comes last
internal keys  the newest version of a user key has the highest sequence, in any
               TABLE. If it is a deletion, OUT has that, since other tables of
               the database may have older values. --keep-all keeps all versions

The entries are read in order, a block of each TABLE at a time; all TABLEs are
open at once. If a TABLE is damaged, there is no OUT, or with --split-size only
those that were complete: `sst salvage` first makes a sound table of it. The logs
of a database are not TABLEs; for a folder, `sst dump` prints the live entries for
`sst build`.

With --split-size, OUT gets a number before its extension (out-000001.ldb,
out-000002.ldb), and all versions of a user key are in one table.)",
      R"(  sst merge old.ldb new.ldb -o merged.ldb
  sst merge --keep-all --compression zstd 000005.ldb 000007.ldb -o all.ldb
  sst merge --split-size 64M part-*.ldb -o whole.ldb)"};
  return *info;
}

class MergeCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::Status OpenTables(const std::vector<std::string>& paths, Console* console);
  absl::StatusOr<KeyOrder> CommonOrder() const;
  absl::Status AddEntries(const KeyOrder& order, TableSequence* tables, uint64_t* left_out) const;
  absl::Status Merge(const std::vector<std::string>& paths, Console* console);

  TableInputOptions input_;
  TableBuilderOptions options_;
  TableOutputOptions output_;
  TableSequenceOptions sequence_;
  const std::unique_ptr<const FilterPolicy> default_filter_policy_ = NewBloomFilterPolicy(10);
  std::optional<std::string> out_;
  bool keep_all_ = false;
  std::vector<OpenedTable> tables_;  // tables with entries, in the order of the arguments
};

void MergeCommand::AddOptions(CommandLine* command_line) {
  command_line->AddText("-o,--output", "OUT", &out_, kOutputHelp);
  command_line->AddFlag("--keep-all", &keep_all_,
                        "Keep all versions of each user key. Internal keys only");
  command_line->AddNumber("--split-size", "BYTES", {1, uint64_t{1} << 40, /*size=*/true},
                          &sequence_.split_size, kSplitSizeHelp);
  command_line->AddNumber("-j,--jobs", "N", {1, 64}, &options_.compression_threads,
                          kJobsHelp + std::string(" They compress blocks. Default: 1"));
  output_.AddTo(command_line, {"bloom:10", "snappy", "4K", "16"});
  input_.AddTo(command_line);
}

absl::Status MergeCommand::OpenTables(const std::vector<std::string>& paths, Console* console) {
  for (const std::string& path : paths) {
    if (IsFolder(path)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path,
          ": is a folder; expected tables, since a database's logs have entries, too. The live "
          "entries of databases: `sst dump --format tsv DIR... | sst build --sort --duplicates "
          "last OUT -`"));
    }
    if (sequence_.split_size == 0) RETURN_IF_ERROR(output_.CheckReplaceable(*out_, path));
    ASSIGN_OR_RETURN(OpenedTable table, OpenTable(path, input_, console));
    RETURN_IF_ERROR(table.reader->LoadIndex());
    if (table.keys.kind_known_by == KnownBy::kNothing) {
      const std::unique_ptr<Iterator> first = NewGuardedIterator(table.reader.get());
      first->SeekToFirst();
      RETURN_IF_ERROR(first->status());
      if (!first->Valid()) continue;  // a table without entries has no kind of keys
    }
    RETURN_IF_ERROR(CheckKindIsCertain(table, "which entries have the same key"));
    if (!table.searchable()) {
      return absl::UnimplementedError(
          absl::StrCat(table.reader->file().name(), ": ", table.why_not_searchable));
    }
    tables_.push_back(std::move(table));
  }
  return absl::OkStatus();
}

absl::StatusOr<KeyOrder> MergeCommand::CommonOrder() const {
  if (tables_.empty()) return KeyOrder(BytewiseComparator(), KeyKind::kPlain);
  const TableReader& first = *tables_.front().reader;
  const KeyOrder& order = KeyOrderOf(first);
  const auto describe = [](const KeyOrder& of) {
    return absl::StrCat(of.kind() == KeyKind::kInternal ? "internal" : "plain", " keys in ",
                        OrderName(of.user_comparator()));
  };
  for (const OpenedTable& table : tables_) {
    const KeyOrder& other = KeyOrderOf(*table.reader);
    if (other.kind() == order.kind() && &other.user_comparator() == &order.user_comparator()) {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        table.reader->file().name(), ": has ", describe(other), ", and ", first.file().name(),
        " has ", describe(order), "; if that is wrong, --keys and --comparator override it"));
  }
  if (keep_all_ && order.kind() == KeyKind::kPlain) {
    return absl::InvalidArgumentError(
        absl::StrCat("--keep-all is for internal keys, and ", first.file().name(),
                     " has plain keys, each of which a table can have only once"));
  }
  return KeyOrder(&order.user_comparator(), order.kind());
}

// `*left_out` counts the entries that are dropped because a newer or equal one is kept.
absl::Status MergeCommand::AddEntries(const KeyOrder& order, TableSequence* tables,
                                      uint64_t* left_out) const {
  // A merge visits equal keys in the order of its children.
  std::vector<std::unique_ptr<Iterator>> children;
  for (auto table = tables_.rbegin(); table != tables_.rend(); ++table) {
    children.push_back(NewGuardedIterator(table->reader.get()));
  }
  const auto it = NewMergingIterator(&order.user_comparator(), order.kind(), std::move(children));
  const bool has_versions = order.kind() == KeyKind::kInternal;
  std::string last, last_value;  // last_value is set only if there are versions
  bool has_last = false;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const absl::string_view key = it->key();
    if (has_last &&
        (keep_all_ ? order.Compare(last, key) == 0 : order.HasUserKey(last, order.UserKey(key)))) {
      if (has_versions && order.Compare(last, key) == 0 && last_value != it->value()) {
        return absl::InvalidArgumentError(
            absl::StrCat("two TABLEs have ", ShowKey(KeyKind::kInternal, key),
                         " with different values: they are not from the same database"));
      }
      ++*left_out;
      continue;
    }
    RETURN_IF_ERROR(tables->Add(key, it->value()));
    last.assign(key.data(), key.size());
    if (has_versions) last_value.assign(it->value().data(), it->value().size());
    has_last = true;
  }
  return it->status();
}

absl::Status MergeCommand::Merge(const std::vector<std::string>& paths, Console* console) {
  if (!out_.has_value()) return absl::InvalidArgumentError("merge: -o OUT is missing");
  output_.ApplyTo(&options_);
  sequence_.out = *out_;
  RETURN_IF_ERROR(output_.CheckOptions());
  RETURN_IF_ERROR(sequence_.Check());
  if (sequence_.split_size > 0 && output_.force()) {
    return absl::InvalidArgumentError(
        "--split-size and --force can't be combined: one of the new tables could replace a TABLE");
  }
  RETURN_IF_ERROR(OpenTables(paths, console));
  ASSIGN_OR_RETURN(const KeyOrder order, CommonOrder());
  options_.comparator = &order.user_comparator();
  options_.key_kind = order.kind();
  const InterruptGuard guard;
  TableSequence tables(&sequence_, console);
  RETURN_IF_ERROR(tables.Begin());
  console->progress().Begin(absl::StrCat("writing ", *out_), 0);
  uint64_t left_out = 0;
  absl::Status status = AddEntries(order, &tables, &left_out);
  if (status.ok()) status = tables.Finish();
  if (!status.ok()) {
    tables.SayComplete();
    return status;
  }
  if (left_out > 0) {
    console->Say(absl::StrCat(
        Count(left_out, "entry"), " left out; ",
        keep_all_ ? "an equal one is kept" : "a newer or equal one of the same key is kept"));
  }
  return absl::OkStatus();
}

ExitCode MergeCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  options_.filter_policy = default_filter_policy_.get();
  sequence_.builder = &options_;
  sequence_.output = &output_;
  const absl::Status status = Merge(arguments, console);
  console->progress().End();
  const ExitCode code = console->Fail(status);
  if (absl::IsDataLoss(status)) {
    console->Say("what to do now: `sst salvage` makes a sound table of what is left of it");
  }
  return code;
}

}  // namespace

std::unique_ptr<Command> NewMergeCommand() { return std::make_unique<MergeCommand>(); }

}  // namespace sstable::tools
