// What a table that was changed still says of its blocks, and checksums that are right again, so
// that tests reach what comes after them.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/format.h"

namespace sstable::test {

// nullopt if it is damaged.
std::optional<Footer> FindFooter(absl::string_view table);

// The handles in an index or metaindex block that fit the file, at most 1000. Its checksum is not
// looked at.
std::vector<BlockHandle> HandlesIn(const std::string& table, const BlockHandle& block);

// Those of data and meta blocks, index and metaindex.
std::vector<BlockHandle> AllHandles(const std::string& table, const Footer& footer);

// Gives every block that can be found a right checksum. Without a footer there is none.
void RepairChecksums(std::string* table);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_
