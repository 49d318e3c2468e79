// Finds a view's tables whose keys are not in its database's order, and sorts them.
#ifndef SSTABLE_DB_UNORDERED_TABLES_H_
#define SSTABLE_DB_UNORDERED_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "db/view_state.h"

namespace sstable {

// Lookups and merges rely on the order of each table.
//
// Pattern:   Check() for some tables, or CheckSome(); then Sort().
// Ownership: borrows the state, which has all its tables when CheckSome() or Sort() is called.
class UnorderedTables {
 public:
  explicit UnorderedTables(ViewState* state) : state_(*state) {}

  // Returns DataLoss if table `i` is out of order, as far as ViewTables::CheckOrder() reads it. OK
  // for a file that is missing.
  absl::Status Check(size_t i);

  // Opening all tables would take too long, so this checks the first table, and those with a range
  // in the MANIFEST that no program with the database's order would write; if one of these is out
  // of order, it checks all. The others are checked when they are first read, too late to be
  // sorted.
  void CheckSome();

  // Adds the tables found out of order to the state's sorted tables, and reports them. Returns the
  // numbers of all other tables, and of those that can't be sorted.
  std::vector<size_t> Sort();

 private:
  bool IsDoubtful(size_t i) const;
  bool SortTable(size_t i, const absl::Status& order, uint64_t* bytes_left);

  ViewState& state_;
  std::map<size_t, absl::Status> found_;  // what is out of order in a table
};

}  // namespace sstable

#endif  // SSTABLE_DB_UNORDERED_TABLES_H_
