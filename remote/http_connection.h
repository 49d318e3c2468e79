// Makes range requests to a URL, one at a time, and checks the responses.
#ifndef SSTABLE_REMOTE_HTTP_CONNECTION_H_
#define SSTABLE_REMOTE_HTTP_CONNECTION_H_

#include <curl/curl.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "remote/http_file.h"
#include "sstable/version.h"

namespace sstable {

// Identifies the file that a response is about. Strings are empty if the server does not send them.
struct HttpFileIdentity {
  uint64_t size = 0;  // in bytes
  std::string etag;
  std::string last_modified;
};

// "bytes 0-99/1234": the first and the last offset, and the size of the file.
struct HttpContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t file_size = 0;
};

// The response to one try.
struct HttpAnswer {
  std::string range_header, length_header, etag, last_modified, content_encoding;
  std::string body;
  absl::Status refused;  // why the transfer was aborted
};

// A libcurl handle, which keeps its connection open, and the request that it makes.
class HttpConnection {
 public:
  HttpConnection(const std::string& url, const HttpFileOptions& options);
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;
  ~HttpConnection();

  // Returns false if memory ran out.
  bool ok() const { return curl_ != nullptr && headers_ != nullptr; }

  // Requests the bytes from `first` to `last`; without `first`, the last `last` bytes. After an
  // error, answer().body has the bytes that arrived before it.
  absl::Status Get(std::optional<uint64_t> first, uint64_t last, const HttpFileIdentity* file,
                   size_t max_whole_size);

  // The result of the last Get().
  HttpAnswer& answer() { return answer_; }
  bool is_transient() const { return is_transient_; }  // a retry may succeed
  uint64_t file_size() const { return is_partial_ ? range_.file_size : answer_.body.size(); }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_, option, value);
  }

  static size_t OnHeader(char* data, size_t /*one*/, size_t size, void* self);
  static size_t OnBody(char* data, size_t /*one*/, size_t size, void* self);
  void AddHeader(absl::string_view line);
  // Returns false to abort the transfer.
  bool AddBody(absl::string_view data);
  absl::Status IgnoresRanges() const;
  // Sets answer_.refused unless the headers announce the body that was requested. Sets
  // expected_size_.
  void Check();
  absl::Status CheckHeaders();
  absl::Status CheckWhole();
  absl::Status CheckRange();
  absl::Status CheckIdentity() const;

  CURL* curl_ = nullptr;
  curl_slist* headers_ = nullptr;
  const std::string user_agent_ = absl::StrCat("sstable/", SSTABLE_VERSION);
  char error_[CURL_ERROR_SIZE] = "";

  // The request.
  std::optional<uint64_t> first_;
  uint64_t last_ = 0;
  const HttpFileIdentity* file_ = nullptr;  // null until it is known
  size_t max_whole_size_ = 0;

  // The response.
  HttpAnswer answer_;
  bool is_checked_ = false;  // the headers have been checked
  bool is_partial_ = false;  // a range, not the whole file
  bool is_transient_ = false;
  uint64_t expected_size_ = 0;  // size of the body; for a whole file, the maximum
  HttpContentRange range_;
};

}  // namespace sstable

#endif  // SSTABLE_REMOTE_HTTP_CONNECTION_H_
