#include "db/unordered_tables.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "db/folder.h"
#include "db/folder_files.h"
#include "db/log_entries.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/internal_key.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/block/show_key.h"
#include "table/index/table_index.h"
#include "table/table_internals.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Memory limit for all sorted tables of a view together.
constexpr uint64_t kMaxSortedBytes = uint64_t{128} << 20;

// Returns all entries of the table, sorted, with `table` as their log_index. Borrows `order`.
// Passes damage to `on_damage` and skips it. Charges the memory to `*bytes_left`. Errors:
// ResourceExhausted if there is too little left; errors of a limit on work.
absl::StatusOr<LogEntries> SortTable(const TableReader& reader, uint32_t table,
                                     const KeyOrder* order, uint64_t* bytes_left,
                                     const std::function<void(const absl::Status&)>& on_damage) {
  RETURN_IF_ERROR(reader.LoadIndex());
  LogEntries entries;
  const auto it = reader.NewIterator(ReadOptions::ForScan());
  for (it->SeekToFirst(); it->Valid() || !it->status().ok();) {
    if (!it->Valid()) {
      if (IsLimit(it->status())) return it->status();
      on_damage(it->status());
      if (!it->SkipDamage()) break;
      continue;
    }
    const uint64_t size = sizeof(LogEntries::Entry) + it->key().size() + it->value().size();
    if (size > *bytes_left) return absl::ResourceExhaustedError("it is too large to be sorted");
    *bytes_left -= size;
    const uint64_t offset = IndexOf(reader)->record(it->block_index()).handle().offset;
    if (const auto key = ParseInternalKey(it->key())) {
      entries.Add({key->sequence, key->type, key->user_key, it->value()}, table, offset);
    } else {
      on_damage(absl::DataLossError(
          absl::StrCat(reader.file().name(), ": data block at offset ", offset, ": key ",
                       ShowKey(KeyKind::kInternal, it->key()), " is not an internal key")));
    }
    it->Next();
  }
  entries.Sort(order);
  return entries;
}

}  // namespace

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
