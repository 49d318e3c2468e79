// Sends `sst export` a signal before some system call. Afterwards OUT is complete or does not
// exist.
#include <csignal>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/console.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

class SstExportKilledTest : public SstTest {
 protected:
  void SetUp() override {
    std::string tsv;
    for (int i = 0; i < 1000; ++i) {
      tsv += "key" + std::to_string(10000 + i) + "\t" + std::to_string(i + 1) + "\tvalue\t" +
             std::string(3000, 'v') + "\n";  // OUT has 7 MB, more than SQLite keeps in memory
    }
    std::filesystem::create_directory(Path("db"));
    folder_.Write("in.tsv", tsv);
    ASSERT_EQ(Run({"build", "--keys", "internal", Path("db/000005.ldb"), Path("in.tsv")}).exit_code,
              0);
  }

  Result ExportUntil(int call, int signal) const {
    std::filesystem::remove_all(Path("out"));
    std::filesystem::create_directory(Path("out"));
    test::CommandOptions options;
    // LeakSanitizer does not work under ptrace().
    options.environment.push_back("ASAN_OPTIONS=detect_leaks=0");
    options.signal = signal;
    options.signal_at_call = call;
    return Run({"export", "--history", "--sqlite", Path("out/out.db"), Path("db")}, options);
  }

  // Returns SQLite's integrity check and the tables of OUT.
  std::string Tables() const {
    return test::RunShell("sqlite3 " + Path("out/out.db") +
                          " 'PRAGMA integrity_check' 'SELECT name FROM sqlite_schema ORDER BY name'"
                          " 'SELECT count(*) FROM entries' 2>/dev/null")
        .out;
  }
};

TEST_F(SstExportKilledTest, AtCallsAllAlong) {
  const Result whole = ExportUntil(std::numeric_limits<int>::max() / 4, SIGKILL);
  ASSERT_EQ(whole.exit_code, 1) << whole;  // since there is no MANIFEST
  ASSERT_EQ(Tables(), "ok\nentries\nhistory\n1000\n");
  ASSERT_GT(whole.calls, 500);
  int killed = 0, complete = 0;
  for (const int signal : {SIGKILL, SIGTERM}) {
    for (int call = 0; call < whole.calls; call += (call > whole.calls - 40) ? 1 : 50) {
      SCOPED_TRACE("signal " + std::to_string(signal) + " at call " + std::to_string(call));
      if (ExportUntil(call, signal).got_signal) ++killed;
      const bool exists = std::filesystem::exists(Path("out/out.db"));
      if (signal == SIGTERM && !exists) {
        EXPECT_TRUE(std::filesystem::is_empty(Path("out")));
      }
      if (!exists) continue;
      ++complete;
      EXPECT_EQ(Tables(), "ok\nentries\nhistory\n1000\n");
    }
  }
  EXPECT_GT(killed, 40);
  EXPECT_GT(complete, 4);
}

}  // namespace
}  // namespace sstable::tools
