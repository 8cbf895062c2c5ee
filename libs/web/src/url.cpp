#include "ki/web/url.h"

#include "ki/base/check.h"
#include "ki/http/target.h"

namespace ki::web {
namespace {

// Unreserved characters and those that a path segment or query value may hold besides (RFC 3986
// sections 3.3 and 3.4) and that read better unencoded: "sha256:…", "op:gemm".
void encode(std::string& out, std::string_view text) {
  http::percent_encode(
      out, text, [](char c) { return http::is_unreserved(c) || c == ':' || c == ',' || c == '@'; });
}

}  // namespace

Url Url::path(std::initializer_list<std::string_view> segments) {
  std::string text;
  for (const std::string_view segment : segments) {
    text += '/';
    encode(text, segment);
  }
  if (text.empty()) text = "/";
  return Url(std::move(text));
}

std::optional<Url> Url::external(std::string_view text) {
  std::string_view rest;
  if (text.starts_with("https://")) {
    rest = text.substr(8);
  } else if (text.starts_with("http://")) {
    rest = text.substr(7);
  } else {
    return std::nullopt;
  }
  const std::string_view host = rest.substr(0, rest.find_first_of("/?#"));
  if (host.empty() || host.find('@') != host.npos) return std::nullopt;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f || c == '"' || c == '<' || c == '>' || c == '\\') {
      return std::nullopt;
    }
  }
  return Url(std::string(text));
}

Url Url::fragment(std::string_view anchor) {
  std::string text = "#";
  encode(text, anchor);
  return Url(std::move(text));
}

Url Url::with(std::string_view name, std::string_view value) && {
  if (value.empty()) return std::move(*this);
  text_ += text_.find('?') == text_.npos ? '?' : '&';
  encode(text_, name);
  text_ += '=';
  encode(text_, value);
  return std::move(*this);
}

Url Url::with(std::string_view name, std::string_view value) const& {
  Url copy = *this;
  return std::move(copy).with(name, value);
}

Url Url::at(std::string_view anchor) && {
  text_ += '#';
  encode(text_, anchor);
  return std::move(*this);
}

Url Url::below(std::initializer_list<std::string_view> segments) && {
  for (const std::string_view segment : segments) {
    text_ += '/';
    encode(text_, segment);
  }
  return std::move(*this);
}

Url Url::as_png() && {
  KI_CHECK(text_.ends_with(".svg"));
  text_.replace(text_.size() - 3, 3, "png");
  return std::move(*this);
}

Url Url::absolute(std::string_view origin) const {
  if (origin.ends_with('/')) origin.remove_suffix(1);
  if (origin.empty() || !text_.starts_with('/')) return *this;
  return Url(std::string(origin) + text_);
}

}  // namespace ki::web
