// Runs `sst` on files that can't be read. A failed read is reported neither as damage nor as
// absence, and a signal has no effect. The commands run in this process, where system calls can be
// made to fail.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "tests/support/faulty_system.h"
#include "tests/support/temp_folder.h"
#include "tests/support/whole_file.h"
#include "tools/cli/console.h"
#include "tools/cli/exit_code.h"
#include "tools/run_sst.h"

namespace sstable::tools {
namespace {

using test::Fault;
using test::FaultySystem;
using ::testing::HasSubstr;

class KeptOutput final : public ConsoleSink {
 public:
  void WriteData(absl::string_view data) override { absl::StrAppend(&out, data); }
  void WriteMessage(absl::string_view text) override { absl::StrAppend(&err, text); }
  bool closed() const override { return false; }

  std::string out, err;
};

struct Result {
  ExitCode code = ExitCode::kOk;
  std::string out, err;
};

class ReadFaultsTest : public testing::Test {
 protected:
  ReadFaultsTest() {
    for (const char* const name :
         {"000005.ldb", "000009.ldb", "000010.log", "CURRENT", "MANIFEST-000008"}) {
      folder_.Write(name, test::ReadWholeFile(absl::StrCat("tests/testdata/database/", name)));
    }
  }

  static Result Run(const std::vector<std::string>& arguments) {
    Console whole;
    KeptOutput output;
    Console console(&whole, &output, 0);
    Result result;
    result.code = RunSst(arguments, &console);
    console.Flush();
    result.out = output.out;
    result.err = output.err;
    return result;
  }

  // Returns all commands that read a database or one of its tables.
  std::vector<std::vector<std::string>> FolderCommands() const {
    const std::string folder = folder_.File("");
    return {{"get", folder, "no such key"},
            {"dump", folder},
            {"dump", "--history", folder},
            {"grep", "no such text", folder},
            {"diff", folder, folder},
            {"ls", folder},
            {"ls", "--format", "json", folder},
            {"check", folder},
            {"check", "--format", "json", folder},
            {"salvage", folder, "-o", out_.File("saved")},
            {"report", folder, "-o", out_.File("page.html"), "--force"}};
  }
  std::vector<std::vector<std::string>> TableCommands() const {
    const std::string table = folder_.File("000005.ldb");
    return {{"get", table, "no such key"},
            {"dump", table},
            {"grep", "no such text", table},
            {"diff", table, table},
            {"layout", table},
            {"check", table},
            {"check", "--format", "json", table},
            {"stats", table},
            {"filter", table},
            {"filter", "add", table, "-o", out_.File("filtered.ldb"), "--force"},
            {"filter", "compare", table},
            {"salvage", table, "-o", out_.File("saved.ldb"), "--force"},
            {"report", table, "-o", out_.File("page.html"), "--force"}};
  }

  test::TempFolder folder_, out_;
};

TEST_F(ReadFaultsTest, AFailedReadInAFolderIsNeitherDamageNorAbsence) {
  for (const int error : {EACCES, EIO, ENOSPC, ENXIO}) {
    for (const char* const call : {"open", "pread"}) {
      for (const char* const file : {"000005.ldb", "000010.log", "CURRENT", "MANIFEST-000008"}) {
        for (const std::vector<std::string>& command : FolderCommands()) {
          SCOPED_TRACE(absl::StrCat(std::strerror(error), ", ", call, " of ", file, ": sst ",
                                    absl::StrJoin(command, " ")));
          Fault fault{"failed read", error};
          fault.stays = true;
          fault.only = call;
          fault.path = absl::StrCat("/", file);
          std::filesystem::remove_all(out_.File("saved"));
          const FaultySystem faulty(0, fault);
          const Result result = Run(command);
          ASSERT_EQ(faulty.failed(), call);
          EXPECT_EQ(result.code, ExitCode::kCannot) << result.out << result.err;
          EXPECT_THAT(result.out + result.err, HasSubstr(std::strerror(error)));
        }
      }
    }
  }
}

// Reads of the footer, the index, the filter and data blocks fail in turn.
TEST_F(ReadFaultsTest, AFailedReadOfATableIsNeitherDamageNorAbsence) {
  for (const std::vector<std::string>& command : TableCommands()) {
    for (size_t read = 0;; ++read) {
      SCOPED_TRACE(absl::StrCat("read ", read, ": sst ", absl::StrJoin(command, " ")));
      Fault fault{"failed read", EIO};
      fault.stays = true;
      fault.only = "pread";
      fault.path = "/000005.ldb";
      const FaultySystem faulty(read, fault);
      const Result result = Run(command);
      if (faulty.failed().empty()) break;
      EXPECT_EQ(result.code, ExitCode::kCannot) << result.out << result.err;
    }
  }
}

TEST_F(ReadFaultsTest, ASignalChangesNothing) {
  std::vector<std::vector<std::string>> commands = FolderCommands();
  for (const std::vector<std::string>& command : TableCommands()) {
    if (command[1] != "compare") commands.push_back(command);  // its output has times
  }
  const std::string names = folder_.File("000005.ldb") + "\n";
  folder_.Write("names", names);
  folder_.Write("records.tsv", "apple\tred\n");
  commands.push_back({"check", "--files-from", folder_.File("names")});
  commands.push_back({"build", out_.File("built.ldb"), folder_.File("records.tsv")});
  for (const std::vector<std::string>& command : commands) {
    const auto remove_outputs = [this] {
      std::filesystem::remove_all(out_.File("saved"));
      std::filesystem::remove(out_.File("built.ldb"));
    };
    remove_outputs();
    const Result expected = Run(command);
    for (size_t call = 0;; ++call) {
      SCOPED_TRACE(absl::StrCat("call ", call, ": sst ", absl::StrJoin(command, " ")));
      remove_outputs();
      const FaultySystem faulty(call, {"signal", EINTR});
      const Result result = Run(command);
      if (faulty.failed().empty()) break;
      EXPECT_EQ(result.code, expected.code) << faulty.failed() << "\n" << result.err;
      EXPECT_EQ(result.out, expected.out) << faulty.failed();
      EXPECT_EQ(result.err, expected.err) << faulty.failed();
    }
  }
}

}  // namespace
}  // namespace sstable::tools
