// Url: an address that is safe in href and src. Made from path segments and query values, which are
// percent-encoded, or from an outside address that is plain http or https.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ki::web {

class Url {
 public:
  // "/runs/01a0…" of {"runs", id}: each segment encoded. Without segments "/".
  static Url path(std::initializer_list<std::string_view> segments);
  // An absolute http or https address from outside; nothing when it is anything else
  // ("javascript:", user info, white space, controls, no host).
  static std::optional<Url> external(std::string_view text);
  // This page: "#anchor".
  static Url fragment(std::string_view anchor);

  // The same with "name=value" added to its query; an empty value adds nothing.
  Url with(std::string_view name, std::string_view value) &&;
  Url with(std::string_view name, std::string_view value) const&;
  Url at(std::string_view anchor) &&;
  // The same picture as PNG: "x.svg" is "x.png" then.
  Url as_png() &&;
  // Deeper by these segments: path({"a"}).below({"b"}) is "/a/b".
  Url below(std::initializer_list<std::string_view> segments) &&;

  // Behind an origin ("https://ki.example"), for feeds and canonical links.
  Url absolute(std::string_view origin) const;
  const std::string& text() const { return text_; }

 private:
  explicit Url(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace ki::web
