#include "db/salvage/table_rescue.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "db/folder.h"
#include "db/salvage/new_folder.h"
#include "db/salvage/unverified_entries.h"
#include "sstable/check.h"
#include "sstable/database_files.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/filter_policy.h"
#include "sstable/internal_key.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_iterator.h"
#include "sstable/table_reader.h"
#include "util/status_util.h"
#include "util/zeros.h"

namespace sstable {
namespace {

// Counts the bytes read through it.
class MeteredFile final : public RandomAccessFile {
 public:
  MeteredFile(const RandomAccessFile& file, RescueContext* context)
      : RandomAccessFile(file.name(), file.size()), file_(file), context_(context) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    RETURN_IF_ERROR(context_->Advance(size));
    const absl::Status status = file_.Read(offset, size, dst);
    context_->NoteRead(AtPlace(name(), status));
    return status;
  }

 private:
  const RandomAccessFile& file_;
  RescueContext* const context_;
};

// The first bytes of a file.
class PrefixFile final : public RandomAccessFile {
 public:
  PrefixFile(const RandomAccessFile& file, uint64_t size)
      : RandomAccessFile(file.name(), size), file_(file) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    return file_.Read(offset, size, dst);
  }

 private:
  const RandomAccessFile& file_;
};

// Returns where the data of a large file ends, to within a MiB, if only zeros follow. A crash can
// leave such zeros. They are not read, since salvage holds the file in memory.
uint64_t FindDataEnd(const RandomAccessFile& file) {
  constexpr uint64_t kLargeSize = uint64_t{16} << 20, kPieceSize = uint64_t{1} << 20;
  uint64_t end = file.size();
  std::string piece;
  while (end > kLargeSize) {
    const uint64_t start = (end - 1) / kPieceSize * kPieceSize;
    piece.resize(end - start);
    if (!file.Read(start, piece.size(), &piece[0]).ok() || !AllZeros(piece)) break;
    end = start;
  }
  return end;
}

// If there is not enough memory for this file, the others can still be rescued.
absl::StatusOr<std::unique_ptr<Salvager>> OpenSalvager(const RandomAccessFile& file,
                                                       const SalvageOptions& options) {
  try {
    return Salvager::Open(file, options);
  } catch (const std::bad_alloc&) {
    return absl::ResourceExhaustedError(absl::StrCat(
        file.name(), ": needs more memory than there is: ", file.size(), " bytes, a few times"));
  }
}

// Returns true if LevelDB accepts this file name for table `number`.
bool IsTableName(absl::string_view name, uint64_t number) {
  const auto parsed = ParseDatabaseFileName(name);
  return parsed.has_value() && parsed->kind == DatabaseFileKind::kTable && parsed->number == number;
}

// Copies all bytes of `file` to a new file. WriteManifest() syncs it.
absl::Status CopyFile(const RandomAccessFile& file, absl::string_view path,
                      RescueContext* context) {
  ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> copy, CreateFileAtomically(path));
  std::string piece(std::min<uint64_t>(file.size(), uint64_t{1} << 20), '\0');
  for (uint64_t offset = 0; offset < file.size(); offset += piece.size()) {
    piece.resize(std::min<uint64_t>(piece.size(), file.size() - offset));
    RETURN_IF_ERROR(AtPlace(file.name(), file.Read(offset, piece.size(), piece.data())));
    RETURN_IF_ERROR(copy->Append(piece));
    RETURN_IF_ERROR(context->Advance(piece.size()));
  }
  return copy->Close();
}

}  // namespace

TableRescuer::TableRescuer(RescueContext* context) : context_(*context) {
  for (const auto& [number, table] : context_.source.named) {
    by_size_[table->size] = table;
    by_identity_.emplace(IdentityOf(table->size, table->smallest, table->largest), table);
  }
}

const TableFile* TableRescuer::FindOwn(const SourceFile& source) const {
  const auto own = context_.source.named.find(source.number);
  return source.is_unnamed || own == context_.source.named.end() ? nullptr : own->second;
}

const TableFile* TableRescuer::FindClaimed(const SourceFile& source, uint64_t file_size) const {
  if (source.is_dropped) return nullptr;
  const TableFile* const own = FindOwn(source);
  const auto same_size = by_size_.find(file_size);
  // A file may have the size of exactly one other table, but not of the table with its number. It
  // is then taken for the other table.
  return (own == nullptr || own->size != file_size) && same_size != by_size_.end()
             ? same_size->second
             : own;
}

const TableFile* TableRescuer::TakeNamed(const NewTable& table) {
  const auto found = by_identity_.find(IdentityOf(table.size, table.smallest, table.largest));
  if (found == by_identity_.end()) return nullptr;
  const TableFile* const named = found->second;
  by_identity_.erase(found);
  return named;
}

uint64_t TableRescuer::ChooseNumber(uint64_t wanted) {
  const uint64_t number =
      wanted != 0 && wanted <= kMaxFileNumber && used_numbers_.count(wanted) == 0
          ? wanted
          : context_.next_number++;
  used_numbers_.insert(number);
  return number;
}

absl::StatusOr<Rescued> TableRescuer::Rescue(const SourceFile& source) {
  Rescued rescued;
  rescued.file.name = source.name;
  claimed_ = FindClaimed(source, /*file_size=*/0);
  // Reset below if the file can be read.
  if (claimed_ != nullptr) rescued.named_number = claimed_->number;
  const auto opened = OpenDatabaseFile(PathIn(context_.source.path, source.name));
  context_.NoteRead(opened.status());
  if (!opened.ok()) {
    rescued.file.outcome = RescuedFile::Outcome::kMissing;
    rescued.file.message = std::string(opened.status().message());
    ReportAllLost(source, opened.status().message(), &rescued);
    return rescued;
  }
  rescued.named_number.reset();
  const MeteredFile file(**opened, &context_);
  claimed_ = FindClaimed(source, file.size());
  ASSIGN_OR_RETURN(const bool is_sound, CopyIfSound(source, file, &rescued));
  if (!is_sound) RETURN_IF_ERROR(Rebuild(source, file, &rescued));
  return rescued;
}

absl::StatusOr<bool> TableRescuer::CopyIfSound(const SourceFile& source,
                                               const RandomAccessFile& file, Rescued* rescued) {
  TableReaderOptions options;
  options.comparator = context_.comparator;
  options.key_kind = KeyKind::kInternal;
  options.max_uncompressed_block_size = context_.options.max_uncompressed_block_size;
  const auto reader = TableReader::Open(std::make_unique<MeteredFile>(file, &context_), options);
  if (!reader.ok()) return false;
  const CheckReport report = CheckTable(**reader, CheckOptions{});
  RETURN_IF_ERROR(context_.Advance(0));
  if (!report.ok() || !report.order_checked) return false;
  NewTable table;
  const auto it = (*reader)->NewIterator(ReadOptions::ForScan());
  it->SeekToFirst();
  if (!it->Valid()) return false;  // LevelDB writes no tables without entries
  table.smallest = std::string(it->key());
  it->SeekToLast();
  if (!it->Valid()) return false;
  table.largest = std::string(it->key());
  table.size = file.size();
  table.is_unnamed = source.is_unnamed;
  if (!source.is_dropped) table.added_number = source.number;

  const TableFile* named = source.is_dropped ? nullptr : TakeNamed(table);
  if (named != nullptr) {
    rescued->named_number = named->number;
    table.level = named->level;
    table.is_unnamed = false;
  }
  if (named != nullptr && !IsTableName(source.name, named->number)) {
    rescued->file.message =
        absl::StrCat("has the table that the MANIFEST names ", TableFileName(named->number));
    AddProblem(source, rescued->file.message, /*is_damage=*/false, rescued);
  } else if (named == nullptr) {
    ReportOtherTable(source, table, rescued);
  }
  table.number = ChooseNumber(named != nullptr ? named->number : source.number);
  table.name = TableFileName(table.number);
  const std::string new_path = PathIn(context_.new_folder, table.name);
  if (context_.options.link_tables &&
      LinkFile(PathIn(context_.source.path, source.name), new_path, file.size())) {
    rescued->file.outcome = RescuedFile::Outcome::kLinked;
  } else {
    RETURN_IF_ERROR(CopyFile(file, new_path, &context_));
    rescued->file.outcome = RescuedFile::Outcome::kCopied;
  }
  rescued->file.entry_count = report.entries;
  rescued->file.new_name = table.name;
  rescued->table = std::move(table);
  return true;
}

absl::Status TableRescuer::Rebuild(const SourceFile& source, const RandomAccessFile& file,
                                   Rescued* rescued) {
  SalvageOptions options;
  options.key_kind = KeyKind::kInternal;
  options.comparator = context_.comparator;
  options.max_uncompressed_block_size = context_.options.max_uncompressed_block_size;
  options.max_work = context_.options.max_work;
  const PrefixFile data(file, FindDataEnd(file));
  const absl::StatusOr<std::unique_ptr<Salvager>> salvager = OpenSalvager(data, options);
  RETURN_IF_ERROR(context_.Advance(0));
  rescued->file.outcome = RescuedFile::Outcome::kNothingLeft;
  if (claimed_ != nullptr) rescued->named_number = claimed_->number;
  if (!salvager.ok()) {
    rescued->file.message = std::string(salvager.status().message());
    ReportAllLost(source, salvager.status().message(), rescued);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(WriteEntries(source, salvager->get(), rescued));
  if (const uint64_t count = (*salvager)->report().out_of_order_keys; count > 0) {
    ReportDisorder(source, data, count, rescued);
  }
  ReportLost(source, **salvager, rescued);
  if (context_.options.keep_unverified) {
    RETURN_IF_ERROR(SaveUnverified(source, **salvager, rescued));
  }
  return absl::OkStatus();
}

absl::Status TableRescuer::WriteEntries(const SourceFile& source, Salvager* salvager,
                                        Rescued* rescued) {
  if (salvager->total_entries() == 0) return absl::OkStatus();
  NewTable table;
  std::unique_ptr<TableBuilder> builder;
  const auto policy = NewBloomFilterPolicy(10);
  TableBuilderOptions options = salvager->BuilderOptions();
  if (salvager->wants_filter()) options.filter_policy = policy.get();
  uint64_t written = 0;
  const auto add = [&](absl::string_view key, absl::string_view value) -> absl::Status {
    if (builder == nullptr) {
      table.number = ChooseNumber(claimed_ != nullptr ? claimed_->number : source.number);
      table.name = TableFileName(table.number);
      table.smallest = std::string(key);
      ASSIGN_OR_RETURN(builder,
                       TableBuilder::Create(PathIn(context_.new_folder, table.name), options));
    }
    table.largest.assign(key.data(), key.size());
    RETURN_IF_ERROR(context_.Advance(key.size() + value.size()));
    ++written;
    return builder->Add(key, value);
  };
  RETURN_IF_ERROR(salvager->VisitEntries(add));
  if (builder == nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(builder->Finish());
  table.size = builder->FileSize();
  table.is_unnamed = source.is_unnamed;
  if (!source.is_dropped) table.added_number = source.number;
  if (claimed_ != nullptr) {
    const InternalKeyComparator order(context_.comparator);
    if (order.Compare(claimed_->smallest, table.smallest) <= 0 &&
        order.Compare(table.largest, claimed_->largest) <= 0) {
      table.level = claimed_->level;
      table.is_unnamed = false;
    }
  }
  rescued->file.outcome = RescuedFile::Outcome::kRebuilt;
  rescued->file.entry_count = written;
  rescued->file.new_name = table.name;
  rescued->table = std::move(table);
  return absl::OkStatus();
}

void TableRescuer::ReportDisorder(const SourceFile& source, const RandomAccessFile& file,
                                  uint64_t key_count, Rescued* rescued) const {
  std::string message =
      absl::StrCat(key_count, key_count == 1 ? " key is" : " keys are", " not in the order of ",
                   context_.comparator->Name(), "; entries are sorted");
  TableReaderOptions options;
  options.max_uncompressed_block_size = context_.options.max_uncompressed_block_size;
  const auto reader = TableReader::Open(std::make_unique<MeteredFile>(file, &context_), options);
  if (reader.ok()) {
    const auto keys = ResolveKeys(**reader, {KeyKind::kInternal, nullptr});
    if (keys.ok() && keys->order_known_by == KnownBy::kEvidence) {
      absl::StrAppend(&message, "; they are in that of ", keys->comparator->Name(),
                      ": the table may belong to another database");
    }
  }
  AddProblem(source, message, /*is_damage=*/true, rescued);
}

absl::Status TableRescuer::SaveUnverified(const SourceFile& source, const Salvager& salvager,
                                          Rescued* rescued) {
  ASSIGN_OR_RETURN(const uint64_t count,
                   WriteUnverifiedEntries(
                       PathIn(context_.source.path, source.name), salvager, context_.comparator,
                       PathIn(context_.new_folder, absl::StrCat("lost/", source.name))));
  rescued->file.unverified_count = count;
  if (count > 0) rescued->file.unverified_name = absl::StrCat("lost/", source.name);
  return absl::OkStatus();
}

}  // namespace sstable
