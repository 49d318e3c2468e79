// The options of commands that read records.
#ifndef SSTABLE_TOOLS_RECORD_INPUT_H_
#define SSTABLE_TOOLS_RECORD_INPUT_H_

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

  // The inputs that `arguments` name from `first` on: standard input, if there is none. Decides on
  // the format by them, unless it is given; InvalidArgument if they don't agree.
  absl::StatusOr<std::vector<std::string>> TakeInputs(const std::vector<std::string>& arguments,
                                                      size_t first);
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_RECORD_INPUT_H_
