#include "tools/bulk/build_input.h"

#include <algorithm>
#include <cstdint>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "report/text/words.h"
#include "sstable/comparator.h"
#include "sstable/internal_key.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// LevelDB's first write gets this sequence.
constexpr uint64_t kSequenceOfPlainRecords = 1;

// Returns the size of a file for the progress bar; 0 if it is not known.
uint64_t SizeOf(const std::string& path) {
  FileInfo info;
  return StatFile(path, &info) ? info.size : 0;
}

}  // namespace

BuildInput::BuildInput(std::vector<std::string> inputs, const BuildInputOptions* options,
                       Console* console)
    : options_(*options), reader_(std::move(inputs), options->reader, console) {}

absl::StatusOr<bool> BuildInput::Next(Record* record) {
  const bool has_tag = options_.reader.key_kind == KeyKind::kInternal;
  for (;;) {
    ASSIGN_OR_RETURN(const bool has_record, reader_.Next(record));
    if (!has_record) return false;
    const absl::string_view user_key = has_tag ? ExtractUserKey(record->key) : record->key;
    if (options_.range.Contains(options_.order->user_comparator(), user_key)) break;
  }
  if (!has_tag && options_.order->kind() == KeyKind::kInternal) {
    internal_key_ = MakeInternalKey(record->key, kSequenceOfPlainRecords, ValueType::kValue);
    record->key = internal_key_;
  }
  return true;
}

// A reader reports progress as if its input were all of the work. So each reader gets its own
// console, which advances the shared progress bar and passes messages on.
class MergedBuildInput::PassOn final : public ConsoleSink {
 public:
  explicit PassOn(Console* console) : console_(*console) {}

  void WriteData(absl::string_view data) override { console_.Write(data); }
  void WriteMessage(absl::string_view text) override { console_.SayRaw(text); }
  bool closed() const override { return console_.closed(); }

 private:
  Console& console_;
};

struct MergedBuildInput::Input {
  Input(const std::string& path, const BuildInputOptions* options, Console* whole, PassOn* sink)
      : console(whole, sink, SizeOf(path)), records({path}, options, &console) {}

  Console console;
  BuildInput records;
};

MergedBuildInput::MergedBuildInput() = default;
MergedBuildInput::~MergedBuildInput() = default;

absl::StatusOr<std::unique_ptr<MergedBuildInput>> MergedBuildInput::Create(
    const std::vector<std::string>& inputs, const BuildInputOptions* options, Duplicates duplicates,
    Console* console) {
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return absl::InvalidArgumentError("standard input (-) is among the INPUTs twice");
  }
  std::unique_ptr<MergedBuildInput> self(new MergedBuildInput);  // its constructor is private
  self->sink_ = std::make_unique<PassOn>(console);
  std::vector<RecordSource*> sources;
  uint64_t size = 0;
  for (const std::string& path : inputs) {
    size += SizeOf(path);
    self->inputs_.push_back(std::make_unique<Input>(path, options, console, self->sink_.get()));
    sources.push_back(&self->inputs_.back()->records);
  }
  console->progress().Begin(absl::StrCat("merging ", Count(inputs.size(), "input")), size);
  self->merged_.emplace(sources, options->order, duplicates,
                        [inputs = &self->inputs_](const LinePlace& place) {
                          return (*inputs)[place.input]->records.Name({0, place.line});
                        });
  return self;
}

}  // namespace sstable::tools
