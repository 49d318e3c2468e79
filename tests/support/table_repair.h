// Finds the blocks of a table that was changed and corrects their checksums, so that tests reach
// the code that checksums protect.
#ifndef SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_
#define SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "sstable/format.h"

namespace sstable::test {

// Returns nullopt if the footer is damaged.
std::optional<Footer> FindFooter(absl::string_view table);

// Returns up to 1000 handles from an index or metaindex block: those that fit the file. Ignores the
// block's checksum.
std::vector<BlockHandle> HandlesIn(const std::string& table, const BlockHandle& block);

// Returns the handles of all blocks: data, meta, index and metaindex.
std::vector<BlockHandle> AllHandles(const std::string& table, const Footer& footer);

// Corrects the checksum of every block that can be found. Without a footer, none can.
void RepairChecksums(std::string* table);

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_SUPPORT_TABLE_REPAIR_H_
