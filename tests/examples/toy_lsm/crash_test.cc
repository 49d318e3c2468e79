// Kills a process that writes to a database at a system call, sometimes in the middle of a write,
// and sometimes simulates a power loss, too. Every acknowledged write must be kept, and each batch
// completely or not at all. Death is timed by counting calls, so it does not depend on the
// machine's speed.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/iterator.h"
#include "leveldb/options.h"
#include "sstable/iterator.h"
#include "tests/examples/toy_lsm/fake_sync.h"
#include "tests/support/faulty_system.h"
#include "tests/support/run_command.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

// Under ThreadSanitizer, allows forking although LevelDB has an (idle) thread.
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

namespace toy_lsm {
namespace {

using ::sstable::test::Fault;
using ::sstable::test::FaultySystem;
using Model = std::map<std::string, std::string>;

constexpr int kRounds = 100;
constexpr size_t kMaxCallsBefore = 700;  // about 200 batches, with their flushes and compactions

// A flush about every 60 batches, so that a flush or compaction is nearly always running.
Options SmallOptions() {
  Options options;
  options.write_buffer_size = 32 << 10;
  options.max_table_size = 8 << 10;
  options.level1_size = 32 << 10;
  options.block_size = 512;
  return options;
}

bool IsSynced(uint64_t number) { return number % 4 == 0; }

// Makes the batch with this number, which sets three keys to it and deletes one.
void MakeBatch(uint64_t number, WriteBatch* batch, Model* model) {
  batch->Clear();
  std::mt19937_64 random(number);
  const std::string slot = absl::StrCat(random() % 300);
  for (const char* prefix : {"a", "b", "c"}) {
    const std::string key = absl::StrCat(prefix, slot);
    const std::string value = absl::StrCat(number, std::string(random() % 200, 'v'));
    batch->Put(key, value);
    (*model)[key] = value;
  }
  const std::string deleted = absl::StrCat("b", random() % 300);
  batch->Delete(deleted);
  model->erase(deleted);
  batch->Put("number", absl::StrCat(number));
  (*model)["number"] = absl::StrCat(number);
}

// When a process is killed.
struct Death {
  size_t calls_before = 0;     // system calls before it
  const char* call = nullptr;  // if not null, only calls with this name count
};

Fault Killed(const Death& death) {
  Fault fault = {"Killed"};
  fault.kills = true;
  fault.only = death.call;
  return fault;
}

// Writes batches from `number` on, and reports each one written, until it is killed. Calls are
// counted from the first report on.
[[noreturn]] void WriteUntilKilled(const std::string& path, uint64_t number, int acknowledgements,
                                   const Death& death) {
  const auto db = Db::Open(SmallOptions(), path);
  if (!db.ok()) _exit(1);
  WriteBatch batch;
  std::optional<FaultySystem> system;
  for (Model model;; ++number) {
    MakeBatch(number, &batch, &model);
    if (!(*db)->Write(batch, IsSynced(number) ? Sync::kYes : Sync::kNo).ok()) _exit(2);
    if (::write(acknowledgements, &number, sizeof(number)) != sizeof(number)) _exit(3);
    if (!system.has_value()) system.emplace(death.calls_before, Killed(death));
  }
}

int WaitFor(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

bool WasKilled(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL; }

// Runs and kills such a process. Returns the last batch that it reported as written, and the last
// one that was synced.
std::pair<uint64_t, uint64_t> RunAndKill(const std::string& path, uint64_t number,
                                         const Death& death) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) WriteUntilKilled(path, number + 1, ends[1], death);
  ::close(ends[1]);
  std::pair<uint64_t, uint64_t> last(number, number);
  uint64_t acknowledged = 0;
  while (::read(ends[0], &acknowledged, sizeof(acknowledged)) == sizeof(acknowledged)) {
    last.first = acknowledged;
    if (IsSynced(acknowledged)) last.second = acknowledged;
  }
  ::close(ends[0]);
  const int status = WaitFor(child);
  EXPECT_TRUE(WasKilled(status)) << "exit code " << WEXITSTATUS(status);
  return last;
}

// Kills a process at this system call while it opens the database. Returns false if it has opened
// the database before that.
bool OpenAndKill(const std::string& path, size_t calls_before) {
  constexpr int kOpened = 100;
  const pid_t child = ::fork();
  if (child == 0) {
    const Death death = {calls_before};
    const FaultySystem system(calls_before, Killed(death));
    _exit(Db::Open(SmallOptions(), path).ok() ? kOpened : 1);
  }
  const int status = WaitFor(child);
  if (WasKilled(status)) return true;
  EXPECT_EQ(WEXITSTATUS(status), kOpened);
  return false;
}

bool HasTemporaryFile(const std::string& path) {
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (absl::StrContains(entry.path().string(), ".tmp-")) return true;
  }
  return false;
}

// Returns the contents that LevelDB finds in a copy of the folder.
Model ScanWithLevelDb(const std::string& path) {
  const std::string copy = path + "_copy";
  std::filesystem::remove_all(copy);
  std::filesystem::copy(path, copy);
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::DB* opened = nullptr;
  const leveldb::Status status = leveldb::DB::Open(options, copy, &opened);
  EXPECT_TRUE(status.ok()) << status.ToString();
  if (!status.ok()) return {};
  const std::unique_ptr<leveldb::DB> db(opened);
  Model entries;
  const std::unique_ptr<leveldb::Iterator> it(db->NewIterator(leveldb::ReadOptions()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    entries[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return entries;
}

struct CrashCase {
  const char* name;
  bool loses_power;
};
class CrashTest : public testing::TestWithParam<CrashCase> {};

TEST_P(CrashTest, KeepsWhatWasAcknowledgedAndNothingByHalves) {
  const sstable::test::TempFolder folder;
  const std::string path = folder.File("db"), notes = folder.File("notes");
  test::NoteSyncs(notes);
  std::mt19937 random(1);
  Model model;  // after batch `number`
  uint64_t number = 0;
  int deaths_at_rename = 0, deaths_at_opening = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    Death death = {random() % kMaxCallsBefore};
    // Some rounds kill it when a table or the manifest is complete but not yet renamed.
    if (round % 5 == 1) death = {random() % 8, "rename"};
    const auto [last, last_synced] = RunAndKill(path, number, death);
    ASSERT_GT(last, number) << "it would test nothing";
    if (death.call != nullptr) {
      ASSERT_TRUE(HasTemporaryFile(path));
      ++deaths_at_rename;
    }
    if (GetParam().loses_power) test::LosePower(path, notes);
    // Also kills the recovery from that, at each of its system calls.
    if (round % 25 == 2) {
      size_t calls = 0;
      while (OpenAndKill(path, calls)) {
        if (GetParam().loses_power) test::LosePower(path, notes);
        ASSERT_LT(++calls, 10000);
      }
      ASSERT_GT(calls, 5);
      deaths_at_opening += static_cast<int>(calls);
    }

    const Model leveldb_entries = ScanWithLevelDb(path);
    const auto db = Db::Open(SmallOptions(), path);
    ASSERT_OK(db);
    std::string recovered = "0";
    ASSERT_OK((*db)->Get("number", &recovered));
    const uint64_t kept = std::stoull(recovered);
    // One more batch than acknowledged may be kept, if the process died before it could report it.
    ASSERT_GE(kept, GetParam().loses_power ? last_synced : last);
    ASSERT_LE(kept, last + 1);
    for (WriteBatch batch; number < kept;) MakeBatch(++number, &batch, &model);
    const auto it = (*db)->NewIterator();
    const Model entries = [&it] {
      const auto walk = sstable::test::WalkForward(it.get());
      EXPECT_OK(walk.status);
      return Model(walk.entries.begin(), walk.entries.end());
    }();
    ASSERT_EQ(entries, model);
    ASSERT_EQ(leveldb_entries, model);
  }
  EXPECT_GT(number, 1000);
  std::printf("%d rounds, %d batches, %d killed at a rename, %d killed while opening\n", kRounds,
              static_cast<int>(number), deaths_at_rename, deaths_at_opening);

  std::vector<std::string> command = {"tools/sst", "check", "--keys", "internal"};
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".ldb") command.push_back(entry.path());
  }
  EXPECT_GT(command.size(), 6);
  EXPECT_EQ(sstable::test::RunCommand(command).exit_code, 0);
}

INSTANTIATE_TEST_SUITE_P(Crashes, CrashTest,
                         testing::ValuesIn<CrashCase>({{"OfTheProcess", false},
                                                       {"OfTheMachine", true}}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace toy_lsm
