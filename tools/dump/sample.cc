#include "tools/dump/sample.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "db/folder.h"
#include "sstable/comparator.h"
#include "sstable/experimental/log_file.h"
#include "sstable/experimental/write_batch.h"
#include "sstable/internal_key.h"
#include "table/table_internals.h"
#include "tools/files/input_files.h"

namespace sstable::tools {
namespace {

// Returns how many of `count` points, spread evenly over `total` bytes, are before `position`.
// Point i is in the middle of the i-th of `count` equal parts.
uint64_t PointsBefore(uint64_t position, uint64_t total, uint64_t count) {
  if (position >= total) return count;
  const double parts = static_cast<double>(position) / static_cast<double>(total);
  return static_cast<uint64_t>(parts * static_cast<double>(count) + 0.5);
}

// Returns true if entry `i` of `total` is one of `count` that are spread evenly.
bool IsChosen(uint64_t i, uint64_t total, uint64_t count) {
  return PointsBefore(i + 1, total, count) > PointsBefore(i, total, count);
}

// Collects the keys of one database.
class KeySampler {
 public:
  KeySampler(const DatabaseView& view, const TableInputOptions& input, Console* console)
      : view_(view), input_(input), console_(console) {
    input_.key_kind = KeyKind::kInternal;
    input_.comparator = view_.comparator();
  }

  SampledKeys Sample(uint64_t count) {
    for (const DatabaseTable& table : view_.ListTables()) sampled_.size += SizeOf(table);
    for (const DatabaseLog& log : view_.logs()) sampled_.size += log.file_size;
    uint64_t position = 0;
    // The number of points in the next `size` bytes.
    const auto points_in = [&](uint64_t size) {
      const uint64_t before = PointsBefore(position, sampled_.size, count);
      position += size;
      return PointsBefore(position, sampled_.size, count) - before;
    };
    for (const DatabaseTable& table : view_.ListTables()) {
      if (const uint64_t points = points_in(SizeOf(table)); points > 0) AddTable(table, points);
    }
    for (const DatabaseLog& log : view_.logs()) {
      if (const uint64_t points = points_in(log.file_size); points > 0) AddLog(log, points);
    }
    SortKeys();
    return std::move(sampled_);
  }

 private:
  // Returns 0 if there is no such file.
  static uint64_t SizeOf(const DatabaseTable& table) { return table.file_size.value_or(0); }

  InputFile File(const std::string& name) const { return InputFile(PathIn(view_.folder(), name)); }

  void AddTable(const DatabaseTable& table, uint64_t count) {
    const absl::StatusOr<OpenedTable> opened = OpenTable(File(table.name), input_, console_);
    if (!opened.ok()) return sampled_.errors.push_back(opened.status());
    VerifiedScan scan(opened->reader.get(), opened->key_trust, VerifiedScan::Misplaced::kVisit,
                      [this](const absl::Status& status) { sampled_.errors.push_back(status); });
    const TableIndex* const index = IndexOf(*opened->reader);
    if (index == nullptr) return;
    VisitSample(&scan, *index, count, [this](absl::string_view key, absl::string_view, size_t) {
      sampled_.keys.emplace_back(ExtractUserKey(key));
      return !console_->closed();
    });
  }

  // The view has read the whole log, and reported its damage.
  void AddLog(const DatabaseLog& log, uint64_t count) {
    const auto file = OpenToRead(File(log.name));
    if (!file.ok()) return sampled_.errors.push_back(file.status());
    LogReaderOptions options;
    options.resume_within_block = true;
    LogReader reader(file->get(), options);
    uint64_t change_number = 0;
    while (reader.Next()) {
      VisitWriteBatch(reader.record(), [&](const BatchChange& change) {
        if (IsChosen(change_number++, log.change_count, count)) {
          sampled_.keys.emplace_back(change.key);
        }
        return absl::OkStatus();
      }).IgnoreError();
    }
  }

  void SortKeys() {
    const Comparator& order = *view_.comparator();
    std::vector<std::string>& keys = sampled_.keys;
    std::sort(keys.begin(), keys.end(), [&order](const std::string& a, const std::string& b) {
      return order.Compare(a, b) < 0;
    });
    const auto end = std::unique(
        keys.begin(), keys.end(),
        [&order](const std::string& a, const std::string& b) { return order.Compare(a, b) == 0; });
    keys.erase(end, keys.end());
  }

  const DatabaseView& view_;
  TableInputOptions input_;
  Console* const console_;
  SampledKeys sampled_;
};

}  // namespace

void VisitSample(
    VerifiedScan* scan, const TableIndex& index, uint64_t count,
    absl::FunctionRef<bool(absl::string_view key, absl::string_view value, size_t block)> visit) {
  uint64_t total = 0;
  for (size_t block = 0; block < index.size(); ++block) total += index.record(block).block_size;
  uint64_t position = 0;
  std::vector<std::pair<std::string, std::string>> entries;
  bool goes_on = true;
  for (size_t block = 0; goes_on && block < index.size(); ++block) {
    const uint64_t before = PointsBefore(position, total, count);
    position += index.record(block).block_size;
    const uint64_t points = PointsBefore(position, total, count) - before;
    if (points == 0) continue;
    entries.clear();
    goes_on = scan->Visit(block, [&entries](absl::string_view key, absl::string_view value) {
      entries.emplace_back(key, value);
      return true;
    });
    for (size_t i = 0; goes_on && i < entries.size(); ++i) {
      if (IsChosen(i, entries.size(), points)) {
        goes_on = visit(entries[i].first, entries[i].second, block);
      }
    }
  }
}

SampledKeys SampleKeys(const DatabaseView& view, const TableInputOptions& input, uint64_t count,
                       Console* console) {
  return KeySampler(view, input, console).Sample(count);
}

}  // namespace sstable::tools
