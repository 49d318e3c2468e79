#include "tests/support/table_bytes.h"

#include <memory>

#include "sstable/file.h"
#include "sstable/table_builder.h"
#include "util/status_util.h"

namespace sstable::test {

absl::StatusOr<std::string> BuildTable(const TableBuilderOptions& options, const Entries& entries) {
  std::string bytes;
  ASSIGN_OR_RETURN(const std::unique_ptr<TableBuilder> builder,
                   TableBuilder::Create(NewStringFile(&bytes), options));
  for (const auto& [key, value] : entries) RETURN_IF_ERROR(builder->Add(key, value));
  RETURN_IF_ERROR(builder->Finish());
  return bytes;
}

}  // namespace sstable::test
