// Processes that write to a database are killed at any moment, and some lose power, too. What they
// were told is written must be there, and of each batch all or nothing.
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "examples/toy_lsm/db.h"
#include "gtest/gtest.h"
#include "table/block/iterator.h"
#include "tests/examples/toy_lsm/fake_sync.h"
#include "tests/support/run_command.h"
#include "tests/support/status_matchers.h"
#include "tests/support/table_walk.h"
#include "tests/support/temp_folder.h"

namespace toy_lsm {
namespace {

using Clock = std::chrono::steady_clock;
using Model = std::map<std::string, std::string>;

constexpr int kRounds = 100;

// A flush every 60 batches or so; nearly always a flush or a compaction is under way.
Options SmallOptions() {
  Options options;
  options.write_buffer_size = 32 << 10;
  options.max_table_size = 8 << 10;
  options.level1_size = 32 << 10;
  options.block_size = 512;
  return options;
}

bool IsSynced(uint64_t number) { return number % 4 == 0; }

// The batch with this number: three keys that get its number, and one that is deleted.
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

// Writes batches from `number` on, and tells which it has written, until it is killed.
[[noreturn]] void WriteUntilKilled(const std::string& path, uint64_t number, int acknowledgements) {
  const auto db = Db::Open(SmallOptions(), path);
  if (!db.ok()) _exit(1);
  WriteBatch batch;
  for (Model model;; ++number) {
    MakeBatch(number, &batch, &model);
    if (!(*db)->Write(batch, IsSynced(number) ? Sync::kYes : Sync::kNo).ok()) _exit(2);
    if (::write(acknowledgements, &number, sizeof(number)) != sizeof(number)) _exit(3);
  }
}

// Kills such a process after a while. Returns what it was told is written: the last batch, and the
// last one that was synced.
std::pair<uint64_t, uint64_t> RunAndKill(const std::string& path, uint64_t number,
                                         std::chrono::microseconds time) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) WriteUntilKilled(path, number + 1, ends[1]);
  ::close(ends[1]);
  std::pair<uint64_t, uint64_t> last(number, number);
  const auto read_one = [&] {
    uint64_t acknowledged = 0;
    if (::read(ends[0], &acknowledged, sizeof(acknowledged)) != sizeof(acknowledged)) return false;
    last.first = acknowledged;
    if (IsSynced(acknowledged)) last.second = acknowledged;
    return true;
  };
  for (const auto end = Clock::now() + time; Clock::now() < end;) {
    pollfd waiting = {ends[0], POLLIN, 0};
    if (::poll(&waiting, 1, 1) == 1 && !read_one()) break;
  }
  ::kill(child, SIGKILL);
  while (read_one()) {
  }
  ::close(ends[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
  return last;
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
  int unfinished_tables = 0, killed_early = 0;
  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(absl::StrCat("round ", round));
    // Now and then while it is being opened.
    const std::chrono::microseconds time(random() % (round % 10 == 0 ? 3000 : 35000));
    const auto [last, last_synced] = RunAndKill(path, number, time);
    killed_early += last == number;
    if (std::filesystem::exists(path)) {
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        unfinished_tables += absl::StrContains(entry.path().string(), ".ldb.tmp-");
      }
      if (GetParam().loses_power) test::LosePower(path, notes);
    }

    const auto db = Db::Open(SmallOptions(), path);
    ASSERT_OK(db);
    std::string recovered = "0";
    ASSERT_OK((*db)->Get("number", &recovered));
    const uint64_t kept = std::stoull(recovered);
    // One more than acknowledged may be there: it died before it could tell.
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
  }
  EXPECT_GT(number, 1000);
  EXPECT_GT(unfinished_tables, 0);  // else it would prove little
  std::printf("%d rounds, %d batches, %d tables unfinished, %d killed before the first write\n",
              kRounds, static_cast<int>(number), unfinished_tables, killed_early);

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
