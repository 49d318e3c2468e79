// A web server on the loopback interface that serves one file and can inject faults.
#ifndef SSTABLE_TESTS_REMOTE_HTTP_SERVER_H_
#define SSTABLE_TESTS_REMOTE_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sstable::test {

struct HttpRequest {
  size_t number = 0;   // 0 for the first request
  uint64_t first = 0;  // file offset at which the range starts
  uint64_t last = 0;
};

// The server's answer. HttpServer makes a correct one, which a fault can change.
struct HttpAnswer {
  int code = 206;
  std::string headers;          // lines ending in \r\n
  uint64_t announced_size = 0;  // sent as Content-Length
  std::string body;
  bool is_cut = false;     // closes the connection after the body
  bool is_stuck = false;   // sends nothing after the incomplete body
  bool is_silent = false;  // sends nothing, but leaves the connection open
};

// Threads: faults are called in the server's threads, one at a time.
class HttpServer {
 public:
  using Fault = std::function<void(const HttpRequest& request, HttpAnswer* answer)>;

  explicit HttpServer(std::string contents, Fault fault = nullptr);
  ~HttpServer();

  // Returns http://PREFIX127.0.0.1:PORT/000005.ldb.
  std::string Url(const std::string& prefix = "") const;

  // Totals over all answers so far.
  size_t request_count() const;
  uint64_t body_bytes() const;  // bytes sent

 private:
  void Accept();
  void Serve(int connection);
  HttpAnswer MakeAnswer(const std::string& request);

  const std::string contents_;
  const Fault fault_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;

  mutable std::mutex mutex_;  // guards the members below
  bool stops_ = false;
  size_t request_count_ = 0;
  uint64_t body_bytes_ = 0;
  std::vector<int> connections_;
  std::vector<std::thread> servers_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_REMOTE_HTTP_SERVER_H_
