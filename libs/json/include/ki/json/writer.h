// Writer: JSON text out, one token at a time, with the number text of number.h. It checks that what
// is written is well formed (a bug otherwise). Compact, or indented by two spaces.
#pragma once

#include "ki/json/value.h"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::json {

class Writer {
 public:
  enum class Style : std::uint8_t { kCompact, kIndented };
  explicit Writer(std::string& out, Style style = Style::kCompact) : out_(out), style_(style) {}

  Writer& begin_object();
  Writer& end_object();
  Writer& begin_array();
  Writer& end_array();
  Writer& key(std::string_view name);

  Writer& null();
  Writer& value(std::string_view text);  // must be valid UTF-8
  Writer& value(const char* text) { return value(std::string_view(text)); }
  Writer& value(const std::string& text) { return value(std::string_view(text)); }
  Writer& value(const Value& tree);
  template <std::same_as<bool> B>
  Writer& value(B truth) {
    return write_bool(truth);
  }
  template <std::integral I>
    requires(!std::same_as<I, bool> && !std::same_as<I, char>)
  Writer& value(I number) {
    return write_integer(static_cast<std::int64_t>(number));
  }
  Writer& value(double number);  // finite
  // Text that is JSON already and well formed.
  Writer& raw(std::string_view json);

  // key and value in one; an absent optional is left out by member() and written as null by
  // nullable().
  template <class T>
  Writer& member(std::string_view name, const T& v) {
    return key(name).value(v);
  }
  template <class T>
  Writer& nullable(std::string_view name, const T& optional) {
    key(name);
    return optional ? value(*optional) : null();
  }

 private:
  Writer& write_bool(bool truth);
  Writer& write_integer(std::int64_t number);
  void before_value();
  void newline();

  struct Level {
    bool is_object;
    bool has_items;
  };
  std::string& out_;
  Style style_;
  std::vector<Level> levels_;
  bool has_key_ = false;
};

}  // namespace ki::json
