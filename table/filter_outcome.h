// The answers of the filters in one lookup, and how the lookup is counted.
#ifndef SSTABLE_TABLE_FILTER_OUTCOME_H_
#define SSTABLE_TABLE_FILTER_OUTCOME_H_

#include "filter/lookup_filter.h"
#include "table/reader_stats_counter.h"

namespace sstable {

// A lookup counts as a negative if a filter ruled the key out and no block was searched; as a
// positive if a block was searched that a filter, the table's or its own, did not rule out; else as
// unfiltered.
//
// Pattern: construct with the answer of the table's filter. Unless that rules the key out:
// RulesOut() for each block in order, then set_has_key(). Count().
class FilterOutcome {
 public:
  FilterOutcome() = default;
  explicit FilterOutcome(FilterAnswer of_table) : of_table_(of_table) {}

  // True if the table's filter rules the key out.
  bool table_rules_out() const { return of_table_ == FilterAnswer::kAbsent; }

  // Notes the answer of a block's filter and returns true if it rules the key out. If not, the
  // block is searched.
  bool RulesOut(FilterAnswer of_block) {
    answers_ |= Bit(of_block);
    if (of_block == FilterAnswer::kAbsent) return true;
    answers_ |= Bit(of_table_);
    return false;
  }

  void set_has_key(bool has_key) { has_key_ = has_key; }

  // A filter negative counts only if no block was searched. Lookups that end in an error don't
  // count.
  template <typename Counts>
  void Count(Counts* counts) const {
    const unsigned answers = answers_ != 0 ? answers_ : Bit(of_table_);
    if (answers == Bit(FilterAnswer::kAbsent)) {
      counts->Add(ReaderStatsCounter::kFilterNegatives);
    } else if ((answers & Bit(FilterAnswer::kMayMatch)) != 0) {
      counts->Add(ReaderStatsCounter::kFilterPositives);
      if (!has_key_) counts->Add(ReaderStatsCounter::kFalsePositives);
    } else {
      counts->Add(ReaderStatsCounter::kUnfilteredLookups);
    }
  }

 private:
  static constexpr unsigned Bit(FilterAnswer answer) { return static_cast<unsigned>(answer); }

  FilterAnswer of_table_ = FilterAnswer::kNotAsked;
  unsigned answers_ = 0;  // a Bit() of each block's answer
  bool has_key_ = false;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_FILTER_OUTCOME_H_
