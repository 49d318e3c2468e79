// Brings one table of the old folder into the new one: copies it if it is sound, else rebuilds it.
#ifndef SSTABLE_DB_SALVAGE_TABLE_RESCUE_H_
#define SSTABLE_DB_SALVAGE_TABLE_RESCUE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "db/salvage/new_table.h"
#include "db/salvage/source_folder.h"
#include "sstable/comparator.h"
#include "sstable/experimental/table_salvage.h"
#include "sstable/file.h"
#include "sstable/salvage.h"
#include "util/descriptor.h"

namespace sstable {

// The inputs and outputs of a rescue.
struct RescueContext {
  const SourceFolder& source;
  std::string new_folder;
  const Comparator* comparator;  // the order of user keys
  const DatabaseSalvageOptions& options;
  uint64_t next_number;  // for the next file of the new folder

  absl::Status stopped = absl::OkStatus();  // the first error of on_progress

  absl::Status read_status = absl::OkStatus();  // see DatabaseSalvageReport

  // Records a failure to open or read a file of the old folder.
  void NoteRead(const absl::Status& status) {
    if (IsReadFailure(status)) read_status.Update(status);
  }

  absl::Status Advance(uint64_t size) {
    if (stopped.ok() && options.on_progress != nullptr) stopped = options.on_progress(size);
    return stopped;
  }
};

// The result for a table, or for the logs.
struct Rescued {
  RescuedFile file;
  std::optional<NewTable> table;  // nullopt: no entry is left
  // For a table: the MANIFEST's number for the table that this file is, or was.
  std::optional<uint64_t> named_number;
  std::vector<LostEntries> lost;
  std::vector<DatabaseProblem> problems;
};

// Pattern:   Rescue, for each table.
// Errors:    write errors; errors from on_progress. A table that can't be read is not an error.
class TableRescuer {
 public:
  explicit TableRescuer(RescueContext* context);

  absl::StatusOr<Rescued> Rescue(const SourceFile& source);

 private:
  // Identifies a sound file as a table of the MANIFEST by its size and its first and last key.
  using Identity = std::tuple<uint64_t, absl::string_view, absl::string_view>;
  static Identity IdentityOf(uint64_t size, absl::string_view smallest, absl::string_view largest) {
    return {size, smallest, largest};
  }

  // Returns the MANIFEST's table that a sound file is; null if it is none, or if an earlier file
  // was already taken for it.
  const TableFile* TakeNamed(const NewTable& table);
  // Returns the table of the MANIFEST with the file's name; null if there is none.
  const TableFile* FindOwn(const SourceFile& source) const;
  // Returns the table of the MANIFEST that a file seems to be, by number and size; null if there is
  // none.
  const TableFile* FindClaimed(const SourceFile& source, uint64_t file_size) const;
  uint64_t ChooseNumber(uint64_t wanted);

  // Returns false if the table is not sound.
  absl::StatusOr<bool> CopyIfSound(const SourceFile& source, const RandomAccessFile& file,
                                   Rescued* rescued);
  absl::Status Rebuild(const SourceFile& source, const RandomAccessFile& file, Rescued* rescued);
  absl::Status WriteEntries(const SourceFile& source, Salvager* salvager, Rescued* rescued);
  absl::Status SaveUnverified(const SourceFile& source, const Salvager& salvager, Rescued* rescued);
  // Reports that the file is not the table of the MANIFEST with its name, if there is one.
  void ReportOtherTable(const SourceFile& source, const NewTable& table, Rescued* rescued) const;
  void ReportDisorder(const SourceFile& source, const RandomAccessFile& file, uint64_t key_count,
                      Rescued* rescued) const;
  void AddProblem(const SourceFile& source, absl::string_view message, bool is_damage,
                  Rescued* rescued) const;
  void ReportLost(const SourceFile& source, const Salvager& salvager, Rescued* rescued) const;
  void ReportAllLost(const SourceFile& source, absl::string_view reason, Rescued* rescued) const;

  RescueContext& context_;
  std::map<uint64_t, const TableFile*> by_size_;           // the MANIFEST's tables, keyed by size
  std::multimap<Identity, const TableFile*> by_identity_;  // tables not yet taken
  const TableFile* claimed_ = nullptr;                     // FindClaimed() of the current file
  std::set<uint64_t> used_numbers_;
};

}  // namespace sstable

#endif  // SSTABLE_DB_SALVAGE_TABLE_RESCUE_H_
