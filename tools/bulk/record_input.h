// The options of commands that read records.
#ifndef SSTABLE_TOOLS_BULK_RECORD_INPUT_H_
#define SSTABLE_TOOLS_BULK_RECORD_INPUT_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/command_line.h"
#include "tools/records/record_reader.h"

namespace sstable::tools {

struct RecordInputOptions {
  std::optional<RecordFormat> format;
  RecordReaderOptions reader;

  void AddTo(CommandLine* command_line);

  // Returns the inputs named by `arguments` from `first` on; standard input if there are none. If
  // no format is given, takes it from their names; InvalidArgument if they don't agree.
  absl::StatusOr<std::vector<std::string>> TakeInputs(const std::vector<std::string>& arguments,
                                                      size_t first);
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_BULK_RECORD_INPUT_H_
