// Chooses entries that are spread evenly over the bytes of a table or database, reading little more
// than the blocks that have them. The choice is not random: the same files give the same entries.
#ifndef SSTABLE_TOOLS_DUMP_SAMPLE_H_
#define SSTABLE_TOOLS_DUMP_SAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/database_view.h"
#include "table/index/table_index.h"
#include "table/inspect/verified_scan.h"
#include "tools/cli/console.h"
#include "tools/files/open_table.h"

namespace sstable::tools {

inline constexpr uint64_t kMaxSample = 1'000'000;  // the keys are held in memory

// Passes up to `count` entries of a table to `visit`, in order, until it returns false. Holds the
// entries of a block in memory.
void VisitSample(
    VerifiedScan* scan, const TableIndex& index, uint64_t count,
    absl::FunctionRef<bool(absl::string_view key, absl::string_view value, size_t block)> visit);

// User keys of up to `count` entries in the tables and logs of a database, in order, each once.
struct SampledKeys {
  std::vector<std::string> keys;
  std::vector<absl::Status> errors;  // not reported here: reading the view may report the same
  uint64_t size = 0;                 // bytes of all tables and logs
};
SampledKeys SampleKeys(const DatabaseView& view, const TableInputOptions& input, uint64_t count,
                       Console* console);

}  // namespace sstable::tools

#endif  // SSTABLE_TOOLS_DUMP_SAMPLE_H_
