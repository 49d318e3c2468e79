#include "remote/http_connection.h"

#include <algorithm>
#include <limits>
#include <mutex>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "util/status_util.h"

namespace sstable {
namespace {

bool ParseDigits(absl::string_view text, uint64_t* value) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit) &&
         absl::SimpleAtoi(text, value);
}

std::optional<HttpContentRange> ParseContentRange(absl::string_view text) {
  HttpContentRange range;
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

void StartCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

}  // namespace

HttpConnection::HttpConnection(const std::string& url, const HttpFileOptions& options) {
  StartCurl();
  curl_ = curl_easy_init();
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

HttpConnection::~HttpConnection() {
  curl_slist_free_all(headers_);
  curl_easy_cleanup(curl_);
}

absl::Status HttpConnection::Get(std::optional<uint64_t> first, uint64_t last,
                                 const HttpFileIdentity* file, size_t max_whole_size) {
  answer_ = HttpAnswer();
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

size_t HttpConnection::OnHeader(char* data, size_t /*one*/, size_t size, void* self) {
  static_cast<HttpConnection*>(self)->AddHeader(absl::string_view(data, size));
  return size;
}

size_t HttpConnection::OnBody(char* data, size_t /*one*/, size_t size, void* self) {
  return static_cast<HttpConnection*>(self)->AddBody(absl::string_view(data, size)) ? size : 0;
}

void HttpConnection::AddHeader(absl::string_view line) {
  if (absl::StartsWith(line, "HTTP/")) answer_ = HttpAnswer();  // drop a redirect's headers
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

bool HttpConnection::AddBody(absl::string_view data) {
  if (!is_checked_) Check();
  if (!answer_.refused.ok()) return false;
  if (data.size() > expected_size_ - answer_.body.size()) {
    answer_.refused = is_partial_
                          ? absl::DataLossError(absl::StrCat("the server sends more than the ",
                                                             expected_size_, " bytes of the range"))
                          : IgnoresRanges();
    return false;
  }
  answer_.body.append(data.data(), data.size());
  return true;
}

absl::Status HttpConnection::IgnoresRanges() const {
  return absl::UnimplementedError(
      absl::StrCat("the server ignores ranges, and the file has more than ", max_whole_size_,
                   " bytes; download it to read it"));
}

void HttpConnection::Check() {
  is_checked_ = true;
  answer_.refused = CheckHeaders();
}

absl::Status HttpConnection::CheckHeaders() {
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

absl::Status HttpConnection::CheckWhole() {
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

absl::Status HttpConnection::CheckRange() {
  const std::optional<HttpContentRange> range = ParseContentRange(answer_.range_header);
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
                                            answer_.range_header, "\", expected bytes ", first, "-",
                                            last));
  }
  return absl::OkStatus();
}

absl::Status HttpConnection::CheckIdentity() const {
  if (file_ == nullptr) return absl::OkStatus();
  const auto changed = [](absl::string_view what, const auto& before, const auto& after) {
    return absl::DataLossError(
        absl::StrCat("changed while it was read: its ", what, " was ", before, " and is ", after));
  };
  if (range_.file_size != file_->size) return changed("size", file_->size, range_.file_size);
  if (answer_.etag != file_->etag) return changed("ETag", file_->etag, answer_.etag);
  if (answer_.last_modified != file_->last_modified) {
    return changed("Last-Modified", file_->last_modified, answer_.last_modified);
  }
  return absl::OkStatus();
}

}  // namespace sstable
