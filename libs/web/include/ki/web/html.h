// Html: markup appended into one string. Markup is a literal of the program; everything else has a
// type that says how it is escaped. Writing a std::string, a std::string_view, a number or an
// attribute that could run script does not compile.
#pragma once

#include "ki/web/url.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ki::web {

// A literal of the program, written as it stands. Only constants convert to it.
class Markup {
 public:
  template <std::size_t N>
  consteval Markup(const char (&text)[N])  // NOLINT(google-explicit-constructor): literals only
      : text_(text, N - 1) {}
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

// The name of an attribute that holds text. Refused at compile time: attributes that hold an
// address (use link()), style or script.
class AttributeName {
 public:
  template <std::size_t N>
  consteval AttributeName(const char (&text)[N])  // NOLINT(google-explicit-constructor)
      : text_(text, N - 1) {
    if (text_.starts_with("on") || text_ == "href" || text_ == "src" || text_ == "action" ||
        text_ == "formaction" || text_ == "style" || text_ == "srcdoc" || text_ == "srcset" ||
        text_ == "xlink:href") {
      throw "this attribute does not hold text: use link()";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

class UrlAttribute {
 public:
  template <std::size_t N>
  consteval UrlAttribute(const char (&text)[N])  // NOLINT(google-explicit-constructor)
      : text_(text, N - 1) {
    if (text_ != "href" && text_ != "src" && text_ != "action" && text_ != "content") {
      throw "not an attribute that holds an address";
    }
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

struct Text {
  std::string_view value;
};
struct Attribute {
  AttributeName name;
  std::string_view value;
};
struct Link {
  UrlAttribute name;
  const Url& url;
};

// Text, escaped. The view is used at once.
inline Text text(std::string_view value) { return {value}; }
// ` name="value"`, escaped.
inline Attribute attr(AttributeName name, std::string_view value) { return {name, value}; }
// ` href="address"`.
inline Link link(UrlAttribute name, const Url& url) { return {name, url}; }
inline Link href(const Url& url) { return {"href", url}; }

class Html {
 public:
  Html() { out_.reserve(std::size_t{32} << 10); }

  Html& operator<<(Markup markup) {
    out_ += markup.text();
    return *this;
  }
  Html& operator<<(Text text) {
    escape(text.value);
    return *this;
  }
  Html& operator<<(const Attribute& attribute);
  Html& operator<<(const Link& link);
  // Another page's part, made by the same rules.
  Html& operator<<(const Html& part) {
    out_ += part.out_;
    return *this;
  }
  // Nothing else: say what it is with text(), attr(), href().

  std::string take() && { return std::move(out_); }
  const std::string& view() const { return out_; }
  std::size_t size() const { return out_.size(); }

 private:
  void escape(std::string_view text);
  std::string out_;
};

// `text` with &, <, >, " and ' escaped and control characters replaced: for XML and SVG too.
void append_escaped(std::string& out, std::string_view text);

}  // namespace ki::web
