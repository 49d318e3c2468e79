#include "db/salvage/table_order.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <tuple>

#include "db/folder.h"
#include "sstable/database_files.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_iterator.h"
#include "util/crc32c.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// Merges tables; each is opened when its first key is reached.
class Sweep {
 public:
  Sweep(absl::string_view folder, const Comparator* comparator, std::vector<NewTable>* tables,
        std::vector<SoughtEntry>* sought)
      : folder_(folder), order_(comparator), tables_(*tables) {
    for (SoughtEntry& entry : *sought) sought_.push_back(&entry);
    std::sort(sought_.begin(), sought_.end(), [this](const SoughtEntry* a, const SoughtEntry* b) {
      return order_.Compare(a->key, b->key) < 0;
    });
    for (size_t i = 0; i < tables_.size(); ++i) waiting_.push_back(i);
    std::sort(waiting_.begin(), waiting_.end(), [this](size_t a, size_t b) {
      return order_.Compare(tables_[a].smallest, tables_[b].smallest) > 0;  // first table last
    });
    for (NewTable& table : tables_) {
      table.entry_count = table.deletion_count = table.live_key_count = table.last_sequence = 0;
      table.has_own_entries = false;
      has_unnamed_ = has_unnamed_ || table.is_unnamed;
    }
  }

  absl::StatusOr<NewerThan> Run(const std::function<absl::Status(uint64_t)>& on_progress) {
    while (!open_.empty() || !waiting_.empty()) {
      RETURN_IF_ERROR(OpenNext());
      const Cursor& first = *open_.front();
      Visit(first.table, first.it->key(), first.it->value());
      unreported_ += first.it->key().size() + first.it->value().size();
      RETURN_IF_ERROR(Advance());
      if (unreported_ >= kReportSize) {
        RETURN_IF_ERROR(on_progress(unreported_));
        unreported_ = 0;
      }
    }
    EndKey();
    return std::move(newer_);
  }

 private:
  static constexpr uint64_t kReportSize = uint64_t{1} << 20;

  struct Cursor {
    size_t table;
    std::unique_ptr<TableReader> reader;
    std::unique_ptr<TableIterator> it;
  };
  struct Version {
    uint64_t tag;         // sequence and type
    uint32_t value_hash;  // 0 if edits name all tables
    size_t table;
  };

  bool IsLater(const std::unique_ptr<Cursor>& a, const std::unique_ptr<Cursor>& b) const {
    const int order = order_.Compare(a->it->key(), b->it->key());
    return order != 0 ? order > 0 : a->table > b->table;
  }
  auto Later() const {
    return [this](const auto& a, const auto& b) { return IsLater(a, b); };
  }

  // Opens each table that begins at or before the current key.
  absl::Status OpenNext() {
    while (!waiting_.empty() && (open_.empty() || order_.Compare(tables_[waiting_.back()].smallest,
                                                                 open_.front()->it->key()) <= 0)) {
      const size_t table = waiting_.back();
      waiting_.pop_back();
      ASSIGN_OR_RETURN(auto reader,
                       OpenNewTable(folder_, tables_[table], order_.user_comparator()));
      auto it = reader->NewIterator(ReadOptions::ForScan());
      it->SeekToFirst();
      if (!it->Valid()) {
        return it->status().ok()
                   ? absl::DataLossError(absl::StrCat(tables_[table].name, ": has no entry"))
                   : it->status();
      }
      open_.push_back(std::make_unique<Cursor>(Cursor{table, std::move(reader), std::move(it)}));
      std::push_heap(open_.begin(), open_.end(), Later());
    }
    return absl::OkStatus();
  }

  absl::Status Advance() {
    std::pop_heap(open_.begin(), open_.end(), Later());
    TableIterator& it = *open_.back()->it;
    it.Next();
    if (it.Valid()) {
      std::push_heap(open_.begin(), open_.end(), Later());
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(it.status());
    open_.pop_back();
    return absl::OkStatus();
  }

  void Visit(size_t index, absl::string_view key, absl::string_view value) {
    NewTable& table = tables_[index];
    const uint64_t tag = ExtractTag(key);
    ++table.entry_count;
    if ((tag & 0xff) == static_cast<uint8_t>(ValueType::kDeletion)) ++table.deletion_count;
    table.last_sequence = std::max(table.last_sequence, tag >> 8);
    const absl::string_view user_key = ExtractUserKey(key);
    if (versions_.empty() || order_.user_comparator()->Compare(user_key, user_key_) != 0) {
      EndKey();
      user_key_.assign(user_key.data(), user_key.size());
    }
    versions_.push_back({tag, has_unnamed_ ? Crc32c(value) : 0, index});
  }

  bool IsUnnamed(const Version& version) const { return tables_[version.table].is_unnamed; }

  // Finds versions from `begin` to `end` that no named table has. All have the same sequence and
  // type, but another database may have used that sequence for a different value.
  void FindOwnEntries(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const bool is_elsewhere = std::any_of(
          versions_.begin() + begin, versions_.begin() + end, [&](const Version& other) {
            return !IsUnnamed(other) && other.value_hash == versions_[i].value_hash;
          });
      if (!is_elsewhere) tables_[versions_[i].table].has_own_entries = true;
    }
  }

  // Processes all versions of a user key, which come in descending order of sequence.
  void EndKey() {
    newest_.clear();
    for (size_t begin = 0, end = 0; begin < versions_.size(); begin = end) {
      while (end < versions_.size() && versions_[end].tag == versions_[begin].tag) ++end;
      FindOwnEntries(begin, end);
    }
    for (const Version& version : versions_) {
      const bool is_first =
          std::none_of(newest_.begin(), newest_.end(),
                       [&](const Version& newest) { return newest.table == version.table; });
      if (is_first) newest_.push_back(version);
    }
    if (!versions_.empty() &&
        (versions_[0].tag & 0xff) == static_cast<uint8_t>(ValueType::kValue)) {
      ++tables_[versions_[0].table].live_key_count;
    }
    FindSought();
    // Each table is newer than those with the next lower sequence. All other pairs follow from
    // these.
    size_t group = 0, last_group = 0;
    for (size_t i = 0; i < newest_.size(); ++i) {
      if (newest_[i].tag >> 8 != newest_[group].tag >> 8) {
        last_group = group;
        group = i;
      }
      if (group == 0) continue;
      for (size_t newer = last_group; newer < group; ++newer) {
        newer_.emplace(newest_[newer].table, newest_[i].table);
      }
    }
    versions_.clear();
  }

  // Searches for the sought entries up to the current user key.
  void FindSought() {
    for (; next_sought_ < sought_.size() && !versions_.empty(); ++next_sought_) {
      SoughtEntry& entry = *sought_[next_sought_];
      const int order = order_.user_comparator()->Compare(ExtractUserKey(entry.key), user_key_);
      if (order > 0) break;
      if (order < 0) continue;
      for (const Version& version : versions_) {
        if (!IsUnnamed(version) || version.tag >> 8 < ExtractTag(entry.key) >> 8) continue;
        entry.found[version.table] = version.tag == ExtractTag(entry.key)
                                         ? SoughtEntry::Found::kEntry
                                         : SoughtEntry::Found::kNewerVersion;
      }
    }
  }

  const absl::string_view folder_;
  const InternalKeyComparator order_;
  std::vector<NewTable>& tables_;
  bool has_unnamed_ = false;
  std::vector<SoughtEntry*> sought_;  // sorted by key
  size_t next_sought_ = 0;
  std::vector<size_t> waiting_;                // sorted by smallest key, descending
  std::vector<std::unique_ptr<Cursor>> open_;  // a heap, lowest key first
  std::string user_key_;
  std::vector<Version> versions_;  // versions of user_key_
  std::vector<Version> newest_;    // each table's newest version of user_key_
  NewerThan newer_;
  uint64_t unreported_ = 0;
};

// Tarjan's strongly connected components, without recursion.
class CycleFinder {
 public:
  CycleFinder(size_t count, const NewerThan& newer) : nodes_(count) {
    for (const auto& [from, to] : newer) nodes_[from].next.push_back(to);
  }

  std::vector<std::vector<size_t>> Run() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].index == 0) Search(i);
    }
    return std::move(cycles_);
  }

 private:
  struct Node {
    std::vector<size_t> next;
    size_t index = 0;  // in order of discovery, from 1; 0: not yet discovered
    size_t low = 0;
    size_t visited = 0;  // number of `next` visited
    bool on_stack = false;
  };

  void Enter(size_t i) {
    nodes_[i].index = nodes_[i].low = ++count_;
    nodes_[i].on_stack = true;
    stack_.push_back(i);
    path_.push_back(i);
  }

  void Search(size_t root) {
    Enter(root);
    while (!path_.empty()) {
      const size_t i = path_.back();
      Node& node = nodes_[i];
      if (node.visited < node.next.size()) {
        const size_t next = node.next[node.visited++];
        if (nodes_[next].index == 0) {
          Enter(next);
        } else if (nodes_[next].on_stack) {
          node.low = std::min(node.low, nodes_[next].index);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        nodes_[path_.back()].low = std::min(nodes_[path_.back()].low, node.low);
      }
      if (node.low == node.index) PopComponent(i);
    }
  }

  void PopComponent(size_t root) {
    std::vector<size_t> component;
    do {
      component.push_back(stack_.back());
      nodes_[stack_.back()].on_stack = false;
      stack_.pop_back();
    } while (component.back() != root);
    if (component.size() > 1) cycles_.push_back(std::move(component));
  }

  std::vector<Node> nodes_;
  std::vector<size_t> stack_, path_;
  std::vector<std::vector<size_t>> cycles_;
  size_t count_ = 0;
};

// The ranges of user keys of some tables.
class KeyRanges {
 public:
  explicit KeyRanges(const Comparator& comparator) : ranges_(Less{&comparator}) {}

  bool Overlap(const NewTable& table) const {
    return ranges_.count({ExtractUserKey(table.smallest), ExtractUserKey(table.largest)}) > 0;
  }

  // The table must outlive this object.
  void Add(const NewTable& table) {
    Range range(ExtractUserKey(table.smallest), ExtractUserKey(table.largest));
    const Less less = ranges_.key_comp();
    for (auto old = ranges_.find(range); old != ranges_.end(); old = ranges_.find(range)) {
      if (less.comparator->Compare(old->first, range.first) < 0) range.first = old->first;
      if (less.comparator->Compare(old->second, range.second) > 0) range.second = old->second;
      ranges_.erase(old);
    }
    ranges_.insert(range);
  }

 private:
  using Range = std::pair<absl::string_view, absl::string_view>;  // both ends included

  // Overlapping ranges compare as equal; those in the set do not overlap.
  struct Less {
    const Comparator* comparator;
    bool operator()(const Range& a, const Range& b) const {
      return comparator->Compare(a.second, b.first) < 0;
    }
  };

  std::set<Range, Less> ranges_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TableReader>> OpenNewTable(absl::string_view folder,
                                                          const NewTable& table,
                                                          const Comparator* comparator) {
  TableReaderOptions options;
  options.comparator = comparator;
  options.key_kind = KeyKind::kInternal;
  options.use_filter = false;
  return TableReader::Open(PathIn(folder, table.name), options);
}

absl::StatusOr<NewerThan> CompareTables(absl::string_view folder, const Comparator* comparator,
                                        const std::function<absl::Status(uint64_t)>& on_progress,
                                        std::vector<NewTable>* tables,
                                        std::vector<SoughtEntry>* sought) {
  return Sweep(folder, comparator, tables, sought).Run(on_progress);
}

bool LevelsFit(const std::vector<NewTable>& tables, const NewerThan& newer,
               const Comparator& comparator) {
  std::vector<const NewTable*> by_key;
  for (const NewTable& table : tables) {
    if (!table.level.has_value() || *table.level >= kLevelDbLevels) return false;
    by_key.push_back(&table);
  }
  const InternalKeyComparator order(&comparator);
  std::sort(by_key.begin(), by_key.end(), [&](const NewTable* a, const NewTable* b) {
    return *a->level != *b->level ? *a->level < *b->level
                                  : order.Compare(a->smallest, b->smallest) < 0;
  });
  for (size_t i = 1; i < by_key.size(); ++i) {
    const NewTable &a = *by_key[i - 1], &b = *by_key[i];
    if (*a.level == *b.level && *a.level > 0 && order.Compare(a.largest, b.smallest) >= 0) {
      return false;
    }
  }
  return std::all_of(newer.begin(), newer.end(), [&](const std::pair<size_t, size_t>& pair) {
    const NewTable &first = tables[pair.first], &second = tables[pair.second];
    if (*first.level != *second.level) return *first.level < *second.level;
    return *first.level == 0 ? first.number > second.number
                             : order.Compare(first.largest, second.smallest) < 0;
  });
}

std::vector<std::vector<size_t>> FindCycles(size_t table_count, const NewerThan& newer) {
  return CycleFinder(table_count, newer).Run();
}

std::vector<size_t> ArrangeLevels(const NewerThan& newer, const Comparator& comparator,
                                  std::vector<NewTable>* tables) {
  std::vector<std::vector<size_t>> newer_of(tables->size());  // indexed by the older table
  std::vector<size_t> older_left(tables->size(), 0);  // number of older tables not yet arranged
  for (const auto& [first, second] : newer) {
    newer_of[second].push_back(first);
    ++older_left[first];
  }
  // The next table is the one with the lowest sequences among those whose older tables all have a
  // level.
  using Ready = std::tuple<uint64_t, uint64_t, size_t>;
  std::priority_queue<Ready, std::vector<Ready>, std::greater<Ready>> ready;
  const auto add = [&](size_t i) {
    ready.emplace((*tables)[i].last_sequence, (*tables)[i].number, i);
  };
  for (size_t i = 0; i < tables->size(); ++i) {
    if (older_left[i] == 0) add(i);
  }
  std::vector<KeyRanges> arranged(kLevelDbLevels, KeyRanges(comparator));
  std::vector<size_t> level_0;
  while (!ready.empty()) {
    const size_t i = std::get<2>(ready.top());
    ready.pop();
    NewTable& table = (*tables)[i];
    int level = 0;  // the first level with an overlapping table; kLevelDbLevels if none
    while (level < kLevelDbLevels && !arranged[level].Overlap(table)) ++level;
    table.level = std::max(level - 1, 0);
    if (*table.level == 0) level_0.push_back(i);
    arranged[*table.level].Add(table);
    for (const size_t next : newer_of[i]) {
      if (--older_left[next] == 0) add(next);
    }
  }
  return level_0;
}

}  // namespace sstable
