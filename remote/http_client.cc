#include "remote/http_client.h"

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "util/status_util.h"

namespace sstable {

HttpClient::HttpClient(std::string url, const HttpFileOptions& options)
    : url_(std::move(url)), options_(options) {}

std::unique_ptr<HttpConnection> HttpClient::TakeConnection() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<HttpConnection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return std::make_unique<HttpConnection>(url_, options_);
}

void HttpClient::GiveBack(std::unique_ptr<HttpConnection> connection) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(connection));
}

namespace {

// Counts the tries of one read and pauses between them.
class Tries {
 public:
  explicit Tries(const HttpFileOptions& options)
      : left_(options.max_retries), pause_(options.first_pause), budget_(options.retry_budget) {}

  // Returns true, after a pause, if another try is allowed.
  bool Next() {
    using std::chrono::milliseconds;
    const auto now = std::chrono::steady_clock::now();
    const auto taken = std::chrono::duration_cast<milliseconds>(now - start_);
    if (left_-- <= 0 || (budget_ != nullptr && !budget_->Charge(taken))) return false;
    start_ = now;  // the pause counts as part of the next try
    std::this_thread::sleep_for(pause_);
    pause_ *= 2;
    return true;
  }

 private:
  int left_;
  std::chrono::milliseconds pause_;
  const std::shared_ptr<HttpRetryBudget> budget_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

absl::StatusOr<HttpFileTail> HttpClient::FetchTail() const {
  std::unique_ptr<HttpConnection> connection = TakeConnection();
  if (!connection->ok()) return absl::ResourceExhaustedError("libcurl can't be started");
  Tries tries(options_);
  for (;;) {
    const absl::Status status =
        connection->Get(std::nullopt, options_.tail_size, nullptr, options_.max_whole_size);
    if (status.ok()) break;
    if (!connection->is_transient() || !tries.Next()) return status;
  }
  HttpAnswer& answer = connection->answer();
  HttpFileTail tail;
  tail.identity.size = connection->file_size();
  tail.identity.etag = std::move(answer.etag);
  tail.identity.last_modified = std::move(answer.last_modified);
  tail.bytes = std::move(answer.body);
  GiveBack(std::move(connection));
  return tail;
}

absl::StatusOr<std::string> HttpClient::Fetch(const HttpFileIdentity& file, uint64_t offset,
                                              size_t size) const {
  std::unique_ptr<HttpConnection> connection = TakeConnection();
  if (!connection->ok()) return absl::ResourceExhaustedError("libcurl can't be started");
  Tries tries(options_);
  std::string bytes;
  for (;;) {
    const absl::Status status =
        connection->Get(offset + bytes.size(), offset + size - 1, &file, options_.max_whole_size);
    bytes += connection->answer().body;
    if (status.ok() || bytes.size() == size) break;
    if (!connection->is_transient() || !tries.Next()) {
      return AtPlace(absl::StrCat("can't read ", size, " bytes at offset ", offset), status);
    }
  }
  GiveBack(std::move(connection));
  return bytes;
}

}  // namespace sstable
