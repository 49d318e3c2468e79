// The changes that make a mutant.
//
// Each changes the table in place and returns a description, or an empty string if it does not
// apply to the table. Offsets are those in the original, since an earlier change may have moved
// bytes.
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

// Changes single bytes and runs of bytes, anywhere.
absl::Span<const Change> ByteChanges();
// Truncates the file, or removes its start or middle; every length is equally likely.
absl::Span<const Change> Cuts();
// Flips a bit in each of a few parts after the data blocks: meta blocks, metaindex, index, footer
// handles, magic.
absl::Span<const Change> TailChanges();
// Moves blocks, and changes fields of blocks and footer. Checksums are not corrected.
absl::Span<const Change> FieldChanges();
// Changes entries of data, index and metaindex blocks. The table is rewritten with correct
// checksums.
absl::Span<const Change> EntryChanges();

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_CHANGES_H_
