// Problem: an error as RFC 9457 says it. Handlers return one; the server adds the request id and
// renders it as application/problem+json, or as the site's own page where a person asked.
#pragma once

#include "ki/base/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

// One part of a request that was not acceptable (spec 07.5).
struct ProblemDetail {
  std::string pointer;  // JSON pointer into the body, or the parameter's name after "?"
  std::string code;
  std::string message;
};

struct Problem {
  int status = 500;
  std::string code = "INTERNAL";  // upper case with underscores: "RUN_NOT_FOUND"
  std::string detail = {};        // a sentence for a person
  std::vector<ProblemDetail> errors = {};
  std::optional<std::uint32_t> retry_after_seconds = {};
};

// The problem that an error of ours is: kInvalidArgument 400 INVALID_PARAMETER, kNotFound 404
// NOT_FOUND, kConflict 409 CONFLICT, kUnavailable 503 UNAVAILABLE (Retry-After 1), kUnsupported 501
// UNSUPPORTED, the rest 500 INTERNAL whose detail tells nothing of the inside.
Problem problem_of(const Error& error);

// The body: {type, title, status, code, detail, requestId[, errors]}. `origin` is the site's public
// address without a final slash; empty makes `type` a path.
std::string problem_json(const Problem& problem, std::string_view request_id,
                         std::string_view origin);

// "Not Found" for 404; empty for a status that is not known.
std::string_view reason_phrase(int status);

}  // namespace ki::http
