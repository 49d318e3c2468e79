// The path of a lookup in docs/internals.md must match the code.
#include <filesystem>
#include <string>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/docs/markdown.h"

namespace sstable::test {
namespace {

namespace fs = std::filesystem;

TEST(InternalsTest, TheStepsOfALookupAreTheCodesInItsOrder) {
  const std::string code = ReadDocument((Workspace() / "table/table_lookup.cc").string());
  const auto rows = TableRows(ReadDocument((Workspace() / "docs/internals.md").string()),
                              "| step | call | what it does | where |");
  ASSERT_GE(rows.size(), 8);
  size_t at = code.find("::LookUp(");
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 4);
    const std::string name = absl::StrReplaceAll(row[1], {{"`", ""}});
    at = code.find(name, at);
    ASSERT_NE(at, std::string::npos) << name;
    for (const absl::string_view file : absl::StrSplit(row[3], ", ", absl::SkipEmpty())) {
      EXPECT_TRUE(fs::exists(Workspace() / absl::StrReplaceAll(file, {{"`", ""}}))) << file;
    }
  }
}

}  // namespace
}  // namespace sstable::test
