#include "request_reader.h"

#include "ki/base/text.h"

#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

#include <utility>

namespace ki::http {
namespace beast = boost::beast;

// Collects what Beast's parser finds.
class RequestReader::Parser final : public beast::http::basic_parser<true> {
 public:
  Parser(RawRequest& request, std::size_t header_count)
      : request_(request), header_count_(header_count) {}

 private:
  using View = beast::string_view;
  static std::string_view view(View text) { return {text.data(), text.size()}; }

  void on_request_impl(beast::http::verb, View method, View target, int version,
                       beast::error_code& ec) override {
    request_.method = view(method);
    request_.target = view(target);
    request_.version = version;
    ec = {};
  }
  void on_response_impl(int, View, int, beast::error_code&) override {}
  void on_field_impl(beast::http::field, View name, View value, beast::error_code& ec) override {
    ec = {};
    // Fields of a trailer section are not mixed with those of the head (RFC 9110 section 6.5.1).
    if (is_head_done_) return;
    if (request_.headers.size() == header_count_) {
      ec = beast::http::error::header_limit;
      return;
    }
    request_.headers.push_back({ascii_lower(view(name)), std::string(trim(view(value)))});
  }
  void on_header_impl(beast::error_code& ec) override {
    is_head_done_ = true;
    ec = {};
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length,
                         beast::error_code& ec) override {
    if (length)
      request_.body.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(*length, 65536)));
    ec = {};
  }
  std::size_t on_body_impl(View bytes, beast::error_code& ec) override {
    request_.body += view(bytes);
    ec = {};
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, View, beast::error_code& ec) override { ec = {}; }
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, beast::error_code& ec) override {
    request_.body += view(bytes);
    ec = {};
    return bytes.size();
  }
  void on_finish_impl(beast::error_code& ec) override { ec = {}; }

  RawRequest& request_;
  std::size_t header_count_;
  bool is_head_done_ = false;
};

namespace {

// A host and port as a URL may have them (RFC 3986 section 3.2.2), without user information.
bool is_host(std::string_view text) {
  for (const char c : text) {
    if (!is_ascii_alnum(c) &&
        std::string_view("-._~!$&'()*+,;=:[]%").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

// Whether the request line ends, as it must, with a version of HTTP; so it is one that is not
// spoken here. Beast reports a missing CR as a version too.
bool names_other_version(std::string_view bytes) {
  const std::size_t end = bytes.find("\r\n");
  if (end == std::string_view::npos) return false;
  const std::string_view line = bytes.substr(0, end);
  const std::string_view version = line.substr(line.rfind(' ') + 1);
  return version.size() == 8 && version.starts_with("HTTP/") && is_ascii_digit(version[5]) &&
         version[6] == '.' && is_ascii_digit(version[7]);
}

}  // namespace

std::optional<std::string_view> RawRequest::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return std::nullopt;
}

RequestReader::RequestReader(const ReadLimits& limits) : limits_(limits) {}
RequestReader::~RequestReader() = default;

void RequestReader::fail(int status, std::string code, std::string detail) {
  state_ = State::kFailed;
  problem_ = {.status = status, .code = std::move(code), .detail = std::move(detail)};
}

void RequestReader::fail_head_size() {
  fail(431, "HEADERS_TOO_LARGE",
       fmt::format("the head is larger than {} bytes or {} fields", limits_.header_bytes,
                   limits_.header_count));
}

// RFC 9112 section 5.2: a server refuses obsolete line folding. A folded field is never split
// between two calls, because the parser uses whole fields only.
void RequestReader::check_folding(std::string_view head) {
  for (std::size_t i = head.find('\n'); i != std::string_view::npos && i + 1 < head.size();
       i = head.find('\n', i + 1)) {
    if (head[i + 1] == ' ' || head[i + 1] == '\t')
      return fail(400, "INVALID_HEADER", "a header field is folded over several lines");
  }
}

void RequestReader::finish_head() {
  request_.keep_alive = parser_->keep_alive();
  std::size_t hosts = 0;
  for (const Header& header : request_.headers) {
    if (header.name == "host") {
      ++hosts;
      if (!is_host(header.value)) return fail(400, "INVALID_HOST", "the Host field is not a host");
    } else if (header.name == "transfer-encoding") {
      if (request_.version == 10)
        return fail(400, "INVALID_HEADER", "HTTP/1.0 has no Transfer-Encoding");
      if (!equals_ignoring_case(header.value, "chunked"))
        return fail(501, "NOT_IMPLEMENTED", "the only transfer coding here is 'chunked'");
    } else if (header.name == "expect") {
      if (!equals_ignoring_case(header.value, "100-continue"))
        return fail(417, "EXPECTATION_FAILED", "the only expectation here is '100-continue'");
      request_.expects_continue = request_.version == 11;
    }
  }
  // RFC 9112 section 3.2.
  if (hosts > 1 || (hosts == 0 && request_.version == 11))
    return fail(400, "INVALID_HOST",
                hosts == 0 ? "the Host field is missing" : "there are several Host fields");
  state_ = State::kBody;
}

std::size_t RequestReader::feed(std::string_view bytes) {
  using beast::http::error;
  std::size_t used = 0;
  if (!is_begun_) {
    // RFC 9112 section 2.2: one empty line before a request is ignored.
    if (bytes.empty() || bytes == "\r") return 0;
    if (bytes.starts_with("\r\n")) used = 2;
    is_begun_ = true;
    parser_ = std::make_unique<Parser>(request_, limits_.header_count);
    parser_->header_limit(limits_.header_bytes + 1);  // never reached: see `room`
    parser_->body_limit(limits_.body_bytes);
    parser_->eager(false);  // stops after the head, so that it is checked before the body
  }
  while (state_ == State::kHead || state_ == State::kBody) {
    if (state_ == State::kBody && parser_->is_done()) {
      state_ = State::kDone;
      break;
    }
    std::string_view rest = bytes.substr(used);
    const std::size_t room = limits_.header_bytes - head_bytes_;
    const bool is_cut = state_ == State::kHead && rest.size() >= room;
    if (is_cut) rest = rest.substr(0, room);
    beast::error_code ec = error::need_more;
    const std::size_t taken =
        rest.empty() ? 0 : parser_->put(boost::asio::const_buffer(rest.data(), rest.size()), ec);
    used += taken;
    if (state_ == State::kHead) {
      head_bytes_ += taken;
      check_folding(rest.substr(0, taken));
      if (state_ == State::kFailed) break;
    }
    if (ec == error::need_more) {
      if (is_cut) {
        if (request_.method.empty()) {
          fail(414, "URI_TOO_LONG",
               fmt::format("the request line is longer than {} bytes", limits_.header_bytes));
        } else {
          fail_head_size();
        }
      } else if (state_ == State::kBody && rest.size() - taken > limits_.header_bytes) {
        fail(400, "INVALID_REQUEST", "a chunk extension or a trailer has no end");
      }
      break;
    }
    if (ec) {
      if (ec == error::header_limit)
        fail_head_size();
      else if (ec == error::body_limit)
        fail(413, "PAYLOAD_TOO_LARGE",
             fmt::format("a body has at most {} bytes", limits_.body_bytes));
      else if (ec == error::bad_version && names_other_version(rest))
        fail(505, "HTTP_VERSION_NOT_SUPPORTED", "this server speaks HTTP/1.1");
      else
        fail(400, "INVALID_REQUEST", fmt::format("the request is not HTTP/1.1: {}", ec.message()));
      break;
    }
    if (state_ == State::kHead && parser_->is_header_done()) finish_head();
  }
  return used;
}

}  // namespace ki::http
