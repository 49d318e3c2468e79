// The Salvager: what was found of a table, and the order in which it is saved.
#ifndef SSTABLE_TABLE_SALVAGE_TABLE_SALVAGER_H_
#define SSTABLE_TABLE_SALVAGE_TABLE_SALVAGER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_reader.h"
#include "table/block/limits.h"
#include "table/inspect/order_evidence.h"
#include "table/salvage/table_scan.h"
#include "util/bytes.h"

namespace sstable {

// Pattern: OpenRebuilt SettleKeys, then the methods of a Salvager.
class TableSalvager final : public Salvager {
 public:
  TableSalvager(ScannedTable table, const SalvageOptions& options);

  absl::Status OpenRebuilt(const std::string& name);
  absl::Status SettleKeys();

  const TableScan& scan() const override { return scan_; }
  uint64_t total_entries() const override;
  bool order_known() const override { return order_known_; }
  KeyKind key_kind() const override { return reader_->options().key_kind; }
  TableBuilderOptions BuilderOptions() const override;
  bool wants_filter() const override;
  absl::Status VisitEntries(
      absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit)
      override;
  absl::Status VisitDoubtful(
      absl::FunctionRef<absl::Status(const ScannedBlock& block, absl::string_view key,
                                     absl::string_view value)>
          visit) override;
  const SalvageReport& report() const override { return report_; }
  bool complete() const override;

 private:
  struct Entry;

  bool Descends(absl::string_view before, absl::string_view key) const;
  void FindDisorder(OrderEvidence* evidence, std::vector<bool>* block_descends);
  void FindBounds();
  std::vector<std::vector<size_t>> GroupOverlapping() const;
  absl::Status ReadEntries(
      const BlockHandle& handle,
      absl::FunctionRef<absl::Status(absl::string_view key, absl::string_view value)> visit) const;
  bool IsOfOtherKind(absl::string_view key) const;
  bool IsSameUserKey(absl::string_view a, absl::string_view b) const;
  void AddConflict(SalvageConflict::Kind kind, size_t block, absl::string_view key);

  TableScan scan_;
  ByteBuffer bytes_;                    // the file, then an index of what is left
  const Comparator* const comparator_;  // as in ScannedTable
  const SalvageOptions options_;
  mutable WorkBudget work_;                 // for what follows the scan
  std::unique_ptr<RandomAccessFile> file_;  // a table of what is left, in bytes_
  std::unique_ptr<TableReader> reader_;     // reads file_
  bool order_known_ = true;
  bool has_disorder_ = false;

  // For each block, if keys are out of order: its lowest and its highest key, and whether its own
  // keys are out of order.
  std::vector<std::string> lowest_, highest_;
  std::vector<bool> block_has_disorder_;

  SalvageReport report_;
};

}  // namespace sstable

#endif  // SSTABLE_TABLE_SALVAGE_TABLE_SALVAGER_H_
