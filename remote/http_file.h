// A file on a web server, read by range requests (RFC 9110, section 14).
#ifndef SSTABLE_REMOTE_HTTP_FILE_H_
#define SSTABLE_REMOTE_HTTP_FILE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "sstable/file.h"

namespace sstable {

// Limits the total cost of failing requests for all files that share it.
class HttpRetryBudget {
 public:
  // Allows `retries` repeated requests in all, and none once failed requests have taken `time`.
  HttpRetryBudget(int retries, std::chrono::milliseconds time)
      : retries_left_(retries), time_left_(time) {}

  // Charges a request that failed after `time`. Returns true if it may be repeated.
  bool Charge(std::chrono::milliseconds time);

 private:
  std::mutex mutex_;
  int retries_left_;
  std::chrono::milliseconds time_left_;
};

// Sizes are in bytes.
struct HttpFileOptions {
  // Requests and cached pieces begin and end at multiples of this. At least 1.
  size_t piece_size = 4096;
  // Bytes of pieces to cache; the least recently used are evicted first. 0: no cache.
  size_t cache_size = size_t{64} << 20;
  // The first request is for this many bytes at the end of the file: a table's footer and index. At
  // least 1.
  size_t tail_size = size_t{64} << 10;
  // Sequential reads request up to this many extra bytes, doubling each time.
  size_t max_read_ahead = size_t{1} << 20;
  // A larger read is split into several requests. At least 1.
  size_t max_request_size = size_t{4} << 20;
  // A server that ignores ranges sends the whole file, which is kept in memory up to this size.
  size_t max_whole_size = size_t{1} << 20;

  // A request that fails with a transient error is repeated up to this many times, from where it
  // was interrupted, with a pause that doubles each time.
  int max_retries = 3;
  std::chrono::milliseconds first_pause{200};
  // Limits the retries of all files that share it. Null: only max_retries limits them.
  std::shared_ptr<HttpRetryBudget> retry_budget;

  // Limits for each try.
  std::chrono::milliseconds connect_timeout{10'000};
  std::chrono::milliseconds request_timeout{120'000};
  std::chrono::seconds slow_timeout{20};  // less than 1000 bytes per second for this long
};

// Returns true if `text` begins with http:// or https://, as OpenHttpFile() requires.
bool IsHttpUrl(absl::string_view text);

// Opens the file at a URL. Its name() is the URL without user, password, query and fragment, which
// may be secret. Follows up to 5 redirects, to http or https, but from https only to https.
// Verifies certificates. Takes proxies from the environment, as libcurl does.
//
// Threads: Read() may run concurrently. Each call uses its own connection, which is kept for later
//          calls. Two calls may request the same piece.
// Memory:  the cache, and for each running Read() at most max_request_size + max_read_ahead.
//          Nothing is allocated just because a server announces a size.
// Time:    a request, with its retries, ends after at most (max_retries + 1) * request_timeout plus
//          the pauses.
// Errors:  name the URL, except from Read(). From opening only: InvalidArgument for anything but an
//          http or https URL, NotFound (404 or 410), PermissionDenied (401 or 403), Unimplemented
//          if the server ignores ranges and the file is large. From both opening and Read():
//          Unavailable if the server or connection keeps failing, DeadlineExceeded if it is too
//          slow, DataLoss for an inconsistent response or if the file's size, ETag or Last-Modified
//          changes. If a server sends neither header, a replacement of the same size goes
//          unnoticed.
absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenHttpFile(absl::string_view url,
                                                               const HttpFileOptions& options = {});

}  // namespace sstable

#endif  // SSTABLE_REMOTE_HTTP_FILE_H_
