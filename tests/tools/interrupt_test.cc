#include "tools/cli/interrupt.h"

#include <csignal>
#include <cstdlib>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tools/cli/console.h"
#include "tools/files/table_output.h"

namespace sstable::tools {
namespace {

using ::sstable::test::StatusIs;
using ::sstable::test::TempFolder;
using ::testing::_;
using ::testing::IsEmpty;

constexpr auto kCancelled = absl::StatusCode::kCancelled;

// Runs like a command that writes OUT. Two signals ask it to stop meanwhile.
void WriteAndBeToldToStopTwice(const std::string& path) {
  const InterruptGuard guard;
  Console console;
  const auto file = CreateTableOutput(path, &console).value();
  EXPECT_OK(file->Append("a"));
  std::raise(SIGINT);
  std::raise(SIGINT);  // must not end the program, which would leave the file
  EXPECT_TRUE(Interrupted());
  EXPECT_THAT(CheckInterrupted(), StatusIs(kCancelled, _));
  EXPECT_THAT(file->Append("b"), StatusIs(kCancelled, _));
  EXPECT_THAT(file->Sync(), StatusIs(kCancelled, _));
  EXPECT_THAT(file->Close(), StatusIs(kCancelled, _));
  if (testing::Test::HasFailure()) std::_Exit(1);
}

TEST(InterruptGuardDeathTest, TheFileIsRemovedAndTheProgramEndsByTheSignal) {
  const TempFolder folder;
  EXPECT_EXIT(WriteAndBeToldToStopTwice(folder.File("t.ldb")), testing::KilledBySignal(SIGINT), "");
  EXPECT_THAT(folder.Names(), IsEmpty());
}

TEST(InterruptGuardDeathTest, WithoutAGuardTheProgramEndsAtOnce) {
  EXPECT_EXIT(
      {
        { const InterruptGuard guard; }
        std::raise(SIGTERM);
        std::_Exit(0);
      },
      testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptGuardDeathTest, ASignalThatTheCallerIgnoresStaysIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);
        {
          const InterruptGuard guard;
          std::raise(SIGHUP);
          if (Interrupted()) std::_Exit(1);
        }
        std::raise(SIGHUP);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sstable::tools
