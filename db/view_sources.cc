#include "db/view_sources.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "absl/strings/string_view.h"
#include "db/log_entries.h"
#include "sstable/slice.h"

namespace sstable {
namespace {

// Iterates over entries in memory, from the logs or from a table that had to be sorted.
class MemorySource final : public EntryWalk {
 public:
  using NameOf = std::function<absl::string_view(uint32_t log_index)>;

  MemorySource(const LogEntries* entries, const KeyOrder* order, NameOf name_of)
      : entries_(*entries), order_(*order), name_of_(std::move(name_of)), i_(size()) {}

  bool Valid() const override { return i_ < size(); }
  void SeekToFirst() override { i_ = 0; }
  void SeekToLast() override { i_ = size() - 1; }  // wraps past the end if there are none
  void Seek(Slice target) override { i_ = entries_.Find(order_.Split(target)); }
  void Next() override { ++i_; }
  void Prev() override { --i_; }  // wraps past the end, too
  absl::string_view key() const override { return entry().key(); }
  absl::string_view value() const override { return entry().value(); }
  absl::Status status() const override { return absl::OkStatus(); }
  Place place() const override { return {name_of_(entry().log_index), entry().offset}; }

 private:
  size_t size() const { return entries_.entries().size(); }
  const LogEntries::Entry& entry() const { return entries_.entries()[i_]; }

  const LogEntries& entries_;
  const KeyOrder& order_;
  const NameOf name_of_;
  size_t i_;
};

}  // namespace

std::vector<std::unique_ptr<EntryWalk>> SourcesOf(const ViewState& state,
                                                  const OnDamage& on_damage) {
  std::vector<std::unique_ptr<EntryWalk>> sources;
  sources.push_back(std::make_unique<MemorySource>(
      &state.log_entries, &*state.order,
      [&state](uint32_t i) { return absl::string_view(state.logs[i].name); }));
  for (const TableRun& run : state.runs) {
    sources.push_back(NewRunIterator(state.tables.get(), &run, &*state.order, on_damage));
  }
  for (const LogEntries& table : state.sorted_tables) {
    sources.push_back(std::make_unique<MemorySource>(&table, &*state.order, [&state](uint32_t i) {
      return absl::string_view(state.tables->tables()[i].name);
    }));
  }
  return sources;
}

}  // namespace sstable
