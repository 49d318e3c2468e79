#include "util/url.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace sstable {
namespace {

TEST(UrlTest, ShowsNothingThatMayBeSecret) {
  struct Case {
    const char* text;
    const char* shown;
  };
  for (const Case& c : std::vector<Case>{
           {"https://host/a/b.ldb", "https://host/a/b.ldb"},
           {"http://user:password@host:8080/b.ldb", "http://host:8080/b.ldb"},
           {"http://token@host/b.ldb", "http://host/b.ldb"},
           {"http://a@b:c@host/b.ldb", "http://host/b.ldb"},
           {"HTTPS://user:password@[::1]:80/b.ldb?signature#part", "HTTPS://[::1]:80/b.ldb"},
           {"http://[::1]/b.ldb", "http://[::1]/b.ldb"},
           {"http://host?key=secret", "http://host"},
           {"http://host/b.ldb#secret", "http://host/b.ldb"},
           {"http://host/a@b.ldb", "http://host/a@b.ldb"},
           {"http:///user:password@host/b.ldb", "http://host/b.ldb"},
           {"s3://user:password@bucket/b.ldb", "s3://bucket/b.ldb"},
           // These passwords have a character that ends the host in a URL.
           {"http://user:pass/word@host/b.ldb", "http://..."},
           {"http://user:pass?word@host/b.ldb", "http://..."},
           {"http://user:pass#word@host/b.ldb", "http://..."},
           {"http://", "http://"},
           {"http://@", "http://"},
           {"a/b?c#d.ldb", "a/b?c#d.ldb"},
           {"/a b://user:password@host", "/a b://user:password@host"},
           {"://x?y", "://x?y"},
           {"", ""},
       }) {
    EXPECT_EQ(WithoutUrlSecrets(c.text), c.shown) << c.text;
  }
}

}  // namespace
}  // namespace sstable
