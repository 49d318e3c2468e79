// The objects of sstable/c.h that are used in several source files.
#ifndef SSTABLE_C_C_OBJECTS_H_
#define SSTABLE_C_C_OBJECTS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "sstable/c.h"
#include "sstable/database_view.h"
#include "sstable/internal_key.h"
#include "sstable/table_reader.h"
#include "table/block/key_order.h"
#include "table/table_internals.h"

struct sstable_reader {
  std::shared_ptr<const sstable::TableReader> reader;  // shared with iterators
  std::optional<std::string> filter_policy;
};

struct sstable_database {
  std::shared_ptr<const sstable::DatabaseView> view;  // shared with iterators
};

struct sstable_problems {
  struct Problem {
    std::string text;
    uint64_t offset;
    bool is_damage;
  };
  std::vector<Problem> list;
  uint64_t total = 0;
};

namespace sstable {

inline absl::Status NeedInternalKeys(const TableReader& reader) {
  if (KeyOrderOf(reader).kind() == KeyKind::kInternal) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(reader.file().name(),
                   ": a snapshot needs internal keys, but the table was opened with plain ones"));
}

}  // namespace sstable

#endif  // SSTABLE_C_C_OBJECTS_H_
