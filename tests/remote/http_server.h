// A web server on the loopback interface that serves one file, with faults.
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
  size_t number = 0;   // 0 for the first
  uint64_t first = 0;  // start of the range in the file
  uint64_t last = 0;
};

// The answer of a server. HttpServer makes a correct one, which a fault changes.
struct HttpAnswer {
  int code = 206;
  std::string headers;          // lines that end in \r\n
  uint64_t announced_size = 0;  // sent as Content-Length
  std::string body;
  bool is_cut = false;     // the connection ends after the body
  bool is_stuck = false;   // after the body, which is not whole, nothing more comes
  bool is_silent = false;  // nothing is sent, and the connection stays open
};

// Threads: the faults run in the server's threads, one at a time.
class HttpServer {
 public:
  using Fault = std::function<void(const HttpRequest& request, HttpAnswer* answer)>;

  explicit HttpServer(std::string contents, Fault fault = nullptr);
  ~HttpServer();

  // http://127.0.0.1:PORT/FILE
  std::string Url(const std::string& prefix = "") const;

  // Totals of all answers so far.
  size_t request_count() const;
  uint64_t body_bytes() const;  // sent

 private:
  void Accept();
  void Serve(int connection);
  HttpAnswer MakeAnswer(const std::string& request);

  const std::string contents_;
  const Fault fault_;
  int listener_ = -1;
  int port_ = 0;
  std::thread acceptor_;

  mutable std::mutex mutex_;  // guards the rest
  bool stops_ = false;
  size_t request_count_ = 0;
  uint64_t body_bytes_ = 0;
  std::vector<int> connections_;
  std::vector<std::thread> servers_;
};

}  // namespace sstable::test

#endif  // SSTABLE_TESTS_REMOTE_HTTP_SERVER_H_
