#include "ki/http/request.h"

#include "ki/base/check.h"

#include <array>
#include <utility>

namespace ki::http {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 7> kMethods = {
    {{Method::kGet, "GET"},
     {Method::kHead, "HEAD"},
     {Method::kPost, "POST"},
     {Method::kPut, "PUT"},
     {Method::kPatch, "PATCH"},
     {Method::kDelete, "DELETE"},
     {Method::kOptions, "OPTIONS"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [known, text] : kMethods) {
    if (known == method) return text;
  }
  return "";
}

std::optional<Method> parse_method(std::string_view text) {
  for (const auto& [known, name] : kMethods) {
    if (name == text) return known;
  }
  return std::nullopt;
}

std::optional<std::string_view> Request::header(std::string_view name) const {
  for (const Header& header : headers) {
    if (header.name == name) return header.value;
  }
  return std::nullopt;
}

const std::string& Request::parameter(std::string_view name) const {
  for (const PathParameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value;
  }
  KI_CHECK(false && "the route's pattern has no such parameter");
}

}  // namespace ki::http
