// RequestReader: bytes of one HTTP/1.1 request in, a request or a problem out (RFC 9112).
// Boost.Beast parses; this adds what it leaves to its callers: one Host, no obsolete line folding,
// no transfer coding but chunked, no field from a trailer, and a status for every refusal.
#pragma once

#include "ki/http/problem.h"
#include "ki/http/request.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

struct ReadLimits {
  std::uint32_t header_bytes = 16 * 1024;  // request line and fields
  std::size_t header_count = 100;
  std::uint64_t body_bytes = std::uint64_t{1} << 20;
};

// The request line and fields as sent, and the body.
struct RawRequest {
  std::string method;
  std::string target;
  int version = 11;  // 10 or 11
  std::vector<Header> headers;
  std::string body;
  bool keep_alive = true;
  bool expects_continue = false;
  std::string user_agent;  // kept for the log when the fields are handed on

  std::optional<std::string_view> header(std::string_view name) const;
  bool operator==(const RawRequest&) const = default;
};

class RequestReader {
 public:
  enum class State : std::uint8_t { kHead, kBody, kDone, kFailed };

  explicit RequestReader(const ReadLimits& limits);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  // Reads on; returns how many bytes it used. In state kHead, what it did not use must be given
  // again with more behind it. In kDone it uses nothing more.
  std::size_t feed(std::string_view bytes);

  State state() const { return state_; }
  // Of kFailed. The connection must be closed: where the next request begins is not known.
  const Problem& problem() const { return problem_; }
  // Head: from kBody on. Body: of kDone.
  RawRequest& request() { return request_; }

 private:
  class Parser;
  void fail(int status, std::string code, std::string detail);
  void fail_head_size();
  void check_folding(std::string_view head);
  void finish_head();

  ReadLimits limits_;
  State state_ = State::kHead;
  std::size_t head_bytes_ = 0;
  bool is_begun_ = false;  // beyond the empty line that may precede a request
  Problem problem_;
  RawRequest request_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ki::http
