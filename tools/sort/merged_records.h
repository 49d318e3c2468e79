// Merges sorted inputs, holding two records of each.
#ifndef SSTABLE_TOOLS_SORT_MERGED_RECORDS_H_
#define SSTABLE_TOOLS_SORT_MERGED_RECORDS_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "table/block/key_order.h"
#include "tools/records/record_reader.h"
#include "tools/sort/unique_records.h"

namespace sstable::tools {

// In the places of its records, `input` is the index in `inputs`.
//
// Errors: InvalidArgument, naming both places, for a record out of order in its input, and for a
//         key given twice, if that is refused; errors of the inputs.
class MergedRecords final : public RecordSource {
 public:
  // Borrows the inputs and the order. If keys are equal, records of an earlier input come first.
  MergedRecords(const std::vector<RecordSource*>& inputs, const KeyOrder* order,
                Duplicates duplicates, NameOfPlace name_of);
  MergedRecords(const MergedRecords&) = delete;
  MergedRecords& operator=(const MergedRecords&) = delete;

  absl::StatusOr<bool> Next(Record* record) override;

 private:
  class Input;

  const NameOfPlace name_of_;
  std::optional<UniqueRecords> records_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_SORT_MERGED_RECORDS_H_
