// Every version of every key of a database, and where it is stored.
#ifndef SSTABLE_DB_HISTORY_H_
#define SSTABLE_DB_HISTORY_H_

#include <memory>
#include <vector>

#include "db/entry_walk.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"

namespace sstable {

// Merges `sources`. If several have the same entry, the earlier source is the newer one. The
// comparator must outlive the result.
std::unique_ptr<HistoryIterator> NewHistory(std::vector<std::unique_ptr<EntryWalk>> sources,
                                            const Comparator* user_comparator);

// Returns an iterator without entries, with `status`.
std::unique_ptr<HistoryIterator> NewFailedHistory(absl::Status status);

}  // namespace sstable

#endif  // SSTABLE_DB_HISTORY_H_
