#include "tools/cli/progress.h"

#include <condition_variable>
#include <mutex>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace sstable::tools {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

// A terminal whose output a test can wait for.
class Screen {
 public:
  void Write(absl::string_view text) {
    const std::lock_guard<std::mutex> lock(mutex_);
    text_.append(text.data(), text.size());
    written_.notify_all();
  }
  void WaitFor(absl::string_view text) {
    std::unique_lock<std::mutex> lock(mutex_);
    written_.wait(lock, [&] { return absl::StrContains(text_, text); });
  }
  std::string text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable written_;
  std::string text_;
};

TEST(ProgressTest, IsDrawnWhileWorkSaysNothing) {
  Screen screen;
  Progress progress([&](absl::string_view text) { screen.Write(text); }, absl::ZeroDuration());
  progress.Begin("sorting", 0);
  screen.WaitFor("\rsorting  0 s\x1b[K");  // even without a call of Advance()
  progress.End();
  EXPECT_THAT(screen.text(), EndsWith("\r\x1b[K"));
}

TEST(ProgressTest, ShowsHowFarWorkHasCome) {
  Screen screen;
  Progress progress([&](absl::string_view text) { screen.Write(text); }, absl::ZeroDuration());
  progress.Begin("t.ldb", 4 << 20);
  progress.Advance(1 << 20);
  screen.WaitFor("\rt.ldb [#######.......................]  25 %  1 MiB, ");
}

TEST(ProgressTest, APartCountsForItsSizeHoweverMuchIsRead) {
  Screen screen;
  Progress whole([&](absl::string_view text) { screen.Write(text); }, absl::ZeroDuration());
  whole.Begin("2 files", 4 << 20);
  {
    Progress part(&whole, 1 << 20);
    part.Begin("a.ldb", 123);  // has no bar
    part.Advance(5 << 20);
    part.Advance(5 << 20);
    part.End();
  }
  screen.WaitFor("\r2 files [#######.......................]  25 %  1 MiB, ");
  { const Progress unread(&whole, 2 << 20); }
  screen.WaitFor("\r2 files [######################........]  75 %  3 MiB, ");
  EXPECT_THAT(screen.text(), Not(HasSubstr("a.ldb")));
}

TEST(ProgressTest, IsNotDrawnWhileALineIsWritten) {
  Screen screen;
  Progress progress([&](absl::string_view text) { screen.Write(text); }, absl::ZeroDuration());
  progress.Begin("a", 0);
  screen.WaitFor("\ra ");
  {
    const auto hidden = progress.Hide();
    EXPECT_THAT(screen.text(), EndsWith("\r\x1b[K"));
  }
  progress.Begin("b\x1b", 0);
  screen.WaitFor("\rb\\x1b ");
}

TEST(ProgressTest, ADisabledOneDrawsNothing) {
  Screen screen;
  Progress progress([&](absl::string_view text) { screen.Write(text); }, absl::ZeroDuration());
  progress.Disable();
  progress.Begin("a", 0);
  progress.End();
  EXPECT_THAT(screen.text(), Not(HasSubstr("a")));
}

}  // namespace
}  // namespace sstable::tools
