// The changes that make a mutant.
//
// Each changes the table in place, and returns a description; an empty one if it does not suit the
// table. Offsets are those of the original, since an earlier change may have moved bytes.
#ifndef SSTABLE_TESTS_MUTANTS_CHANGES_H_
#define SSTABLE_TESTS_MUTANTS_CHANGES_H_

#include <string>

#include "absl/types/span.h"
#include "tests/mutants/original.h"
#include "tests/mutants/random.h"

namespace sstable::mutants {

struct Change {
  const char* kind;
  std::string (*make)(const Original& original, Random* random, std::string* bytes);
};

// Changes of single bytes and of runs, anywhere.
absl::Span<const Change> ByteChanges();
// Cuts at the end, at the start and in the middle; each byte is equally likely.
absl::Span<const Change> Cuts();
// Flips a bit in each of a few parts after the data blocks: meta blocks, metaindex, index, the
// handles in the footer, the magic.
absl::Span<const Change> TailChanges();
// Moves blocks, and changes fields of blocks and footer. Checksums are not corrected.
absl::Span<const Change> FieldChanges();
// Changes entries of data, index and metaindex blocks. The table is rewritten with correct
// checksums.
absl::Span<const Change> EntryChanges();

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_CHANGES_H_
