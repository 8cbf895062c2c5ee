// Request: what a handler gets. A plain value: tests make one without a socket.
#pragma once

#include "ki/http/target.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::http {

enum class Method : std::uint8_t { kGet, kHead, kPost, kPut, kPatch, kDelete, kOptions };

std::string_view to_string(Method method);
// Methods are case-sensitive (RFC 9110 section 9.1). Nothing for one that this server does not
// know.
std::optional<Method> parse_method(std::string_view text);

struct Header {
  std::string name;   // lower case in requests
  std::string value;  // without surrounding white space
  bool operator==(const Header&) const = default;
};

struct PathParameter {
  std::string_view name;
  std::string value;
};

struct Request {
  Method method = Method::kGet;
  Target target;
  std::vector<Header> headers;
  std::string body;
  std::string client;  // address of the client (behind a trusted proxy: the one that it names)
  std::vector<PathParameter> parameters;  // of the route's pattern; filled by the router

  const std::string& path() const { return target.path; }
  // The first header of that lower-case name.
  std::optional<std::string_view> header(std::string_view name) const;
  // The first value of a query parameter.
  std::optional<std::string_view> query(std::string_view name) const { return target.find(name); }
  // The value of a parameter that the route's pattern names; anything else is a bug.
  const std::string& parameter(std::string_view name) const;
};

}  // namespace ki::http
