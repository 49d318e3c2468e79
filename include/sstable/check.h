// Finds everything that is wrong with a table.
#ifndef SSTABLE_CHECK_H_
#define SSTABLE_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "sstable/table_reader.h"
#include "sstable/version.h"

namespace sstable {

// How far the reader's options are known to fit the keys of its table.
enum class KeyTrust {
  kOrdered,    // kind and comparator are right
  kUnordered,  // the kind is right; the order is not known
  kUnknown,    // even the kind may be wrong
};

struct CheckOptions {
  // Unless this is kOrdered, keys that are not in the comparator's order are no problem if the keys
  // of the whole table show another order or none.
  KeyTrust keys = KeyTrust::kOrdered;

  size_t max_problems = 1000;  // in the report; the rest are only counted
};

struct CheckProblem {
  std::string place;    // "data block at offset 12 (345 bytes)", "bytes 12 to 345"
  uint64_t offset = 0;  // where the block or the bytes start in the file
  uint64_t size = 0;    // in bytes, without a block's trailer
  std::string message;
};

struct CheckReport {
  std::vector<CheckProblem> problems;
  uint64_t problem_count = 0;

  uint64_t data_blocks = 0;
  uint64_t damaged_data_blocks = 0;  // not completely readable
  uint64_t entries = 0;              // in the readable blocks
  uint64_t keys_checked_with_filter = 0;
  bool order_checked = true;   // false: the order of keys is unknown, and ok() does not cover it
  bool order_assumed = false;  // the order was inferred, and some keys violate it
  std::string order_reason;    // the evidence of an order or of none; empty if the order was known
  absl::Status filter_status;  // as returned by TableReader::LoadFilter()
  // The first error, other than damage, that kept a block from being read. It is a problem, too.
  absl::Status read_status;

  // OutOfRange if blocks were left out because of a limit in TableReaderOptions; it names the
  // first. They are not problems, and not counted.
  absl::Status limit_status;

  bool ok() const { return problem_count == 0 && limit_status.ok(); }
};

// Reads all of the file and continues after damage. Checks the checksum, codec and structure of
// every block, and restart points; that handles are inside the file and each byte is in exactly one
// block; the order of keys within and across blocks, and the index keys between them; tags of
// internal keys; every key against the filter, unless the reader's options turn it off. Uses the
// comparator and kind of keys that `reader` was opened with. What can't be read is also a problem.
SSTABLE_EXPORT CheckReport CheckTable(const TableReader& reader, const CheckOptions& options = {});

}  // namespace sstable

#endif  // SSTABLE_CHECK_H_
