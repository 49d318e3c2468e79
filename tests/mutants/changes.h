// The changes that mutants are made of.
//
// Each is made in place and says what was done and where; nothing, if it does not suit the table.
// Places are those of the original, since a change may follow another that moved them.
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

// Bytes and runs of them, at any place.
absl::Span<const Change> ByteChanges();
// At the end, in front and in the middle; at any byte as likely as at another.
absl::Span<const Change> Cuts();
// A bit in each of a few of what follows the data blocks: meta blocks, metaindex, index, the
// handles in the footer, the magic.
absl::Span<const Change> TailChanges();
// Blocks that move, and the fields of blocks and footer. Checksums stay as they are.
absl::Span<const Change> FieldChanges();
// Entries of data, index and metaindex blocks. The table is written anew, with right checksums.
absl::Span<const Change> EntryChanges();

}  // namespace sstable::mutants

#endif  // SSTABLE_TESTS_MUTANTS_CHANGES_H_
