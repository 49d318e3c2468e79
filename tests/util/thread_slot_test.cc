#include "util/thread_slot.h"

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace sstable {
namespace {

// Threads that take a slot and then stay alive until they are released.
class LiveThreads {
 public:
  explicit LiveThreads(size_t count) {
    for (size_t i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this, count] { return slots_.size() == count; });
  }

  ~LiveThreads() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      let_go_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  // Returns the slots of all threads, in the order in which they were taken.
  std::vector<size_t> slots() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return slots_;
  }

 private:
  void Run() {
    const size_t slot = ThreadSlot();
    std::unique_lock<std::mutex> lock(mutex_);
    slots_.push_back(slot);
    changed_.notify_all();
    changed_.wait(lock, [this] { return let_go_; });
    EXPECT_EQ(ThreadSlot(), slot);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool let_go_ = false;
  std::vector<size_t> slots_;
  std::vector<std::thread> threads_;
};

TEST(ThreadSlotTest, DiffersAmongLiveThreads) {
  LiveThreads threads(32);
  const std::vector<size_t> slots = threads.slots();
  std::set<size_t> distinct(slots.begin(), slots.end());
  EXPECT_EQ(distinct.size(), 32);
  EXPECT_EQ(distinct.count(ThreadSlot()), 0);
  // Together with this thread's slot, they are the lowest possible numbers.
  distinct.insert(ThreadSlot());
  EXPECT_EQ(*distinct.rbegin(), 32);
}

TEST(ThreadSlotTest, IsFreeAgainWhenItsThreadEnds) {
  const size_t own = ThreadSlot();
  for (int i = 0; i < 100; ++i) {
    LiveThreads thread(1);
    EXPECT_EQ(thread.slots().front(), own == 0 ? 1 : 0) << i;
  }
}

TEST(ThreadSlotTest, TheLowestFreeComesFirst) {
  ThreadSlot();
  LiveThreads first(1);
  const size_t first_slot = first.slots().front();
  size_t gap;
  {
    LiveThreads gone(1);
    gap = gone.slots().front();
    LiveThreads third(1);
    EXPECT_GT(third.slots().front(), gap);
  }
  EXPECT_GT(gap, first_slot);
  LiveThreads next(1);
  EXPECT_EQ(next.slots().front(), gap);
}

TEST(ThreadSlotTest, TheNextOwnerSeesWhatTheLastOneWrote) {
  // Unsynchronized on purpose, so that ThreadSanitizer reports a race if a slot is not handed over
  // properly.
  constexpr int kThreads = 8, kRounds = 500;
  std::vector<int> counters(kThreads + 1, 0);
  std::vector<std::thread> spawners;
  ThreadSlot();
  for (int i = 0; i < kThreads / 2; ++i) {
    spawners.emplace_back([&counters] {
      for (int round = 0; round < kRounds; ++round) {
        std::thread([&counters] { ++counters.at(ThreadSlot()); }).join();
      }
    });
  }
  for (std::thread& spawner : spawners) spawner.join();
  int sum = 0;
  for (int counter : counters) sum += counter;
  EXPECT_EQ(sum, kThreads / 2 * kRounds);
}

}  // namespace
}  // namespace sstable
