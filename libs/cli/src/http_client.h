// One request to a server, over a connection of its own (HTTP/1.1, RFC 9112).
#pragma once

#include "ki/base/result.h"
#include "ki/http/request.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace ki::cli {

struct HttpAnswer {
  int status = 0;
  std::string body;
};

// `server` is "http://host[:port][/prefix]". Waits at most 30 s for each step. kInvalidArgument for
// an address that is none, kUnavailable when the server cannot be reached, does not answer in time
// or not as HTTP.
Result<HttpAnswer> http_exchange(std::string_view server, const http::Request& request,
                                 std::size_t max_body);

// The parts of an answer as they came over the wire, until the connection was closed.
Result<HttpAnswer> parse_http_answer(std::string_view bytes, std::size_t max_body);

}  // namespace ki::cli
