// Writers are killed and restarted again and again while views read. Every read must return the
// state at the time when the view was opened. Also runs under ThreadSanitizer with as many
// operations: bazel test --config=tsan //tests/db:database_view_leveldb_killed_test
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "leveldb/db.h"
#include "leveldb/write_batch.h"
#include "sstable/database_view.h"
#include "tests/db/leveldb_folder_test.h"
#include "tests/support/random_bytes.h"
#include "tests/support/status_matchers.h"

namespace sstable::test {
namespace {

constexpr uint64_t kKeys = 2003;  // prime, so that every key gets its turn
constexpr char kCounter[] = "counter";

uint64_t KeyNumber(uint64_t batch) { return batch * 7919 % kKeys; }

// Batch i sets the counter to i, and sets or deletes Key(KeyNumber(i)).
std::optional<std::string> ValueOf(uint64_t batch) {
  if (batch % 4 == 0) return std::nullopt;
  return absl::StrCat(batch, std::string(batch % 150, 'v'));
}

// Returns the values after `batches`, indexed by key number.
std::vector<std::optional<std::string>> StateAfter(uint64_t batches) {
  std::vector<std::optional<std::string>> state(kKeys);
  const uint64_t last_round = batches < kKeys ? 0 : batches - kKeys;
  for (uint64_t i = last_round + 1; i <= batches; ++i) state[KeyNumber(i)] = ValueOf(i);
  return state;
}

// State shared by the reader and the writers.
struct Progress {
  std::atomic<uint64_t> allowed{0};  // batches that writers may write; bounds the folder's growth
  std::atomic<uint64_t> written{0};
  std::atomic<uint64_t> starts{0};  // number of writers started
  std::atomic<bool> is_done{false};
};

// Continues to write the database until it kills its own process, while LevelDB's other thread may
// be writing. Exits with 0 if the test is done, with 1 after an error.
[[noreturn]] void Write(const std::string& path, Progress* progress) {
  leveldb::Options options = SmallOptions();
  options.create_if_missing = true;
  leveldb::DB* database = nullptr;
  if (!leveldb::DB::Open(options, path, &database).ok()) ::_exit(1);
  std::string count;
  uint64_t i = 0;
  if (database->Get({}, kCounter, &count).ok() && !absl::SimpleAtoi(count, &i)) ::_exit(1);
  if (i < progress->written) ::_exit(1);
  const uint64_t end = i + 500 + 977 * ++progress->starts % 2000;
  while (i < end) {
    if (progress->is_done) ::_exit(0);
    if (i >= progress->allowed) {
      ::usleep(100);
      continue;
    }
    leveldb::WriteBatch batch;
    batch.Put(kCounter, absl::StrCat(++i));
    const std::string key = Key(KeyNumber(i));
    const auto value = ValueOf(i);
    value.has_value() ? batch.Put(key, *value) : batch.Delete(key);
    if (!database->Write({}, &batch).ok()) ::_exit(1);
    progress->written = i;
  }
  ::raise(SIGKILL);
  ::_exit(1);
}

// Forks a process that starts a new writer whenever one is killed, and exits with the last one's
// exit code. Only this single-threaded process forks.
pid_t StartWriters(const std::string& path, Progress* progress) {
  const pid_t starter = ::fork();
  if (starter != 0) return starter;
  for (;;) {
    const pid_t writer = ::fork();
    if (writer < 0) ::_exit(1);
    if (writer == 0) Write(path, progress);
    int status = 0;
    ::waitpid(writer, &status, 0);
    if (WIFEXITED(status)) {
      progress->is_done = true;
      ::_exit(WEXITSTATUS(status));
    }
  }
}

class Reader {
 public:
  // `may_abort`: not all tables can be open, so a table may have been removed when it is needed.
  Reader(const DatabaseView* view, uint64_t batches, bool may_abort, uint64_t seed)
      : view_(*view), state_(StateAfter(batches)), may_abort_(may_abort), rng_(seed) {}

  // Returns the number of wrong answers.
  int Read(int operations) {
    for (; operations > 0; --operations) {
      const uint64_t i = RandomUpTo(rng_, kKeys - 1);
      switch (RandomUpTo(rng_, 9)) {
        case 0:
          MultiGet(i);
          break;
        case 1:
          Scan(i);
          break;
        default:
          Get(i);
      }
    }
    return wrong_;
  }

 private:
  void Compare(const absl::StatusOr<Presence>& presence, const std::string& value, uint64_t i) {
    if (!presence.ok()) return Expect(may_abort_ && absl::IsAborted(presence.status()));
    Expect(*presence == Presence::kFound ? state_[i] == value : !state_[i].has_value());
  }
  void Expect(bool is_right) { wrong_ += is_right ? 0 : 1; }

  void Get(uint64_t i) {
    std::string value;
    const auto presence = view_.Get(Key(i), &value);
    Compare(presence, value, i);
  }
  void MultiGet(uint64_t i) {
    std::array<std::string, 8> keys, values;
    std::vector<LookupRequest> requests;
    for (size_t k = 0; k < keys.size(); ++k) {
      keys[k] = Key((i + 100 * k) % kKeys);
      requests.push_back({keys[k], &values[k]});
    }
    view_.MultiGet(absl::MakeSpan(requests));
    for (size_t k = 0; k < keys.size(); ++k) {
      Compare(requests[k].presence, values[k], (i + 100 * k) % kKeys);
    }
  }
  void Scan(uint64_t i) {
    const auto it = view_.NewIterator();
    it->Seek(Key(i));
    for (int entries = 0; entries < 5; ++entries, ++i) {
      while (i < kKeys && !state_[i].has_value()) ++i;
      if (!it->Valid()) {
        Expect(it->status().ok() ? i == kKeys : may_abort_ && absl::IsAborted(it->status()));
        return;
      }
      Expect(i < kKeys && it->key() == Key(i) && it->value() == *state_[i]);
      it->Next();
    }
  }

  const DatabaseView& view_;
  const std::vector<std::optional<std::string>> state_;
  const bool may_abort_;
  Rng rng_;
  int wrong_ = 0;
};

TEST(DatabaseViewKilledTest, HasAStateThatExistedWhileTheWriterIsKilled) {
  constexpr uint64_t kViews = 200, kThreads = 4, kOperations = 125;  // 100,000 operations in total
  constexpr uint64_t kBatches = 500;                                 // while a view is open
  const TempFolder folder;
  const std::string path = folder.File("db");
  void* const memory =
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  Progress& progress = *new (memory) Progress;
  progress.allowed = kBatches;
  const pid_t writers = StartWriters(path, &progress);
  ASSERT_GT(writers, 0);
  while (progress.written == 0 && !progress.is_done) ::usleep(1000);
  const auto cache = std::make_shared<BlockCache>(1 << 20);
  for (uint64_t round = 0; round < kViews && !HasFailure(); ++round) {
    progress.allowed += kBatches;
    while (progress.written + 2 * kBatches < progress.allowed && !progress.is_done) ::usleep(1000);
    const bool opens_few = round % 2 == 1;
    DatabaseViewOptions options;
    options.block_cache = cache;
    if (opens_few) options.max_open_files = 2;
    const uint64_t before = progress.written;
    const auto view = Open(path, options);
    if (view == nullptr) break;
    const uint64_t after = progress.written;
    std::string count;
    const auto presence = view->Get(kCounter, &count);
    if (opens_few && absl::IsAborted(presence.status())) continue;
    uint64_t batches = 0;
    EXPECT_TRUE(presence.ok() && absl::SimpleAtoi(count, &batches)) << presence.status();
    EXPECT_GE(batches, before);
    EXPECT_LE(batches, after + 1);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        wrong += Reader(view.get(), batches, opens_few, round * kThreads + t).Read(kOperations);
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0) << "round " << round << ", after " << batches << " batches";
  }
  EXPECT_FALSE(progress.is_done) << "a writer failed";
  EXPECT_GT(progress.starts, 10u);
  progress.is_done = true;
  int status = 0;
  ::waitpid(writers, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  ::munmap(memory, sizeof(Progress));
}

}  // namespace
}  // namespace sstable::test
