// `sst split`: divides keys into ranges with about the same amount of data.
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
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "tools/bulk/range_sample.h"
#include "tools/bulk/record_input.h"
#include "tools/commands/commands.h"
#include "tools/records/key_range.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

constexpr uint64_t kMaxParts = 1 << 16;
constexpr size_t kMaxSampleCount = 1 << 18;
constexpr size_t kMaxSampleKeyBytes = size_t{256} << 20;

const CommandInfo& Info() {
  static const auto* info = new CommandInfo{
      "split",
      "find ranges of keys for tables of about the same size",
      "--parts N [INPUT...]",
      /*min_arguments=*/0,
      /*max_arguments=*/SIZE_MAX,
      R"(Prints N ranges of keys, one per line, for `sst build --range`. Together they
contain all keys, and each has about the same number of bytes of the records in
the INPUTs, or on standard input (-). The records have the formats of `sst build`
and may be in any order.

The ranges are computed from a sample of at most 262144 records, so the memory
for it does not grow with the INPUTs. The same records, in any order, give the
same ranges. Records of one key stay together, so a range is larger than the
others if one of its keys has large records, and there are fewer ranges if the
sample has fewer than N keys.)",
      R"help(  sst split --parts 64 part-*.tsv >ranges
  sst build --sort --number 9 --range "$(sed -n 9p ranges)" db part-*.tsv >>lines)help"};
  return *info;
}

class SplitCommand final : public Command {
 public:
  const CommandInfo& info() const override { return Info(); }
  void AddOptions(CommandLine* command_line) override;
  ExitCode Run(const std::vector<std::string>& arguments, Console* console) override;

 private:
  absl::StatusOr<RangeSample> ReadSample(std::vector<std::string> inputs, Console* console) const;
  absl::Status Split(std::vector<std::string> inputs, Console* console) const;

  RecordInputOptions input_;
  const Comparator* comparator_ = BytewiseComparator();
  uint64_t parts_ = 0;
};

void SplitCommand::AddOptions(CommandLine* command_line) {
  command_line->AddNumber("--parts", "N", {1, kMaxParts}, &parts_, "Number of ranges");
  input_.AddTo(command_line);
  command_line->AddChoice<const Comparator*>("--comparator",
                                             {{"bytewise", BytewiseComparator()},
                                              {"reverse", ReverseBytewiseComparator()},
                                              {"idb_cmp1", IndexedDbComparator()}},
                                             &comparator_, "Order of the keys. Default: bytewise");
}

absl::StatusOr<RangeSample> SplitCommand::ReadSample(std::vector<std::string> inputs,
                                                     Console* console) const {
  RangeSample sample(kMaxSampleCount, kMaxSampleKeyBytes);
  RecordReader reader(std::move(inputs), input_.reader, console);
  const bool has_tag = input_.reader.key_kind == KeyKind::kInternal;
  Record record;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_record, reader.Next(&record));
    if (!has_record) break;
    sample.Add(has_tag ? ExtractUserKey(record.key) : record.key,
               record.key.size() + record.value.size());
  }
  console->progress().End();
  return sample;
}

absl::Status SplitCommand::Split(std::vector<std::string> inputs, Console* console) const {
  ASSIGN_OR_RETURN(const RangeSample sample, ReadSample(std::move(inputs), console));
  KeyRange range;
  uint64_t range_count = 0;
  const auto print = [&] {
    console->Write(absl::StrCat(FormatKeyRange(range, OutsideOfCsv(input_.reader.encoding)), "\n"));
    ++range_count;
  };
  for (const std::string& cut : sample.Cuts(*comparator_, parts_)) {
    range.to = cut;
    print();
    range.from = cut;
  }
  range.to.reset();
  print();
  console->Say(absl::StrCat(Count(range_count, "range"), ", from a sample of ", sample.count(),
                            " of ", Count(sample.record_count(), "record")));
  return absl::OkStatus();
}

ExitCode SplitCommand::Run(const std::vector<std::string>& arguments, Console* console) {
  if (parts_ == 0) return console->Fail(absl::InvalidArgumentError("split: --parts N is missing"));
  const absl::StatusOr<std::vector<std::string>> inputs = input_.TakeInputs(arguments, 0);
  return console->Fail(inputs.ok() ? Split(*inputs, console) : inputs.status());
}

}  // namespace

std::unique_ptr<Command> NewSplitCommand() { return std::make_unique<SplitCommand>(); }

}  // namespace sstable::tools
