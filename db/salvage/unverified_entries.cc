#include "db/salvage/unverified_entries.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "sstable/experimental/layout.h"
#include "sstable/file.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable {
namespace {

class UnverifiedWriter {
 public:
  UnverifiedWriter(const Comparator* comparator, const std::string& path)
      : order_(comparator), path_(path) {}

  // Adds the entries of one block, up to the first that can't be correct.
  absl::Status AddBlock(TableIterator* it, size_t index, const LostRange& lost) {
    for (it->SeekToBlock(index); it->Valid() && it->block_index() == index; it->Next()) {
      if (!MayBeRight(it->key(), lost)) break;
      RETURN_IF_ERROR(Add(it->key(), it->value()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> Finish() {
    if (builder_ != nullptr) RETURN_IF_ERROR(builder_->Finish());
    return count_;
  }

 private:
  bool MayBeRight(absl::string_view key, const LostRange& lost) const {
    if (!ParseInternalKey(key).has_value()) return false;
    if (lost.after.has_value() && order_.Compare(key, *lost.after) <= 0) return false;
    if (lost.until.has_value() && order_.Compare(key, *lost.until) > 0) return false;
    return last_key_.empty() || order_.Compare(key, last_key_) > 0;
  }

  absl::Status Add(absl::string_view key, absl::string_view value) {
    if (builder_ == nullptr) {
      std::error_code error;
      std::filesystem::create_directories(sys::ToPath(path_).parent_path(), error);
      if (error) {
        return absl::UnavailableError(
            absl::StrCat(path_, ": can't make its folder: ", error.message()));
      }
      TableBuilderOptions options;
      options.comparator = order_.user_comparator();
      options.key_kind = KeyKind::kInternal;
      ASSIGN_OR_RETURN(builder_, TableBuilder::Create(path_, options));
    }
    ++count_;
    last_key_.assign(key.data(), key.size());
    return builder_->Add(key, value);
  }

  const InternalKeyComparator order_;
  const std::string path_;
  std::unique_ptr<TableBuilder> builder_;
  std::string last_key_;
  uint64_t count_ = 0;
};

}  // namespace

absl::StatusOr<uint64_t> WriteUnverifiedEntries(const std::string& source_path,
                                                const Salvager& salvager,
                                                const Comparator* comparator,
                                                const std::string& path) {
  TableReaderOptions options;
  options.comparator = comparator;
  options.key_kind = KeyKind::kInternal;
  options.use_filter = false;
  options.verify_checksums = VerifyChecksums::kNever;
  auto file = OpenDatabaseFile(source_path);
  if (!file.ok()) return 0;
  const auto reader = TableReader::Open(*std::move(file), options);
  if (!reader.ok()) return 0;
  const Layout layout = DescribeLayout(**reader);
  if (!layout.index_status.ok()) return 0;

  // The data blocks in the order of their index entries, which in a sound table is the order of
  // their offsets.
  std::vector<uint64_t> offsets;
  for (const BlockInfo& block : layout.blocks) {
    if (block.kind == BlockKind::kData) offsets.push_back(block.handle.offset);
  }
  const auto it = (*reader)->NewIterator(ReadOptions::ForScan());
  UnverifiedWriter writer(comparator, path);
  for (const LostRange& lost : salvager.scan().lost) {
    const auto found = std::find(offsets.begin(), offsets.end(), lost.offset);
    if (!lost.is_block || found == offsets.end()) continue;
    RETURN_IF_ERROR(writer.AddBlock(it.get(), static_cast<size_t>(found - offsets.begin()), lost));
  }
  return writer.Finish();
}

}  // namespace sstable
