#include "remote/http_client.h"

#include <curl/curl.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "sstable/version.h"
#include "util/status_util.h"

namespace sstable {
namespace {

// "bytes 0-99/1234": the first and the last offset, and the size of the file.
struct ContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t file_size = 0;
};

bool ParseDigits(absl::string_view text, uint64_t* value) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, value);
}

std::optional<ContentRange> ParseContentRange(absl::string_view text) {
  ContentRange range;
  if (!absl::ConsumePrefix(&text, "bytes ")) return std::nullopt;
  const size_t dash = text.find('-');
  const size_t slash = text.find('/');
  if (dash == text.npos || slash == text.npos || slash < dash) return std::nullopt;
  const bool is_sound = ParseDigits(text.substr(0, dash), &range.first) &&
                        ParseDigits(text.substr(dash + 1, slash - dash - 1), &range.last) &&
                        ParseDigits(text.substr(slash + 1), &range.file_size) &&
                        range.first <= range.last && range.last < range.file_size &&
                        range.file_size <= std::numeric_limits<int64_t>::max();
  return is_sound ? std::optional(range) : std::nullopt;
}

// Returns true for errors after which a retry may succeed.
bool IsTransient(long http_code) {
  return http_code == 408 || http_code == 429 || (http_code >= 500 && http_code != 501);
}

bool IsTransient(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_GOT_NOTHING:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return true;
    default:
      return false;
  }
}

absl::Status StatusOfHttpCode(long code) {
  const std::string message = absl::StrCat("the server answers with HTTP status ", code);
  switch (code) {
    case 401:
    case 403:
    case 407:
      return absl::PermissionDeniedError(message);
    case 404:
    case 410:
      return absl::NotFoundError(message);
    case 416:
      return absl::DataLossError(
          absl::StrCat(message, ": the file is empty, or has become shorter"));
    default:
      return IsTransient(code) ? absl::UnavailableError(message)
                               : absl::FailedPreconditionError(message);
  }
}

// The response to one try.
struct Answer {
  std::string range_header, length_header, etag, last_modified, content_encoding;
  std::string body;
  absl::Status refused;  // why the transfer was aborted
};

void StartCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

// A libcurl handle, which keeps its connection open, and the request that it makes.
class HttpClient::Connection {
 public:
  Connection(const std::string& url, const HttpFileOptions& options) : curl_(curl_easy_init()) {
    if (curl_ == nullptr) return;
    const char* const schemes = absl::StartsWithIgnoreCase(url, "https:") ? "https" : "http,https";
    Set(CURLOPT_URL, url.c_str());
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_REDIR_PROTOCOLS_STR, schemes);
    Set(CURLOPT_FOLLOWLOCATION, 1L);
    Set(CURLOPT_MAXREDIRS, 5L);
    Set(CURLOPT_NOSIGNAL, 1L);
    Set(CURLOPT_USERAGENT, user_agent_.c_str());
    Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    Set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.request_timeout.count()));
    Set(CURLOPT_LOW_SPEED_LIMIT, 1000L);
    Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(options.slow_timeout.count()));
    Set(CURLOPT_ERRORBUFFER, error_);
    headers_ = curl_slist_append(nullptr, "Accept-Encoding: identity");
    Set(CURLOPT_HTTPHEADER, headers_);
    Set(CURLOPT_HEADERFUNCTION, &OnHeader);
    Set(CURLOPT_HEADERDATA, this);
    Set(CURLOPT_WRITEFUNCTION, &OnBody);
    Set(CURLOPT_WRITEDATA, this);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(curl_);
  }

  bool ok() const { return curl_ != nullptr && headers_ != nullptr; }

  // Requests the bytes from `first` to `last`; without `first`, the last `last` bytes. After an
  // error, answer().body has the bytes that arrived before it.
  absl::Status Get(std::optional<uint64_t> first, uint64_t last, const HttpFileIdentity* file,
                   size_t max_whole_size) {
    answer_ = Answer();
    first_ = first;
    last_ = last;
    file_ = file;
    max_whole_size_ = max_whole_size;
    is_checked_ = false;
    is_transient_ = false;
    error_[0] = '\0';
    const std::string range =
        first.has_value() ? absl::StrCat(*first, "-", last) : absl::StrCat("-", last);
    Set(CURLOPT_RANGE, range.c_str());
    const CURLcode code = curl_easy_perform(curl_);
    if (!answer_.refused.ok()) return answer_.refused;
    if (code != CURLE_OK) {
      is_transient_ = IsTransient(code);
      const std::string message =
          absl::StrCat("HTTP: ", error_[0] != '\0' ? error_ : curl_easy_strerror(code));
      if (code == CURLE_URL_MALFORMAT) return absl::InvalidArgumentError(message);
      return code == CURLE_OPERATION_TIMEDOUT ? absl::DeadlineExceededError(message)
                                              : absl::UnavailableError(message);
    }
    if (!is_checked_) Check();  // there was no body
    RETURN_IF_ERROR(answer_.refused);
    if (answer_.body.size() != expected_size_ && is_partial_) {
      return absl::DataLossError(absl::StrCat("the server sends ", answer_.body.size(),
                                              " bytes, the range has ", expected_size_));
    }
    return absl::OkStatus();
  }

  // The result of the last Get().
  Answer& answer() { return answer_; }
  bool is_transient() const { return is_transient_; }  // a retry may succeed
  bool is_partial() const { return is_partial_; }
  uint64_t file_size() const { return is_partial_ ? range_.file_size : answer_.body.size(); }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_easy_setopt(curl_, option, value);
  }

  static size_t OnHeader(char* data, size_t /*one*/, size_t size, void* self) {
    static_cast<Connection*>(self)->AddHeader(absl::string_view(data, size));
    return size;
  }
  static size_t OnBody(char* data, size_t /*one*/, size_t size, void* self) {
    return static_cast<Connection*>(self)->AddBody(absl::string_view(data, size)) ? size : 0;
  }

  void AddHeader(absl::string_view line) {
    if (absl::StartsWith(line, "HTTP/")) answer_ = Answer();  // drop a redirect's headers
    const size_t colon = line.find(':');
    if (colon == line.npos) return;
    const absl::string_view name = line.substr(0, colon);
    const std::string value(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    if (absl::EqualsIgnoreCase(name, "Content-Range")) answer_.range_header = value;
    if (absl::EqualsIgnoreCase(name, "Content-Length")) answer_.length_header = value;
    if (absl::EqualsIgnoreCase(name, "ETag")) answer_.etag = value;
    if (absl::EqualsIgnoreCase(name, "Last-Modified")) answer_.last_modified = value;
    if (absl::EqualsIgnoreCase(name, "Content-Encoding")) answer_.content_encoding = value;
  }

  // Returns false to abort the transfer.
  bool AddBody(absl::string_view data) {
    if (!is_checked_) Check();
    if (!answer_.refused.ok()) return false;
    if (data.size() > expected_size_ - answer_.body.size()) {
      answer_.refused =
          is_partial_ ? absl::DataLossError(absl::StrCat("the server sends more than the ",
                                                         expected_size_, " bytes of the range"))
                      : IgnoresRanges();
      return false;
    }
    answer_.body.append(data.data(), data.size());
    return true;
  }

  absl::Status IgnoresRanges() const {
    return absl::UnimplementedError(
        absl::StrCat("the server ignores ranges, and the file has more than ", max_whole_size_,
                     " bytes; download it to read it"));
  }

  // Sets answer_.refused unless the headers announce the body that was requested. Sets
  // expected_size_.
  void Check() {
    is_checked_ = true;
    answer_.refused = CheckHeaders();
  }

  absl::Status CheckHeaders() {
    long http_code = 0;
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &http_code);
    is_partial_ = http_code == 206;
    if (http_code != 200 && http_code != 206) {
      is_transient_ = IsTransient(http_code);
      return StatusOfHttpCode(http_code);
    }
    if (!answer_.content_encoding.empty() &&
        !absl::EqualsIgnoreCase(answer_.content_encoding, "identity")) {
      return absl::UnimplementedError(absl::StrCat("the server sends the file in the encoding \"",
                                                   answer_.content_encoding, "\""));
    }
    return is_partial_ ? CheckRange() : CheckWhole();
  }

  absl::Status CheckWhole() {
    expected_size_ = max_whole_size_;
    if (file_ != nullptr) {
      return absl::DataLossError("the server ignores ranges, but did not before");
    }
    uint64_t announced = 0;
    const bool is_large =
        !answer_.length_header.empty() &&
        (!ParseDigits(answer_.length_header, &announced) || announced > max_whole_size_);
    return is_large ? IgnoresRanges() : absl::OkStatus();
  }

  absl::Status CheckRange() {
    const std::optional<ContentRange> range = ParseContentRange(answer_.range_header);
    if (!range.has_value()) {
      return absl::DataLossError(absl::StrCat("the server sends the Content-Range \"",
                                              answer_.range_header,
                                              "\", expected bytes FIRST-LAST/SIZE"));
    }
    range_ = *range;
    const uint64_t first = first_.value_or(range_.file_size - std::min(last_, range_.file_size));
    const uint64_t last = first_.has_value() ? last_ : range_.file_size - 1;
    expected_size_ = last - first + 1;
    RETURN_IF_ERROR(CheckIdentity());
    if (range_.first != first || range_.last != last) {
      return absl::DataLossError(absl::StrCat("the server sends the Content-Range \"",
                                              answer_.range_header, "\", expected bytes ", first,
                                              "-", last));
    }
    return absl::OkStatus();
  }

  absl::Status CheckIdentity() const {
    if (file_ == nullptr) return absl::OkStatus();
    const auto changed = [](absl::string_view what, const auto& before, const auto& after) {
      return absl::DataLossError(absl::StrCat("changed while it was read: its ", what, " was ",
                                              before, " and is ", after));
    };
    if (range_.file_size != file_->size) return changed("size", file_->size, range_.file_size);
    if (answer_.etag != file_->etag) return changed("ETag", file_->etag, answer_.etag);
    if (answer_.last_modified != file_->last_modified) {
      return changed("Last-Modified", file_->last_modified, answer_.last_modified);
    }
    return absl::OkStatus();
  }

  CURL* const curl_;
  curl_slist* headers_ = nullptr;
  const std::string user_agent_ = absl::StrCat("sstable/", SSTABLE_VERSION);
  char error_[CURL_ERROR_SIZE] = "";

  // The request.
  std::optional<uint64_t> first_;
  uint64_t last_ = 0;
  const HttpFileIdentity* file_ = nullptr;  // null until it is known
  size_t max_whole_size_ = 0;

  // The response.
  Answer answer_;
  bool is_checked_ = false;  // the headers have been checked
  bool is_partial_ = false;  // a range, not the whole file
  bool is_transient_ = false;
  uint64_t expected_size_ = 0;  // size of the body; for a whole file, the maximum
  ContentRange range_;
};

HttpClient::HttpClient(std::string url, const HttpFileOptions& options)
    : url_(std::move(url)), options_(options) {
  StartCurl();
}

HttpClient::~HttpClient() = default;

std::unique_ptr<HttpClient::Connection> HttpClient::TakeConnection() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return std::make_unique<Connection>(url_, options_);
}

void HttpClient::GiveBack(std::unique_ptr<Connection> connection) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(std::move(connection));
}

namespace {

// Counts the tries of one read and pauses between them.
class Tries {
 public:
  explicit Tries(const HttpFileOptions& options)
      : left_(options.max_retries), pause_(options.first_pause), budget_(options.retry_budget) {}

  // Returns true after a pause if there may be another try, else false.
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
  std::unique_ptr<Connection> connection = TakeConnection();
  if (!connection->ok()) return absl::ResourceExhaustedError("libcurl can't be started");
  Tries tries(options_);
  for (;;) {
    const absl::Status status =
        connection->Get(std::nullopt, options_.tail_size, nullptr, options_.max_whole_size);
    if (status.ok()) break;
    if (!connection->is_transient() || !tries.Next()) return status;
  }
  Answer& answer = connection->answer();
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
  std::unique_ptr<Connection> connection = TakeConnection();
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
