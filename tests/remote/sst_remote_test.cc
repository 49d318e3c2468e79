// Runs `sst` on tables on a web server.
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
  EXPECT_THAT(list.err, HasSubstr("is a URL; expected a local file or folder"));
  const test::HttpServer gone("x", [](const test::HttpRequest&, test::HttpAnswer* answer) {
    answer->code = 404;
    answer->headers.clear();
  });
  const Result missing = Run({"get", gone.Url(), "key"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("000005.ldb: the server answers with HTTP status 404"));
}

TEST_F(SstRemoteTest, AServerThatKeepsFailingIsNotAskedForEveryBlock) {
  Build("000005.ldb", ManyRecords(9000), {"--compression", "none", "--filter", "bloom:10"});
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"check"}, {"dump"}, {"stats"}, {"grep", "no such text"}, {"filter"}}) {
    // The server allows the file to be opened, then fails.
    const test::HttpServer server(folder_.Read("000005.ldb"),
                                  [](const test::HttpRequest& request, test::HttpAnswer* answer) {
                                    if (request.number > 0) answer->code = 500;
                                  });
    std::vector<std::string> arguments = command;
    arguments.push_back(server.Url());
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit_code, 2) << command[0] << "\n" << result;
    EXPECT_EQ(server.request_count(), 1u + 4u) << command[0];
  }
}

TEST_F(SstRemoteTest, NoCommandPrintsWhatIsSecretInAUrl) {
  const std::string good = Build("000005.ldb", ManyRecords(9000));
  const std::string bad = Corrupt(good, "bad.ldb", 5000);
  const test::HttpServer sound(folder_.Read("000005.ldb")), damaged(folder_.Read("bad.ldb"));
  const test::HttpServer gone("x", [](const test::HttpRequest&, test::HttpAnswer* answer) {
    answer->code = 404;
    answer->headers.clear();
  });
  std::vector<std::string> urls;
  for (const test::HttpServer* const server : {&sound, &damaged, &gone}) {
    urls.push_back(server->Url("Isaac:NewtonsPassword@") + "?signature=TopSecret#Hidden");
  }
  urls.push_back(absl::StrReplaceAll(urls[0], {{"000005.ldb", "000003.log"}}));
  urls.push_back("http://Isaac:Newtons/Password@127.0.0.1:1/TopSecret");
  for (const std::string& url : urls) {
    folder_.Write("urls", url + "\n" + url + "\n");
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"get", url, "no such key"},
             {"get", "--explain", url, "key0007"},
             {"get", url, url, "no such key"},
             {"dump", url, url},
             {"dump", "--files", "--format", "jsonl", url},
             {"dump", "--history", url},
             {"dump", "--reverse", "--limit", "1", "--from", "x", url},
             {"grep", "value 0007", url, url},
             {"check", "-v", url, url},
             {"check", "--format", "json", url, url},
             {"check", "--files-from", Path("urls")},
             {"stats", "-v", url},
             {"stats", "--format", "json", url},
             {"layout", "-v", url},
             {"layout", "--format", "json", url},
             {"filter", url},
             {"filter", "--probe", "key0007", url},
             {"filter", "add", url, "-o", Path("out.ldb"), "--force"},
             {"filter", "strip", url, "-o", Path("out.ldb"), "--force", "--format", "json"},
             {"filter", "compare", url},
             {"filter", "compare", "--format", "json", url},
             {"diff", url, good},
             {"diff", good, url},
             {"salvage", url, "-o", Path("out.ldb"), "--force"},
             {"salvage", url, "-o", Path("out.ldb"), "--force", "--format", "json"},
             {"salvage", url, good, "-o", Path("saved")},
             {"report", url, "-o", Path("page.html"), "--force"},
             {"ls", url},
             {"manifest", url},
             {"build", Path("out.ldb"), url},
             {"build", url, good},
             {"build", "--number", "7", url, good},
             {"build", "--sort", url, good},
             {"build", Path("out.ldb"), url + ".jsonl", good},
             {"split", "--parts", "2", url},
             {"salvage", good, "-o", url},
             {"salvage", folder_.File(""), "-o", url},
             {"report", good, "-o", url},
             {"filter", "strip", good, "-o", url},
             {"check", "--files-from", url},
             {"filter", "--probe-keys", url, good},
             {url},
             {"help", url},
             {"check", "--no-such-option", url}}) {
      const Result result = Run(command);
      for (const char* const secret : {"Isaac", "Newton", "Password", "TopSecret", "Hidden"}) {
        EXPECT_THAT(result.out + result.err, Not(HasSubstr(secret))) << absl::StrJoin(command, " ");
      }
    }
  }
  Run({"report", urls[1], "-o", Path("page.html"), "--force"});
  EXPECT_THAT(folder_.Read("page.html"), Not(HasSubstr("NewtonsPassword")));
  EXPECT_THAT(folder_.Read("page.html"), Not(HasSubstr("TopSecret")));
}

}  // namespace
}  // namespace sstable::tools
