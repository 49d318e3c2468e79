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

  // Returns DataLoss if ViewTables::CheckOrder() finds table `i` out of order; OK if its file is
  // missing.
  absl::Status Check(size_t i);

  // Checks the first table, and those whose range in the MANIFEST contradicts the database's order;
  // if one of them is out of order, checks all. (Opening all tables would take too long.) Other
  // tables are checked when they are first read, which is too late to sort them.
  void CheckSome();

  // Adds the tables found out of order to the state's sorted tables, and reports them. Returns the
  // indices of all other tables, including those that can't be sorted.
  std::vector<size_t> Sort();

 private:
  bool IsDoubtful(size_t i) const;
  bool SortTable(size_t i, const absl::Status& order, uint64_t* bytes_left);

  ViewState& state_;
  std::map<size_t, absl::Status> found_;  // what is out of order in a table
};

}  // namespace sstable

#endif  // SSTABLE_DB_UNORDERED_TABLES_H_
