// Target: the path and query of a request, decoded once and strictly (RFC 9112 section 3.2, RFC
// 3986). What could be read in two ways is refused: dot segments, encoded slashes, control bytes,
// bytes that are not UTF-8.
#pragma once

#include "ki/http/problem.h"

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

inline constexpr std::size_t kMaxTargetBytes = 8192;
inline constexpr std::size_t kMaxParameters = 64;  // spec 07.5

// One name=value of a query, decoded ('+' is a space). A name without '=' has an empty value.
struct QueryPair {
  std::string name;
  std::string value;
  bool operator==(const QueryPair&) const = default;
};

struct Target {
  std::string path =
      "/";  // decoded UTF-8; begins with '/'; no "." or ".." segment, no control byte
  std::vector<QueryPair> query;  // in the order sent

  // The first value of a parameter, or nothing.
  std::optional<std::string_view> find(std::string_view name) const;

  // The one spelling of this target: what parse_target() reads back as the same value.
  std::string canonical() const;
  bool operator==(const Target&) const = default;
};

// Reads the origin form ("/a?b=c") or the absolute form ("http://host/a?b=c", host ignored).
// Problems: 414 URI_TOO_LONG; 400 INVALID_TARGET, whose detail says what and where.
std::expected<Target, Problem> parse_target(std::string_view text);

// Letters, digits and "-._~": never encoded (RFC 3986 section 2.3).
bool is_unreserved(char c);
// Appends `text` with every byte percent-encoded that is not literal (RFC 3986 section 2.1).
void percent_encode(std::string& out, std::string_view text,
                    bool (*is_literal)(char) = is_unreserved);

}  // namespace ki::http
