// `sst` on tables of a web server.
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/remote/http_server.h"
#include "tests/tools/sst_test.h"

namespace sstable::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class SstRemoteTest : public SstTest {
 protected:
  static Result Run(const std::vector<std::string>& arguments) {
    test::CommandOptions options;
    options.environment = {"no_proxy=*"};
    return SstTest::Run(arguments, options);
  }
};

TEST_F(SstRemoteTest, CommandsReadATableByItsUrl) {
  const std::string path = Build("000005.ldb", ManyRecords(9000), {"--filter", "bloom:10"});
  const test::HttpServer server(folder_.Read("000005.ldb"));
  const std::string url = server.Url();
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"check"}, {"dump"}, {"stats"}, {"layout"}, {"filter"}, {"grep", "value 0007"}}) {
    std::vector<std::string> of_path = command, of_url = command;
    of_path.push_back(path);
    of_url.push_back(url);
    const Result expected = Run(of_path), result = Run(of_url);
    EXPECT_EQ(result.exit_code, 0) << result;
    EXPECT_EQ(result.out, absl::StrReplaceAll(expected.out, {{path, url}})) << command[0];
  }
  EXPECT_THAT(Run({"get", url, "key0007"}).out, StartsWith("value 0007"));
  EXPECT_EQ(Run({"get", url, "key0007x"}).exit_code, 1);
  EXPECT_EQ(Run({"diff", url, path}).exit_code, 0);
  const Result saved = Run({"salvage", url, "-o", Path("saved.ldb")});
  EXPECT_EQ(saved.exit_code, 0) << saved;
  EXPECT_EQ(Run({"diff", path, Path("saved.ldb")}).exit_code, 0);
}

TEST_F(SstRemoteTest, WhatFailsIsSaid) {
  const std::string dead = "http://user:secret@127.0.0.1:1/000005.ldb";
  const Result result = Run({"check", dead});
  EXPECT_EQ(result.exit_code, 2) << result;
  EXPECT_THAT(result.err, HasSubstr("http://127.0.0.1:1/000005.ldb: HTTP: Failed to connect"));
  const Result list = Run({"ls", "https://example.org/database"});
  EXPECT_EQ(list.exit_code, 2);
  EXPECT_THAT(list.err, HasSubstr("is a URL; sst ls needs a folder of this machine"));
  const test::HttpServer gone("x", [](const test::HttpRequest&, test::HttpAnswer* answer) {
    answer->code = 404;
    answer->headers.clear();
  });
  const Result missing = Run({"get", gone.Url(), "key"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("000005.ldb: the server answers with HTTP status 404"));
}

}  // namespace
}  // namespace sstable::tools
