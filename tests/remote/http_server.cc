#include "tests/remote/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_cat.h"

namespace sstable::test {
namespace {

void Require(bool holds, const char* what) {
  if (holds) return;
  std::perror(what);
  std::abort();
}

bool Send(int connection, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t count =
        ::send(connection, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) return false;
    sent += static_cast<size_t>(count);
  }
  return true;
}

// Receives the next request up to its empty line. Returns an empty string at the end of the
// connection.
std::string Receive(int connection) {
  std::string request;
  char c;
  while (request.size() < 4 || request.compare(request.size() - 4, 4, "\r\n\r\n") != 0) {
    if (::recv(connection, &c, 1, 0) != 1) return "";
    request += c;
  }
  return request;
}

}  // namespace

HttpServer::HttpServer(std::string contents, Fault fault)
    : contents_(std::move(contents)), fault_(std::move(fault)) {
  ::setenv("no_proxy", "*", 1);  // a proxy of this machine would not know the server
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  Require(::bind(listener_, any, size) == 0 && ::listen(listener_, 16) == 0 &&
              ::getsockname(listener_, any, &size) == 0,
          "a server on loopback");
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

HttpServer::~HttpServer() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = true;
    for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
  }
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& server : servers_) server.join();
  for (const int connection : connections_) ::close(connection);
  ::close(listener_);
}

std::string HttpServer::Url(const std::string& prefix) const {
  return absl::StrCat("http://", prefix, "127.0.0.1:", port_, "/000005.ldb");
}

size_t HttpServer::request_count() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return request_count_;
}

uint64_t HttpServer::body_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return body_bytes_;
}

void HttpServer::Accept() {
  for (;;) {
    const int connection = ::accept(listener_, nullptr, nullptr);
    if (connection < 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    connections_.push_back(connection);
    if (stops_) return;
    servers_.emplace_back([this, connection] { Serve(connection); });
  }
}

void HttpServer::Serve(int connection) {
  for (;;) {
    const std::string request = Receive(connection);
    if (request.empty()) return;
    const HttpAnswer answer = MakeAnswer(request);
    if (answer.is_silent) {
      Receive(connection);  // waits until the client gives up
      return;
    }
    const bool is_sent =
        Send(connection,
             absl::StrCat("HTTP/1.1 ", answer.code, " Answer\r\n", answer.headers,
                          "Content-Length: ", answer.announced_size, "\r\n\r\n", answer.body));
    if (answer.is_stuck) Receive(connection);
    if (!is_sent || answer.is_cut || answer.is_stuck) {
      ::shutdown(connection, SHUT_RDWR);
      return;
    }
  }
}

HttpAnswer HttpServer::MakeAnswer(const std::string& request) {
  const std::lock_guard<std::mutex> lock(mutex_);
  HttpRequest range;
  range.number = request_count_++;
  unsigned long long first = 0;
  unsigned long long last = contents_.size() - 1;
  const size_t at = request.find("Range: bytes=");
  const char* const text = at == request.npos ? "" : request.c_str() + at + 13;
  if (*text == '-') {
    const uint64_t size = std::strtoull(text + 1, nullptr, 10);
    first = contents_.size() - std::min<uint64_t>(size, contents_.size());
  } else {
    Require(std::sscanf(text, "%llu-%llu", &first, &last) == 2 && last < contents_.size(),
            "a range in the file");
  }
  range.first = first;
  range.last = last;
  HttpAnswer answer;
  answer.headers = absl::StrCat("ETag: \"one\"\r\nContent-Range: bytes ", first, "-", last, "/",
                                contents_.size(), "\r\n");
  answer.body = contents_.substr(first, last - first + 1);
  answer.announced_size = answer.body.size();
  if (fault_ != nullptr) fault_(range, &answer);
  if (!answer.is_silent) body_bytes_ += answer.body.size();
  return answer;
}

}  // namespace sstable::test
