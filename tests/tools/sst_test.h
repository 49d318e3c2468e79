// Runs `sst` on files in the test's own folder.
#ifndef SSTABLE_TESTS_TOOLS_SST_TEST_H_
#define SSTABLE_TESTS_TOOLS_SST_TEST_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/run_command.h"
#include "tests/support/temp_folder.h"

namespace sstable::tools {

// Three plain keys.
inline constexpr char kFruit[] = "apple\tred\nbanana\tyellow\nkiwi\tgreen\n";

class SstTest : public testing::Test {
 protected:
  using Result = test::CommandResult;
  using Output = test::CommandOptions::Output;

  static Result Run(std::vector<std::string> arguments, test::CommandOptions options = {}) {
    arguments.insert(arguments.begin(), "tools/sst");
    options.environment.push_back("SST_NO_PROGRESS=1");  // progress output depends on the clock
    return test::RunCommand(arguments, options);
  }

  static Result RunWithInput(std::vector<std::string> arguments, std::string input) {
    test::CommandOptions options;
    options.input = std::move(input);
    return Run(std::move(arguments), options);
  }

  std::string Path(absl::string_view name) const { return folder_.File(name); }

  // Builds a table from TSV records and returns its path.
  std::string Build(absl::string_view name, std::string tsv,
                    std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"build", "--force", Path(name)});
    const Result result = RunWithInput(std::move(options), std::move(tsv));
    EXPECT_EQ(result.exit_code, 0) << result;
    return Path(name);
  }

  // Returns records with keys key0000, key0001, ... for a table of several blocks.
  static std::string ManyRecords(int count) {
    std::string tsv;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(10000 + i).substr(1);
      tsv += "key" + number + "\tvalue " + number + " " + std::string(20, 'x') + "\n";
    }
    return tsv;
  }

  // Copies a table and changes one byte. Returns the copy's path.
  std::string Corrupt(const std::string& table, absl::string_view name, size_t offset) const {
    std::string bytes = folder_.Read(table.substr(table.rfind('/') + 1));
    bytes.at(offset) = static_cast<char>(bytes.at(offset) ^ 0x40);
    folder_.Write(name, bytes);
    return Path(name);
  }

  test::TempFolder folder_;
};

}  // namespace sstable::tools

#endif  // SSTABLE_TESTS_TOOLS_SST_TEST_H_
