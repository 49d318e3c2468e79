// `toydb`: a command-line interface to a database.
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "examples/toy_lsm/db.h"
#include "util/status_util.h"

namespace toy_lsm {
namespace {

constexpr char kUsage[] = R"(usage: toydb COMMAND FOLDER [ARGUMENT...]
  put FOLDER KEY VALUE     durable when it returns
  get FOLDER KEY           exit code 1 if there is no such key
  del FOLDER KEY
  scan FOLDER [FROM [TO]]  entries with FROM <= key < TO, a line each
  fill FOLDER COUNT        random keys with values of 100 bytes
  compact FOLDER           brings all tables into one level
  stats FOLDER
  bench [-n COUNT]         beside LevelDB; see `toydb bench --help`)";

using Arguments = std::vector<std::string>;

absl::Status Scan(const Db& db, const Arguments& range) {
  const auto it = db.NewIterator();
  for (it->Seek(range.empty() ? "" : range[0]); it->Valid(); it->Next()) {
    if (range.size() > 1 && it->key() >= range[1]) break;
    absl::PrintF("%s\t%s\n", it->key(), it->value());
  }
  return it->status();
}

absl::Status PrintStats(const DbStats& stats) {
  absl::PrintF("level   tables        bytes\n");
  for (int level = 0; level < kLevelCount; ++level) {
    const auto& [table_count, size] = stats.levels[level];
    if (table_count > 0) absl::PrintF("%5d %8d %12d\n", level, table_count, size);
  }
  absl::PrintF("last sequence %d, memtable %d bytes, block cache %d bytes\n", stats.last_sequence,
               stats.memtable_size, stats.cache_usage);
  absl::PrintF(
      "since it was opened: %d flushes, %d compactions, %d moves, %d bytes written, %d stalls\n",
      stats.flush_count, stats.compaction_count, stats.move_count, stats.written_size,
      stats.stall_count);
  absl::PrintF("opening left out %d bytes of writes that a crash cut short\n", stats.lost_log_size);
  return absl::OkStatus();
}

absl::Status Fill(Db* db, const std::string& count_text) {
  uint64_t count = 0;
  if (!absl::SimpleAtoi(count_text, &count)) return absl::InvalidArgumentError("COUNT: no number");
  const auto start = std::chrono::steady_clock::now();
  for (uint64_t i = 0; i < count; ++i) {
    // Multiplication by an odd number is a permutation of the 64-bit numbers, so no key repeats.
    const uint64_t scrambled = i * 0x9e3779b97f4a7c15;
    RETURN_IF_ERROR(
        db->Put(absl::StrFormat("%016x", scrambled), absl::StrFormat("%0100d", scrambled)));
  }
  RETURN_IF_ERROR(db->WaitUntilIdle());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  absl::PrintF("%d entries in %.2f s\n", count, seconds.count());
  return PrintStats(db->stats());
}

absl::Status Run(const Arguments& arguments, bool* is_found) {
  if (arguments.size() < 2) return absl::InvalidArgumentError(kUsage);
  const std::string& command = arguments[0];
  Options options;
  options.create_if_missing = command == "put" || command == "fill";
  ASSIGN_OR_RETURN(const auto db, Db::Open(options, arguments[1]));
  const Arguments rest(arguments.begin() + 2, arguments.end());
  if (command == "put" && rest.size() == 2) return db->Put(rest[0], rest[1], Sync::kYes);
  if (command == "del" && rest.size() == 1) return db->Delete(rest[0], Sync::kYes);
  if (command == "scan" && rest.size() <= 2) return Scan(*db, rest);
  if (command == "fill" && rest.size() == 1) return Fill(db.get(), rest[0]);
  if (command == "compact" && rest.empty()) return db->CompactAll();
  if (command == "stats" && rest.empty()) return PrintStats(db->stats());
  if (command != "get" || rest.size() != 1) return absl::InvalidArgumentError(kUsage);
  std::string value;
  ASSIGN_OR_RETURN(*is_found, db->Get(rest[0], &value));
  if (*is_found) absl::PrintF("%s\n", value);
  return absl::OkStatus();
}

}  // namespace
}  // namespace toy_lsm

int main(int argc, char** argv) {
  const toy_lsm::Arguments arguments(argv + 1, argv + argc);
  if (!arguments.empty() && arguments[0] == "bench") {
    // The benchmark is a separate program, since it needs LevelDB and this one doesn't.
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
    const std::string bench = self.parent_path() / "bench" / "toydb_bench";
    ::execv(bench.c_str(), argv + 1);
    absl::FPrintF(stderr, "toydb: no %s: bazel build //examples/toy_lsm/bench:toydb_bench\n",
                  bench);
    return 2;
  }
  bool is_found = true;
  const absl::Status status = toy_lsm::Run(arguments, &is_found);
  if (!status.ok()) absl::FPrintF(stderr, "toydb: %s\n", status.message());
  return !status.ok() ? 2 : !is_found;
}
