// What the database is made of, on disk.
//
// CURRENT names a manifest; that is a log (log.h) whose last record counts, and holds everything:
//   varint log number, varint flushed sequence, then of each table: varint level, varint number,
//   varint file size, and smallest and largest user key, each behind its size as a varint.
#ifndef SSTABLE_EXAMPLES_TOY_LSM_MANIFEST_H_
#define SSTABLE_EXAMPLES_TOY_LSM_MANIFEST_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "examples/toy_lsm/log.h"
#include "examples/toy_lsm/table_store.h"
#include "examples/toy_lsm/version.h"

namespace toy_lsm {

struct ManifestState {
  uint64_t log_number = 0;                        // what stands in logs below this one is in tables
  uint64_t flushed_sequence = 0;                  // the last sequence that is in tables
  std::vector<std::pair<int, TableInfo>> tables;  // with their levels
};

class Manifest {
 public:
  // nullopt if there is no CURRENT.
  static absl::StatusOr<std::optional<ManifestState>> Read(const std::string& folder);

  // Starts a new manifest, and has CURRENT name it.
  static absl::StatusOr<std::unique_ptr<Manifest>> Create(const std::string& folder,
                                                          uint64_t number, uint64_t log_number,
                                                          uint64_t flushed_sequence,
                                                          const Version& version);

  // Durable when it returns. After an error it is open whether the database is the old or the new
  // one, so nothing of either may be removed.
  absl::Status Append(uint64_t log_number, uint64_t flushed_sequence, const Version& version);

 private:
  explicit Manifest(std::unique_ptr<LogWriter> log) : log_(std::move(log)) {}

  std::unique_ptr<LogWriter> log_;
};

}  // namespace toy_lsm

#endif  // SSTABLE_EXAMPLES_TOY_LSM_MANIFEST_H_
