// The records from which `sst build` makes tables.
#ifndef SSTABLE_TOOLS_BULK_BUILD_INPUT_H_
#define SSTABLE_TOOLS_BULK_BUILD_INPUT_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "table/block/key_order.h"
#include "tools/cli/console.h"
#include "tools/records/key_range.h"
#include "tools/records/record_reader.h"
#include "tools/sort/merged_records.h"
#include "tools/sort/unique_records.h"

namespace sstable::tools {

struct BuildInputOptions {
  RecordReaderOptions reader;
  KeyRange range;                   // range of user keys to read; other records are skipped
  const KeyOrder* order = nullptr;  // order of the table's keys; borrowed
};

// Reads the records of the inputs, one input after another. If the table has internal keys, a plain
// key becomes one with the lowest sequence that LevelDB assigns to a write.
class BuildInput final : public RecordSource {
 public:
  // Borrows the options and the console.
  BuildInput(std::vector<std::string> inputs, const BuildInputOptions* options, Console* console);

  // Errors: as for RecordReader.
  absl::StatusOr<bool> Next(Record* record) override;

  // Returns "data.tsv:12", for messages.
  std::string Name(const LinePlace& place) const { return reader_.Name(place); }

 private:
  const BuildInputOptions& options_;
  RecordReader reader_;
  std::string internal_key_;  // made from a plain record
};

// Merges the records of inputs that are each sorted. All inputs are open at once, each with a block
// of LineReader in memory.
class MergedBuildInput final : public RecordSource {
 public:
  // Borrows the options and the console. Errors: InvalidArgument if standard input is given twice.
  static absl::StatusOr<std::unique_ptr<MergedBuildInput>> Create(
      const std::vector<std::string>& inputs, const BuildInputOptions* options,
      Duplicates duplicates, Console* console);
  ~MergedBuildInput() override;

  // Errors: as for RecordReader and MergedRecords.
  absl::StatusOr<bool> Next(Record* record) override { return merged_->Next(record); }

 private:
  struct Input;
  class PassOn;

  MergedBuildInput();

  std::unique_ptr<PassOn> sink_;
  std::vector<std::unique_ptr<Input>> inputs_;
  std::optional<MergedRecords> merged_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BULK_BUILD_INPUT_H_
