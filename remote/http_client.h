// Makes range requests to one URL. Checks each response, and requests the rest of one that was
// interrupted.
#ifndef SSTABLE_REMOTE_HTTP_CLIENT_H_
#define SSTABLE_REMOTE_HTTP_CLIENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "remote/http_connection.h"
#include "remote/http_file.h"

namespace sstable {

// The first response.
struct HttpFileTail {
  HttpFileIdentity identity;
  std::string bytes;  // the end of the file; all of it if the server ignores ranges
};

// Threads: const methods may run concurrently.
// Errors:  as for OpenHttpFile(), without the URL.
class HttpClient {
 public:
  HttpClient(std::string url, const HttpFileOptions& options);

  // Fetches the last options.tail_size bytes, or the whole file if it is shorter.
  absl::StatusOr<HttpFileTail> FetchTail() const;

  // Fetches `size` bytes at `offset` of the file that FetchTail() found.
  absl::StatusOr<std::string> Fetch(const HttpFileIdentity& file, uint64_t offset,
                                    size_t size) const;

 private:
  std::unique_ptr<HttpConnection> TakeConnection() const;
  void GiveBack(std::unique_ptr<HttpConnection> connection) const;

  const std::string url_;
  const HttpFileOptions options_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<HttpConnection>> idle_;
};

}  // namespace sstable

#endif  // SSTABLE_REMOTE_HTTP_CLIENT_H_
