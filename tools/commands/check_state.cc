#include "tools/commands/check_state.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "report/text/text_encoding.h"
#include "sstable/version.h"
#include "util/descriptor.h"
#include "util/escape.h"
#include "util/status_util.h"

namespace sstable::tools {
namespace {

constexpr char kOkWord[] = "ok";
constexpr char kDamagedWord[] = "damaged";

absl::Status CannotDo(const std::string& path, absl::string_view what) {
  return ErrnoError(path, absl::StrCat("can't ", what));
}

bool Truncate(int descriptor, off_t size) {
  return Uninterrupted([&] { return ::ftruncate(descriptor, size); }) == 0;
}

}  // namespace

std::optional<FileStamp> StampOf(const InputFile& file) {
  struct stat info;
  const bool is_there = file.descriptor != nullptr ? ::fstat(*file.descriptor, &info) == 0
                                                   : StatFile(file.path, &info);
  if (!is_there || !S_ISREG(info.st_mode)) return std::nullopt;
  return FileStamp{static_cast<uint64_t>(info.st_size),
                   int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec};
}

absl::StatusOr<std::unique_ptr<CheckState>> CheckState::Open(const std::string& path,
                                                             const std::string& purpose) {
  RETURN_IF_ERROR(CheckIsNoUrl(path));
  const int descriptor = OpenDescriptor(path, O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK, 0666);
  if (descriptor < 0) return CannotDo(path, "open");
  std::unique_ptr<CheckState> state(new CheckState(path, descriptor));
  struct stat info;
  if (::fstat(descriptor, &info) != 0) return CannotDo(path, "read");
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is not a regular file"));
  }
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return CannotDo(path, "lock");
    return absl::FailedPreconditionError(absl::StrCat(path, ": another run is using it"));
  }
  RETURN_IF_ERROR(state->Load(absl::StrCat("sst ", SSTABLE_VERSION, " check: ", purpose, "\n")));
  return state;
}

CheckState::~CheckState() { ::close(descriptor_); }

absl::Status CheckState::Load(const std::string& first_line) {
  std::string rest(first_line.size(), '\0');  // bytes read that are not a complete line yet
  ssize_t count = Uninterrupted([&] { return ::pread(descriptor_, rest.data(), rest.size(), 0); });
  if (count < 0) return CannotDo(path_, "read");
  rest.resize(static_cast<size_t>(count));
  if (rest != first_line) {
    if (!absl::StartsWith(first_line, rest)) {
      const absl::string_view found = absl::string_view(rest).substr(0, rest.find('\n'));
      return absl::FailedPreconditionError(
          absl::StrCat(path_, ": starts with ", ShowBytes(found), ", expected ",
                       ShowBytes(absl::string_view(first_line).substr(0, first_line.size() - 1)),
                       ": from another version of sst, with other options, or not a state file"));
    }
    // Empty, or left incomplete by a killed process.
    if (!Truncate(descriptor_, 0)) return CannotDo(path_, "write");
    return Append(first_line);
  }
  rest.clear();
  auto offset = static_cast<off_t>(first_line.size());
  std::vector<char> buffer(size_t{1} << 16);
  uint64_t line_number = 1;
  while ((count = Uninterrupted(
              [&] { return ::pread(descriptor_, buffer.data(), buffer.size(), offset); })) > 0) {
    offset += count;
    rest.append(buffer.data(), static_cast<size_t>(count));
    size_t start = 0;
    for (size_t end; (end = rest.find('\n', start)) != rest.npos; start = end + 1) {
      ++line_number;
      if (AddLine(absl::string_view(rest).substr(start, end - start))) continue;
      return absl::FailedPreconditionError(absl::StrCat(
          path_, ": line ", line_number,
          " is damaged: ", ShowBytes(absl::string_view(rest).substr(start, end - start))));
    }
    rest.erase(0, start);
  }
  if (count < 0) return CannotDo(path_, "read");
  if (!rest.empty() && !Truncate(descriptor_, offset - static_cast<off_t>(rest.size()))) {
    return CannotDo(path_, "write");
  }
  return absl::OkStatus();
}

bool CheckState::AddLine(absl::string_view line) {
  const std::vector<absl::string_view> words = absl::StrSplit(line, absl::MaxSplits(' ', 3));
  Entry entry;
  if (words.size() != 4 || (words[0] != kOkWord && words[0] != kDamagedWord) ||
      !absl::SimpleAtoi(words[1], &entry.stamp.size) ||
      !absl::SimpleAtoi(words[2], &entry.stamp.changed)) {
    return false;
  }
  absl::StatusOr<std::string> name = Decode(TextEncoding::kEscaped, words[3]);
  if (!name.ok()) return false;
  entry.verdict = words[0] == kOkWord ? ExitCode::kOk : ExitCode::kDamagedOrAbsent;
  entries_[*std::move(name)] = entry;
  return true;
}

absl::Status CheckState::Append(absl::string_view line) {
  const ssize_t count =
      Uninterrupted([&] { return ::write(descriptor_, line.data(), line.size()); });
  if (count < 0) return CannotDo(path_, "write");
  if (static_cast<size_t>(count) == line.size()) return absl::OkStatus();
  // Nothing may follow an incomplete line.
  if (!Truncate(descriptor_, ::lseek(descriptor_, 0, SEEK_END) - count)) {
    return CannotDo(path_, "write");
  }
  return absl::ResourceExhaustedError(
      absl::StrCat(path_, ": only ", count, " of ", line.size(), " bytes could be written"));
}

std::optional<ExitCode> CheckState::Find(const std::string& name, const FileStamp& stamp) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end() || !(found->second.stamp == stamp)) return std::nullopt;
  ++found_count_;
  return found->second.verdict;
}

absl::Status CheckState::Add(const std::string& name, const FileStamp& stamp, ExitCode verdict) {
  std::string line = absl::StrCat(verdict == ExitCode::kOk ? kOkWord : kDamagedWord, " ",
                                  stamp.size, " ", stamp.changed, " ");
  AppendEncoded(TextEncoding::kEscaped, name, &line);
  line += '\n';
  const std::lock_guard<std::mutex> lock(mutex_);
  return Append(line);
}

uint64_t CheckState::found_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return found_count_;
}

}  // namespace sstable::tools
