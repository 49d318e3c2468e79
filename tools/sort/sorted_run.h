// Sorted records in a temporary file: a table of stored values (tools/sort/stored_value.h). The
// file has no name, so the system removes it however the program ends. If the file system can't
// make such a file (O_TMPFILE), it has a name (sst-sort-*) for a moment, and remains if SIGKILL or
// a system crash comes just then.
#ifndef SSTABLE_TOOLS_SORT_SORTED_RUN_H_
#define SSTABLE_TOOLS_SORT_SORTED_RUN_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"

namespace sstable::tools {

struct SortedRun {
  std::unique_ptr<TableReader> reader;
  uint64_t max_block_size = 0;  // approximate; an iterator holds one block
};

// Pattern:  Create Add* Finish. Keys ascend strictly.
// Errors:   from the temporary file and TableBuilder.
class RunWriter {
 public:
  // Creates the file in `folder`. Borrows the order.
  static absl::StatusOr<RunWriter> Create(const std::string& folder, const KeyOrder* order);

  absl::Status Add(absl::string_view key, absl::string_view stored_value);

  // The run still borrows the order.
  absl::StatusOr<SortedRun> Finish();

 private:
  // Closes the descriptor.
  struct Close {
    void operator()(const int* descriptor) const;
  };

  RunWriter(int descriptor, std::string name, const KeyOrder* order);

  std::unique_ptr<int, Close> descriptor_;
  std::string name_;  // for messages
  const KeyOrder* order_;
  std::unique_ptr<TableBuilder> builder_;
  uint64_t max_record_size_ = 0;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_SORTED_RUN_H_
