#include "tools/table_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "db/database_file.h"
#include "remote/http_file.h"
#include "sstable/file.h"
#include "sstable/key_guess.h"
#include "sstable/table_iterator.h"
#include "table/file_kind.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

// A file whose reading moves the progress bar.
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

absl::Status CannotRead(const std::string& name) {
  return absl::ErrnoToStatus(errno, absl::StrCat(name, ": can't read"));
}

absl::StatusOr<std::string> ReadAll(int descriptor, const std::string& name) {
  constexpr size_t kReadSize = 256 * 1024;
  std::string contents;
  size_t size = 0;
  for (;;) {
    contents.resize(size + kReadSize);
    const ssize_t count = ::read(descriptor, &contents[size], kReadSize);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return CannotRead(name);
    size += static_cast<size_t>(count);
    contents.resize(size);
    if (count == 0) return contents;
  }
}

// What a user named: opened once, and read through as many files as are made of it.
class Source {
 public:
  Source(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}
  // Of a web server. All files made of it share its cache.
  explicit Source(std::shared_ptr<const RandomAccessFile> remote)
      : name_(remote->name()), remote_(std::move(remote)) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  ~Source() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  const std::string& name() const { return name_; }

  // Reads into memory what can't be read at any offset, or is not to be read from its start.
  absl::Status Prepare() {
    if (remote_ != nullptr) return absl::OkStatus();
    struct stat info;
    if (::fstat(descriptor_, &info) != 0) return CannotRead(name_);
    if (S_ISREG(info.st_mode) && ::lseek(descriptor_, 0, SEEK_CUR) == 0) return absl::OkStatus();
    ASSIGN_OR_RETURN(std::string contents, ReadAll(descriptor_, name_));
    contents_ = std::make_shared<const std::string>(std::move(contents));
    return absl::OkStatus();
  }

  absl::StatusOr<std::unique_ptr<RandomAccessFile>> NewFile(Progress* progress) const {
    if (remote_ != nullptr) return std::make_unique<WatchedFile>(remote_, progress);
    if (contents_ != nullptr) return std::make_unique<PipedFile>(name_, contents_);
    ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file,
                     OpenFileDescriptor(descriptor_, name_, FileAccess::kRead));
    ASSIGN_OR_RETURN(file, Decrypted(std::move(file)));
    return std::make_unique<WatchedFile>(std::move(file), progress);
  }

 private:
  std::string name_;
  int descriptor_ = -1;
  std::shared_ptr<const std::string> contents_;     // null if the descriptor is read instead
  std::shared_ptr<const RandomAccessFile> remote_;  // or this
};

absl::StatusOr<std::unique_ptr<Source>> CopyDescriptor(int descriptor, const std::string& name) {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return CannotRead(name);
  return std::make_unique<Source>(name, copy);
}

absl::StatusOr<std::unique_ptr<Source>> OpenSource(const std::string& path) {
  if (path == "-") return CopyDescriptor(STDIN_FILENO, InputName(path));
  if (IsHttpUrl(path)) {
    ASSIGN_OR_RETURN(std::unique_ptr<RandomAccessFile> file, OpenHttpFile(path));
    return std::make_unique<Source>(std::move(file));
  }
  // Before it is opened, since opening a device may do something.
  struct stat info;
  const bool is_there = ::stat(path.c_str(), &info) == 0;
  if (LinksToAnnex(path)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": ", kGitAnnexPointer));
  }
  if (is_there && !S_ISREG(info.st_mode) && !S_ISFIFO(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, S_ISDIR(info.st_mode) ? ": is a folder, not a table" : ": is not a file or pipe"));
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return absl::ErrnoToStatus(errno, absl::StrCat(path, ": can't open"));
  return std::make_unique<Source>(path, descriptor);
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
      "Plain keys, or internal keys, which end in 8 bytes of sequence and type that a database "
      "appends. A file does not record this; auto (the default) detects it");
  command_line->AddChoice<std::optional<const Comparator*>>(
      "--comparator",
      {{"auto", std::nullopt},
       {"bytewise", BytewiseComparator()},
       {"reverse", ReverseBytewiseComparator()},
       {"idb_cmp1", IndexedDbComparator()}},
      &comparator,
      "Order of the keys; auto (the default) detects it. idb_cmp1 is that of Chromium's IndexedDB");
  command_line->AddNumber("--max-block", "BYTES", {1, uint64_t{1} << 31, /*size=*/true},
                          &max_uncompressed_block_size,
                          "Treat a compressed block that is larger as damaged. Default: 1100 times "
                          "its stored size, but "
                          "at least 4M and at most 256M");
}

void TableInputOptions::AddTo(CommandLine* command_line, const std::string& verbose_help) {
  AddTableOptionsTo(command_line);
  command_line->AddFlag("-v,--verbose", &verbose, verbose_help);
}

absl::StatusOr<InputTable> OpenTable(absl::string_view path, const TableInputOptions& options,
                                     Console* console) {
  InputFile file;
  file.path = std::string(path);
  return OpenTable(file, options, console);
}

absl::StatusOr<InputTable> OpenTable(const InputFile& input, const TableInputOptions& options,
                                     Console* console) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Source> source,
                   input.descriptor == nullptr ? OpenSource(input.path)
                                               : CopyDescriptor(*input.descriptor, input.path));
  RETURN_IF_ERROR(source->Prepare());
  ASSIGN_OR_RETURN(const std::unique_ptr<RandomAccessFile> file,
                   source->NewFile(&console->progress()));
  console->progress().Begin(file->name(), file->size());
  absl::StatusOr<InputTable> table =
      OpenInputTable([&] { return source->NewFile(&console->progress()); },
                     {options.key_kind, options.comparator}, options.max_uncompressed_block_size);
  if (!table.ok() || !table->keys_status.ok()) return table;
  const bool is_certain = table->keys.kind_known_by != KnownBy::kNothing;
  if (options.verbose || (!is_certain && HasEntries(*table->reader))) {
    console->Say(absl::StrCat(source->name(), ": assumed to have ", Describe(table->keys),
                              is_certain ? "" : "; --keys and --comparator override that"));
  }
  console->progress().Begin(source->name(), file->size());
  return table;
}

}  // namespace sstable::tools
