// Every version of every key of a database, and where it stands.
#ifndef SSTABLE_DB_HISTORY_H_
#define SSTABLE_DB_HISTORY_H_

#include <memory>
#include <vector>

#include "db/entry_source.h"
#include "sstable/comparator.h"
#include "sstable/database_view.h"

namespace sstable {

// Merges `sources`, the newest first if some have the same entry. The comparator must outlive it.
std::unique_ptr<HistoryIterator> NewHistory(std::vector<std::unique_ptr<EntrySource>> sources,
                                            const Comparator* user_comparator);

// Has no entries, and `status`.
std::unique_ptr<HistoryIterator> NewFailedHistory(absl::Status status);

}  // namespace sstable

#endif  // SSTABLE_DB_HISTORY_H_
