#include "tools/files/open_table.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "remote/http_file.h"
#include "sstable/experimental/key_guess.h"
#include "sstable/file.h"
#include "sstable/table_iterator.h"
#include "table/block/file_kind.h"
#include "util/descriptor.h"
#include "util/status_util.h"
#include "util/system.h"

namespace sstable::tools {
namespace {

// A file that moves the progress bar as it is read.
class WatchedFile final : public RandomAccessFile {
 public:
  WatchedFile(std::shared_ptr<const RandomAccessFile> file, Progress* progress)
      : RandomAccessFile(file->name(), file->size()), file_(std::move(file)), progress_(progress) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    progress_->Advance(size);
    return file_->Read(offset, size, dst);
  }

 private:
  std::shared_ptr<const RandomAccessFile> file_;
  Progress* progress_;
};

// Bytes that were read from a pipe.
class PipedFile final : public RandomAccessFile {
 public:
  PipedFile(std::string name, std::shared_ptr<const std::string> contents)
      : RandomAccessFile(std::move(name), contents->size()), contents_(std::move(contents)) {}

  absl::Status Read(uint64_t offset, size_t size, char* dst) const override {
    contents_->copy(dst, size, offset);
    return absl::OkStatus();
  }
  std::optional<absl::string_view> Contents() const override { return *contents_; }

 private:
  std::shared_ptr<const std::string> contents_;
};

absl::StatusOr<std::string> ReadAll(int descriptor, const std::string& name) {
  constexpr size_t kReadSize = 256 * 1024;
  std::string contents;
  size_t size = 0;
  for (;;) {
    contents.resize(size + kReadSize);
    const ptrdiff_t count =
        Uninterrupted([&] { return sys::Read(descriptor, &contents[size], kReadSize); });
    if (count < 0) return ErrnoError(name, "can't read");
    size += static_cast<size_t>(count);
    contents.resize(size);
    if (count == 0) return contents;
  }
}

// An input: opened once, and read through any number of file objects.
class Source {
 public:
  Source(std::string name, ScopedDescriptor descriptor)
      : name_(std::move(name)), descriptor_(std::move(descriptor)) {}
  // A file on a web server. All its file objects share its cache.
  explicit Source(std::shared_ptr<const RandomAccessFile> remote)
      : name_(remote->name()), descriptor_(-1), remote_(std::move(remote)) {}

  const std::string& name() const { return name_; }
  uint64_t size() const { return size_; }  // after Prepare()

  // Reads input that is not seekable, or not at its start, into memory.
  absl::Status Prepare() {
    if (remote_ != nullptr) {
      size_ = remote_->size();
      return absl::OkStatus();
    }
    FileInfo info;
    if (!StatDescriptor(descriptor_.get(), &info)) return ErrnoError(name_, "can't stat");
    if (info.type == FileType::kRegular && sys::Position(descriptor_.get()) == 0) {
      size_ = info.size;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(std::string contents, ReadAll(descriptor_.get(), name_));
    size_ = contents.size();
    contents_ = std::make_shared<const std::string>(std::move(contents));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<RandomAccessFile>> NewFile(Progress* progress) const {
    if (remote_ != nullptr) return std::make_unique<WatchedFile>(remote_, progress);
    if (contents_ != nullptr) return std::make_unique<PipedFile>(name_, contents_);
    ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                     OpenFileDescriptor(descriptor_.get(), name_, FileAccess::kRead));
    ASSIGN_OR_RETURN(file, Decrypted(std::move(file)));
    return std::make_unique<WatchedFile>(std::move(file), progress);
  }

 private:
  std::string name_;
  ScopedDescriptor descriptor_;
  uint64_t size_ = 0;
  std::shared_ptr<const std::string> contents_;     // null if the descriptor is read instead
  std::shared_ptr<const RandomAccessFile> remote_;  // set if the input is on a web server
};

absl::StatusOr<std::unique_ptr<Source>> CopyDescriptor(int descriptor, const std::string& name) {
  ScopedDescriptor copy(sys::Duplicate(descriptor));
  if (copy.get() < 0) return ErrnoError(name, "can't read");
  return std::make_unique<Source>(name, std::move(copy));
}

absl::Status CheckCanBeRead(const std::string& name, const FileInfo& info) {
  if (info.type == FileType::kRegular || info.type == FileType::kPipe) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(name, info.type == FileType::kFolder
                                                           ? ": is a folder, not a table"
                                                           : ": is not a file or pipe"));
}

// Never blocks, whatever `input` refers to when it is opened.
absl::StatusOr<std::unique_ptr<Source>> OpenPath(const InputFile& input) {
  FileInfo info;
  if (StatFile(input.path, &info)) {
    // Check first, since opening a device may have an effect.
    RETURN_IF_ERROR(CheckCanBeRead(input.name, info));
  } else if (LinksToAnnex(input.path)) {
    return absl::FailedPreconditionError(absl::StrCat(input.name, ": ", kGitAnnexPointer));
  }
  ScopedDescriptor descriptor(OpenDescriptor(input.path, sys::OpenFor::kReadWithoutWait));
  if (descriptor.get() < 0) return ErrnoError(input.name, "can't open");
  if (!StatDescriptor(descriptor.get(), &info)) return ErrnoError(input.name, "can't stat");
  RETURN_IF_ERROR(CheckCanBeRead(input.name, info));
  // A shell passes a pipe without a name as /dev/fd/N. Reading it can't wait forever, since a
  // program writes, or wrote, to it.
  if (info.type == FileType::kPipe && !sys::IsNamelessPipe(descriptor.get())) {
    return absl::InvalidArgumentError(
        absl::StrCat(input.name,
                     ": is a named pipe, which might never be written to; to wait for its "
                     "writer, make it standard input and give - as its name"));
  }
  if (sys::MakeWaiting(descriptor.get()) != 0) return ErrnoError(input.name, "can't open");
  return std::make_unique<Source>(input.name, std::move(descriptor));
}

absl::StatusOr<std::unique_ptr<Source>> OpenSource(const InputFile& input) {
  if (input.path == "-") return CopyDescriptor(/*descriptor=*/0, input.name);
  if (!IsHttpUrl(input.path)) return OpenPath(input);
  ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenToRead(input));
  return std::make_unique<Source>(std::move(file));
}

std::string Describe(const TableKeys& keys) {
  return absl::StrCat(keys.key_kind == KeyKind::kInternal ? "internal" : "plain", " keys in ",
                      keys.comparator == nullptr ? "an unknown order" : OrderName(*keys.comparator),
                      " (", keys.kind_reason, "; ", keys.order_reason, ")");
}

bool HasEntries(const TableReader& reader) {
  const auto it = reader.NewIterator();
  it->SeekToFirst();
  return it->Valid();
}

}  // namespace

void TableInputOptions::AddTableOptionsTo(CommandLine* command_line) {
  command_line->AddChoice<std::optional<KeyKind>>(
      "--keys",
      {{"auto", std::nullopt}, {"plain", KeyKind::kPlain}, {"internal", KeyKind::kInternal}},
      &key_kind,
      "Kind of the keys: plain, or internal as in a database. Internal keys end in 8 bytes of "
      "sequence and type. A file does not record this; auto (the default) detects it");
  command_line->AddChoice<const Comparator*>(
      "--comparator",
      {{"auto", nullptr},
       {"bytewise", BytewiseComparator()},
       {"reverse", ReverseBytewiseComparator()},
       {"idb_cmp1", IndexedDbComparator()}},
      &comparator,
      "Order of the keys. auto (the default) detects it; idb_cmp1 is that of Chromium's IndexedDB");
  command_line->AddNumber("--max-block", "BYTES", {1, uint64_t{1} << 31, /*size=*/true},
                          &max_uncompressed_block_size,
                          "Do not read a compressed block that uncompresses to more. Default: 1100 "
                          "times its stored size, but at least 4M; above 64M, 4 times, and at most "
                          "256M");
  command_line->AddNumber("--max-work", "N", {1, UINT32_MAX}, &max_work,
                          "Give up on a table that takes more than N times the work of reading it. "
                          "Its keys and uncompressed blocks are counted; its size counts as at "
                          "least 10M. Default: 100");
}

void TableInputOptions::AddTo(CommandLine* command_line, const std::string& more_verbose,
                              const std::string& verbose_names) {
  AddTableOptionsTo(command_line);
  command_line->AddFlag(verbose_names, &verbose,
                        "Say what is assumed about the keys, and why. " + more_verbose);
}

absl::StatusOr<OpenedTable> OpenTable(const InputFile& input, const TableInputOptions& options,
                                      Console* console) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Source> source,
                   input.descriptor == nullptr ? OpenSource(input)
                                               : CopyDescriptor(*input.descriptor, input.name));
  RETURN_IF_ERROR(source->Prepare());
  console->progress().Begin(source->name(), source->size());
  GivenKeys keys = input.keys;
  if (options.key_kind.has_value()) keys.key_kind = options.key_kind;
  if (options.comparator != nullptr) keys.comparator = options.comparator;
  absl::StatusOr<OpenedTable> table =
      OpenDetectingKeys([&] { return source->NewFile(&console->progress()); }, keys,
                        options.max_uncompressed_block_size, options.max_work);
  if (!table.ok() || !table->keys_status.ok()) return table;
  const bool is_certain = table->keys.kind_known_by != KnownBy::kNothing;
  if (options.verbose || (!is_certain && HasEntries(*table->reader))) {
    console->Say(absl::StrCat(source->name(), ": assumed to have ", Describe(table->keys),
                              is_certain ? "" : "; --keys and --comparator override that"));
  }
  console->progress().Begin(source->name(), source->size());
  return table;
}

absl::Status CheckKindIsCertain(const OpenedTable& table, absl::string_view user) {
  const std::string& name = table.reader->file().name();
  if (!table.keys.kind_fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": its keys are not of the kind given with --keys (", table.keys.kind_reason, ")"));
  }
  if (table.keys.kind_known_by != KnownBy::kNothing || table.keys.sampled_blocks == 0) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(name, ": it is not certain whether its keys are plain or internal (",
                   table.keys.kind_reason, "), and ", user, " depends on it; say so with --keys"));
}

}  // namespace sstable::tools
