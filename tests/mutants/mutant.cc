#include "tests/mutants/mutant.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/mutants/changes.h"
#include "tests/support/table_repair.h"

namespace sstable::mutants {
namespace {

// Most have one change.
size_t ChooseCount(Random* random) {
  if (random->OneIn(2)) return 1;
  return random->OneIn(2) ? 2 : 3 + random->Below(3);
}

const Change& ChooseChange(bool repaired, Random* random) {
  const size_t group = random->Below(repaired ? 3 : 2);
  return random->Pick(group == 0 ? ByteChanges() : group == 1 ? FieldChanges() : EntryChanges());
}

}  // namespace

Mutant MakeMutant(const Original& original, Random* random) {
  Mutant mutant;
  mutant.bytes = original.bytes;
  mutant.repaired = random->OneIn(2);
  std::vector<std::string> descriptions;
  for (size_t left = ChooseCount(random); left > 0; --left) {
    const Change& change = ChooseChange(mutant.repaired, random);
    const std::string description = change.make(original, random, &mutant.bytes);
    if (description.empty()) continue;
    mutant.kinds.emplace_back(change.kind);
    descriptions.push_back(absl::StrCat(change.kind, ": ", description));
  }
  if (mutant.repaired) {
    test::RepairChecksums(&mutant.bytes);
    descriptions.emplace_back("checksums repaired");
  }
  mutant.description = absl::StrJoin(descriptions, "; ");
  return mutant;
}

}  // namespace sstable::mutants
