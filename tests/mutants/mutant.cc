#include "tests/mutants/mutant.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "tests/mutants/changes.h"
#include "tests/mutants/swap_changes.h"
#include "tests/support/table_repair.h"

namespace sstable::mutants {
namespace {

// Most mutants have one change.
size_t ChooseCount(Random* random) {
  if (random->OneIn(2)) return 1;
  return random->OneIn(2) ? 2 : 3 + random->Below(3);
}

const Change& ChooseChange(bool repaired, Random* random) {
  const size_t group = random->Below(repaired ? 3 : 2);
  return random->Pick(group == 0 ? ByteChanges() : group == 1 ? FieldChanges() : EntryChanges());
}

// Applies `change`, and adds its description to `*descriptions`.
void Apply(const Change& change, const Original& original, Random* random, Mutant* mutant,
           std::vector<std::string>* descriptions) {
  const std::string description = change.make(original, random, &mutant->bytes);
  if (description.empty()) return;
  mutant->kinds.emplace_back(change.kind);
  descriptions->push_back(absl::StrCat(change.kind, ": ", description));
}

void ChangeAnyhow(const Original& original, Random* random, Mutant* mutant) {
  mutant->repaired = random->OneIn(2);
  std::vector<std::string> descriptions;
  for (size_t left = ChooseCount(random); left > 0; --left) {
    const Change& change = ChooseChange(mutant->repaired, random);
    Apply(change, original, random, mutant, &descriptions);
  }
  if (mutant->repaired) {
    test::RepairChecksums(&mutant->bytes);
    descriptions.emplace_back("checksums repaired");
  }
  mutant->description = absl::StrJoin(descriptions, "; ");
}

// Applies one of `changes`, perhaps after another change, since a torn file often has other damage.
void Damage(absl::Span<const Change> changes, const Original& original, Random* random,
            Mutant* mutant) {
  std::vector<std::string> descriptions;
  if (random->OneIn(4)) {
    Apply(ChooseChange(false, random), original, random, mutant, &descriptions);
  }
  Apply(random->Pick(changes), original, random, mutant, &descriptions);
  mutant->description = absl::StrJoin(descriptions, "; ");
}

}  // namespace

Mutant MakeMutant(const Original& original, Random* random) {
  Mutant mutant;
  mutant.bytes = original.bytes;
  if (!original.spec.has_value()) {
    ChangeAnyhow(original, random, &mutant);
    return mutant;
  }
  const size_t choice = random->Below(16);
  if (choice < 1) {
    mutant.description = "not changed";
  } else if (choice < 5) {
    if (!SwapNeighbours(original, random, &mutant)) mutant.description = "no neighbours to swap";
  } else if (choice < 11) {
    Damage(Cuts(), original, random, &mutant);
  } else if (choice < 13) {
    Damage(TailChanges(), original, random, &mutant);
  } else {
    ChangeAnyhow(original, random, &mutant);
  }
  return mutant;
}

}  // namespace sstable::mutants
