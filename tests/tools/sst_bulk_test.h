// Tables that are built separately, and combined in a database.
#ifndef SSTABLE_TESTS_TOOLS_SST_BULK_TEST_H_
#define SSTABLE_TESTS_TOOLS_SST_BULK_TEST_H_

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {

class SstBulkTest : public SstTest {
 protected:
  void SetUp() override { std::filesystem::create_directory(Path("db")); }

  // Builds a table of `tsv` in db, and returns its line.
  std::string BuildPart(int number, const std::string& tsv,
                        std::vector<std::string> options = {}) const {
    options.insert(options.begin(), {"build", Path("db"), "--number", absl::StrCat(number)});
    const Result result = RunWithInput(std::move(options), tsv);
    EXPECT_EQ(result.exit_code, 0) << result;
    return result.out;
  }

  Result Manifest(const std::string& lines) const {
    return RunWithInput({"manifest", Path("db")}, lines);
  }

  // Expects that no part of a database was written.
  void ExpectRefused(const Result& result, int exit_code, const std::string& message) const {
    EXPECT_EQ(result.exit_code, exit_code) << result;
    EXPECT_THAT(result.err, ::testing::HasSubstr(message));
    EXPECT_FALSE(std::filesystem::exists(Path("db/CURRENT")));
    EXPECT_FALSE(std::filesystem::exists(Path("db/MANIFEST-000004")));
  }

  // Name to contents.
  std::map<std::string, std::string> Files(const std::string& folder) const {
    std::map<std::string, std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(Path(folder))) {
      const std::string name = file.path().filename();
      files[name] = folder_.Read(absl::StrCat(folder, "/", name));
    }
    return files;
  }
};

}  // namespace sstable::tools

#endif  // SSTABLE_TESTS_TOOLS_SST_BULK_TEST_H_
