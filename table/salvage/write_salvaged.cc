#include "table/salvage/write_salvaged.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "sstable/filter_policy.h"
#include "sstable/table_builder.h"
#include "util/status_util.h"

namespace sstable {

absl::StatusOr<bool> WriteSalvaged(
    Salvager* salvager, absl::FunctionRef<void(TableBuilderOptions*)> adjust,
    absl::FunctionRef<absl::StatusOr<std::unique_ptr<WritableFile>>()> create) {
  // A table that never had entries is complete without any.
  if (salvager->total_entries() == 0 && !salvager->complete()) return false;
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options = salvager->BuilderOptions();
  if (salvager->wants_filter()) options.filter_policy = policy.get();
  adjust(&options);
  std::unique_ptr<TableBuilder> builder;
  const auto begin = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::unique_ptr<WritableFile> file, create());
    ASSIGN_OR_RETURN(builder, TableBuilder::Create(std::move(file), options));
    return absl::OkStatus();
  };
  const auto add = [&](absl::string_view key, absl::string_view value) -> absl::Status {
    if (builder == nullptr) RETURN_IF_ERROR(begin());
    return builder->Add(key, value);
  };
  RETURN_IF_ERROR(salvager->VisitEntries(add));
  if (salvager->report().entries_saved == 0 && !salvager->complete()) return false;
  if (builder == nullptr) RETURN_IF_ERROR(begin());
  RETURN_IF_ERROR(builder->Finish());
  return true;
}

}  // namespace sstable
