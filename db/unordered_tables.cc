#include "db/unordered_tables.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/sorted_table.h"
#include "sstable/experimental/key_guess.h"

namespace sstable {

absl::Status UnorderedTables::Check(size_t i) {
  if (!state_.tables->tables()[i].file_size.has_value()) return absl::OkStatus();
  absl::Status order = state_.tables->CheckOrder(i);
  if (absl::IsNotFound(order) || absl::IsAborted(order)) state_.found_all = false;
  if (absl::IsDataLoss(order)) found_.emplace(i, order);
  return order;
}

bool UnorderedTables::IsDoubtful(size_t i) const {
  const DatabaseTable& table = state_.tables->tables()[i];
  if (i == 0 || !HasRange(table, state_.comparator)) return true;
  const DatabaseTable& before = state_.tables->tables()[i - 1];
  return table.level > 0 && table.level == before.level &&
         state_.order->Compare(before.largest, table.smallest) >= 0;
}

void UnorderedTables::CheckSome() {
  const size_t count = state_.tables->tables().size();
  bool is_any_unordered = false;
  for (size_t i = 0; !is_any_unordered && i < count; ++i) {
    is_any_unordered = IsDoubtful(i) && absl::IsDataLoss(Check(i));
  }
  for (size_t i = 0; is_any_unordered && i < count; ++i) Check(i).IgnoreError();
}

std::vector<size_t> UnorderedTables::Sort() {
  std::vector<size_t> others;
  uint64_t bytes_left = kMaxSortedBytes;
  for (size_t i = 0; i < state_.tables->tables().size(); ++i) {
    const auto order = found_.find(i);
    if (order == found_.end() || !SortTable(i, order->second, &bytes_left)) others.push_back(i);
  }
  return others;
}

// Returns false if the table can't be sorted. `order` says what is out of order.
bool UnorderedTables::SortTable(size_t i, const absl::Status& order, uint64_t* bytes_left) {
  const std::string name = state_.tables->tables()[i].name;
  const auto reader = state_.tables->Open(i);
  if (!reader.ok()) return false;  // it was removed meanwhile
  GivenKeys given;
  given.key_kind = KeyKind::kInternal;
  const auto keys = ResolveKeys(**reader, given);
  const bool shows_order = keys.ok() && keys->order_known_by == KnownBy::kEvidence &&
                           !keys->has_out_of_order && keys->comparator != state_.comparator;
  std::string message = shows_order
                            ? absl::StrCat(PathIn(state_.folder, name),
                                           ": its keys are in the order ", keys->comparator->Name(),
                                           ", the database's is ", state_.comparator->Name(),
                                           ": it was written by a program with another comparator")
                            : std::string(order.message());
  std::vector<absl::Status> damage;
  auto sorted =
      sstable::SortTable(**reader, static_cast<uint32_t>(i), &*state_.order, bytes_left,
                         [&damage](const absl::Status& status) { damage.push_back(status); });
  if (!sorted.ok()) absl::StrAppend(&message, "; ", sorted.status().message());
  state_.problems.push_back({name, std::nullopt, std::move(message), /*is_damage=*/true});
  state_.tables->SetOutOfOrder(i);
  if (!sorted.ok()) return false;
  for (const absl::Status& status : damage) state_.problems.push_back(ProblemOf(name, status));
  state_.sorted_tables.push_back(*std::move(sorted));
  return true;
}

}  // namespace sstable
