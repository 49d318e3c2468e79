#include "remote/http_file.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "sstable/file.h"
#include "sstable/filter_policy.h"
#include "sstable/options.h"
#include "sstable/table_builder.h"
#include "sstable/table_reader.h"
#include "tests/remote/http_server.h"
#include "tests/support/status_matchers.h"

namespace sstable {
namespace {

using test::HttpAnswer;
using test::HttpRequest;
using test::HttpServer;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr size_t kFileSize = 300'000;

std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

HttpFileOptions Quick() {
  HttpFileOptions options;
  options.first_pause = std::chrono::milliseconds(0);
  options.tail_size = 1000;
  options.max_whole_size = 1000;
  return options;
}

absl::StatusOr<std::string> ReadAt(const RandomAccessFile& file, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  const absl::Status status = file.Read(offset, size, &bytes[0]);
  if (!status.ok()) return status;
  return bytes;
}

// Opens the file and reads 5000 bytes at offset 100,000.
absl::StatusOr<std::string> OpenAndRead(const std::string& url, const HttpFileOptions& options) {
  auto file = OpenHttpFile(url, options);
  if (!file.ok()) return file.status();
  return ReadAt(**file, 100'000, 5000);
}

TEST(HttpFileTest, ReadsAnyRange) {
  const std::string contents = Bytes(kFileSize);
  const HttpServer server(contents);
  for (const size_t cache_size : {0, 10'000, 1'000'000}) {
    for (const size_t max_request_size : {1, 10'000, 1'000'000}) {
      HttpFileOptions options = Quick();
      options.cache_size = cache_size;
      options.max_request_size = max_request_size;
      ASSERT_OK_AND_ASSIGN(const auto file, OpenHttpFile(server.Url(), options));
      ASSERT_EQ(file->size(), kFileSize);
      uint32_t state = 7;
      for (int i = 0; i < 60; ++i) {
        state = state * 1664525 + 1013904223;
        const uint64_t offset = i % 4 == 3 ? kFileSize - state % 20'000 - 1 : state % kFileSize;
        const size_t size = std::min<size_t>((state >> 8) % 30'000, kFileSize - offset);
        EXPECT_EQ(ReadAt(*file, offset, size).value(), contents.substr(offset, size))
            << "offset " << offset << ", size " << size;
      }
    }
  }
}

TEST(HttpFileTest, KeepsWhatItHasRead) {
  const HttpServer server(Bytes(kFileSize));
  ASSERT_OK_AND_ASSIGN(const auto file, OpenHttpFile(server.Url(), Quick()));
  ASSERT_OK(ReadAt(*file, 50'000, 9000));
  const size_t requests = server.request_count();
  ASSERT_OK(ReadAt(*file, 52'000, 3000));
  EXPECT_EQ(server.request_count(), requests);
}

TEST(HttpFileTest, ReadsAheadInAScan) {
  const HttpServer server(Bytes(kFileSize));
  HttpFileOptions options = Quick();
  const auto scan = [&] {
    const size_t before = server.request_count();
    const auto file = OpenHttpFile(server.Url(), options).value();
    for (uint64_t offset = 0; offset < kFileSize; offset += 1000) {
      EXPECT_OK(ReadAt(*file, offset, 1000));
    }
    return server.request_count() - before;
  };
  EXPECT_LE(scan(), 10u);
  EXPECT_LE(server.body_bytes(), kFileSize + 2 * options.tail_size);
  options.max_read_ahead = 0;
  EXPECT_GE(scan(), kFileSize / options.piece_size);
}

TEST(HttpFileTest, ServesManyThreads) {
  const std::string contents = Bytes(kFileSize);
  const HttpServer server(contents);
  HttpFileOptions options = Quick();
  options.cache_size = 40'000;
  ASSERT_OK_AND_ASSIGN(const auto file, OpenHttpFile(server.Url(), options));
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 30; ++i) {
        const uint64_t offset = (i * 7919 + t * 104'729) % (kFileSize - 6000);
        EXPECT_EQ(ReadAt(*file, offset, 6000).value(), contents.substr(offset, 6000));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HttpFileTest, TakesASmallFileWholeFromAServerThatIgnoresRanges) {
  const std::string contents = Bytes(900);
  const HttpServer server(contents, [&](const HttpRequest&, HttpAnswer* answer) {
    answer->code = 200;
    answer->headers = "";
  });
  ASSERT_OK_AND_ASSIGN(const auto file, OpenHttpFile(server.Url(), Quick()));
  EXPECT_EQ(file->Contents(), contents);
  EXPECT_EQ(ReadAt(*file, 10, 20).value(), contents.substr(10, 20));
}

TEST(HttpFileTest, NamesNoSecret) {
  const HttpServer server(Bytes(kFileSize));
  const std::string url = server.Url("user:p%40ssword@") + "?signature=secret";
  ASSERT_OK_AND_ASSIGN(const auto file, OpenHttpFile(url, Quick()));
  EXPECT_EQ(file->name(), server.Url());
  EXPECT_THAT(OpenHttpFile("http://user:pass@127.0.0.1:1/x?secret", Quick()),
              StatusIs(absl::StatusCode::kUnavailable,
                       ::testing::AllOf(HasSubstr("http://127.0.0.1:1/x: "), Not(HasSubstr("pass")),
                                        Not(HasSubstr("secret")))));
}

TEST(HttpFileTest, TakesNothingButHttp) {
  for (const char* url : {"", "/etc/passwd", "file:///etc/passwd", "ftp://host/x"}) {
    EXPECT_THAT(OpenHttpFile(url), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("URL")));
  }
}

// A silent server is given up after the time limit.
TEST(HttpFileTest, GivesUpASilentServer) {
  const HttpServer server(Bytes(kFileSize),
                          [](const HttpRequest&, HttpAnswer* answer) { answer->is_silent = true; });
  HttpFileOptions options = Quick();
  options.request_timeout = std::chrono::milliseconds(100);
  options.max_retries = 1;
  EXPECT_THAT(OpenHttpFile(server.Url(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr(server.Url())));
  EXPECT_EQ(server.request_count(), 2u);
}

TEST(HttpFileTest, GivesUpAServerThatGetsStuck) {
  const HttpServer server(Bytes(kFileSize), [](const HttpRequest&, HttpAnswer* answer) {
    answer->body.resize(10);
    answer->is_stuck = true;
  });
  HttpFileOptions options = Quick();
  options.slow_timeout = std::chrono::seconds(1);
  options.max_retries = 0;
  EXPECT_THAT(OpenHttpFile(server.Url(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("too slow")));
}

TEST(HttpFileTest, FilesThatShareABudgetRepeatNoMoreRequestsThanItAllows) {
  const HttpServer server(Bytes(kFileSize),
                          [](const HttpRequest&, HttpAnswer* answer) { answer->code = 500; });
  HttpFileOptions options = Quick();
  options.retry_budget = std::make_shared<HttpRetryBudget>(5, std::chrono::hours(1));
  for (int i = 0; i < 10; ++i) {
    EXPECT_THAT(OpenHttpFile(server.Url(), options),
                StatusIs(absl::StatusCode::kUnavailable, HasSubstr("HTTP status 500")));
  }
  EXPECT_EQ(server.request_count(), 10u + 5u);
}

TEST(HttpRetryBudgetTest, EndsWithItsTime) {
  HttpRetryBudget budget(100, std::chrono::milliseconds(50));
  EXPECT_TRUE(budget.Charge(std::chrono::milliseconds(20)));
  EXPECT_TRUE(budget.Charge(std::chrono::milliseconds(20)));
  EXPECT_FALSE(budget.Charge(std::chrono::milliseconds(20)));
  EXPECT_FALSE(budget.Charge(std::chrono::milliseconds(0)));
}

TEST(HttpFileTest, ContinuesWhereAConnectionWasCut) {
  const std::string contents = Bytes(kFileSize);
  const HttpServer server(contents, [](const HttpRequest& request, HttpAnswer* answer) {
    if (request.number != 1) return;
    answer->body.resize(3000);
    answer->is_cut = true;
  });
  EXPECT_EQ(OpenAndRead(server.Url(), Quick()).value(), contents.substr(100'000, 5000));
  EXPECT_EQ(server.request_count(), 3u);
  EXPECT_EQ(server.body_bytes(), 1000u + 2 * 4096u);  // no byte is sent twice
}

struct FaultCase {
  const char* name;
  HttpServer::Fault fault;
  absl::StatusCode code;
  const char* message;
  size_t requests;
};

void ChangeHeaders(HttpAnswer* answer, std::string headers) {
  answer->headers = std::move(headers);
}

void PrintTo(const FaultCase& fault, std::ostream* out) { *out << fault.name; }

class HttpFaultTest : public testing::TestWithParam<FaultCase> {};

TEST_P(HttpFaultTest, EndsInAStatus) {
  const HttpServer server(Bytes(kFileSize), GetParam().fault);
  EXPECT_THAT(OpenAndRead(server.Url(), Quick()),
              StatusIs(GetParam().code, HasSubstr(GetParam().message)));
  EXPECT_EQ(server.request_count(), GetParam().requests);
}

HttpServer::Fault Code(int code) {
  return [code](const HttpRequest&, HttpAnswer* answer) {
    answer->code = code;
    ChangeHeaders(answer, "");
  };
}

// Changes the second answer, which has bytes 98304 to 106495.
HttpServer::Fault Second(std::function<void(HttpAnswer*)> change) {
  return [change](const HttpRequest& request, HttpAnswer* answer) {
    if (request.number > 0) change(answer);
  };
}

INSTANTIATE_TEST_SUITE_P(
    Servers, HttpFaultTest,
    testing::ValuesIn<FaultCase>({
        {"NotFound", Code(404), absl::StatusCode::kNotFound, "404", 1},
        {"Forbidden", Code(403), absl::StatusCode::kPermissionDenied, "403", 1},
        {"NotSatisfiable", Code(416), absl::StatusCode::kDataLoss, "416", 1},
        {"Overloaded", Code(503), absl::StatusCode::kUnavailable, "503", 4},
        {"IgnoresRanges",
         [](const HttpRequest&, HttpAnswer* answer) {
           answer->code = 200;
           answer->body.assign(5000, 'x');
           answer->announced_size = 5000;
         },
         absl::StatusCode::kUnimplemented, "ignores ranges", 1},
        {"IgnoresRangesLater", Second([](HttpAnswer* answer) { answer->code = 200; }),
         absl::StatusCode::kDataLoss, "ignores ranges", 2},
        {"HugeSize",
         [](const HttpRequest&, HttpAnswer* answer) {
           answer->code = 200;
           answer->announced_size = uint64_t{1} << 63;
         },
         absl::StatusCode::kUnimplemented, "ignores ranges", 1},
        {"HugeFile",
         [](const HttpRequest&, HttpAnswer* answer) {
           ChangeHeaders(answer, "Content-Range: bytes 0-999/18446744073709551615\r\n");
         },
         absl::StatusCode::kDataLoss, "Content-Range", 1},
        {"NoRange", [](const HttpRequest&, HttpAnswer* answer) { ChangeHeaders(answer, ""); },
         absl::StatusCode::kDataLoss, "Content-Range \"\"", 1},
        {"UnknownSize",
         [](const HttpRequest&, HttpAnswer* answer) {
           ChangeHeaders(answer, "Content-Range: bytes 299000-299999/*\r\n");
         },
         absl::StatusCode::kDataLoss, "299000-299999/*", 1},
        {"OtherRange", Second([](HttpAnswer* answer) {
           ChangeHeaders(answer, "ETag: \"one\"\r\nContent-Range: bytes 0-8191/300000\r\n");
         }),
         absl::StatusCode::kDataLoss, "expected bytes 98304-106495", 2},
        {"OtherSize", Second([](HttpAnswer* answer) {
           ChangeHeaders(answer, "ETag: \"one\"\r\nContent-Range: bytes 98304-106495/300001\r\n");
         }),
         absl::StatusCode::kDataLoss, "changed while it was read: its size was 300000", 2},
        {"OtherETag", Second([](HttpAnswer* answer) {
           ChangeHeaders(answer, "ETag: \"two\"\r\nContent-Range: bytes 98304-106495/300000\r\n");
         }),
         absl::StatusCode::kDataLoss, "changed while it was read: its ETag was \"one\"", 2},
        {"TooShort", Second([](HttpAnswer* answer) {
           answer->body.resize(100);
           answer->announced_size = 100;
         }),
         absl::StatusCode::kDataLoss, "sends 100 bytes, the range has 8192", 2},
        {"TooLong", Second([](HttpAnswer* answer) {
           answer->body.append(100, 'x');
           answer->announced_size += 100;
         }),
         absl::StatusCode::kDataLoss, "more than the 8192 bytes", 2},
        {"AlwaysCut", Second([](HttpAnswer* answer) {
           answer->body.resize(10);
           answer->is_cut = true;
         }),
         absl::StatusCode::kUnavailable, "can't read 8192 bytes at offset 98304", 5},
        {"Compressed",
         Second([](HttpAnswer* answer) { answer->headers += "Content-Encoding: gzip\r\n"; }),
         absl::StatusCode::kUnimplemented, "encoding \"gzip\"", 2},
        {"EndlessRedirect",
         [](const HttpRequest&, HttpAnswer* answer) {
           answer->code = 302;
           answer->headers = "Location: /000005.ldb\r\n";
         },
         absl::StatusCode::kUnavailable, "redirects", 6},
        {"RedirectToAFile",
         [](const HttpRequest&, HttpAnswer* answer) {
           answer->code = 302;
           answer->headers = "Location: file:///etc/passwd\r\n";
         },
         absl::StatusCode::kUnavailable, "file", 1},
    }),
    [](const auto& info) { return info.param.name; });

TEST(HttpFileTest, GetsAKeyByFewBytes) {
  const auto policy = NewBloomFilterPolicy(10);
  constexpr int kKeys = 20'000;
  TableBuilderOptions options;
  options.filter_policy = policy.get();
  options.compression = Compression::kNone;
  std::string table;
  ASSERT_OK_AND_ASSIGN(const auto builder, TableBuilder::Create(NewStringFile(&table), options));
  const auto key = [](int i) { return absl::StrCat("key", 100'000 + 2 * i); };
  for (int i = 0; i < kKeys; ++i) ASSERT_OK(builder->Add(key(i), std::string(100, 'v')));
  ASSERT_OK(builder->Finish());

  const HttpServer server(table);
  ASSERT_OK_AND_ASSIGN(auto file, OpenHttpFile(server.Url()));
  ASSERT_OK_AND_ASSIGN(const auto reader, TableReader::Open(std::move(file)));
  ASSERT_OK_AND_ASSIGN(const auto first, reader->Get(key(1)));
  EXPECT_TRUE(first.has_value());
  EXPECT_LE(server.body_bytes(), 150'000u) << table.size();  // index and filter have 60 KB
  for (const int i : {5'000, 9'000, 13'000, 17'000}) {
    const uint64_t before = server.body_bytes();
    ASSERT_OK_AND_ASSIGN(const auto value, reader->Get(key(i)));
    EXPECT_TRUE(value.has_value());
    EXPECT_LE(server.body_bytes() - before, 2 * 4096u) << i;
  }
  ASSERT_OK(reader->LoadIndex());
  const uint64_t before = server.body_bytes();
  ASSERT_OK_AND_ASSIGN(const auto absent, reader->Get(absl::StrCat("key", 111'111)));
  EXPECT_FALSE(absent.has_value());
  EXPECT_EQ(server.body_bytes(), before);
}

}  // namespace
}  // namespace sstable
