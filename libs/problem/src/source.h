// Source: the JSON text of a problem file, read strictly but for what Python's reader lets through:
// the literals NaN, Infinity and -Infinity, and numbers beyond what our reader keeps. They are put
// aside as texts of the same length, so that every offset stays that of the file.
// Object: one object of it, its members taken by name with the coercions of the original models,
// each noted as a finding that refuses strictly only.
#pragma once

#include "ki/json/reader.h"
#include "ki/problem/finding.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::problem {

class Source {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

  // Nothing when the text is not JSON; the findings say why. `first_line` is the line of the file
  // at which the text begins.
  static std::optional<Source> read(std::string_view text, Findings& findings,
                                    std::uint32_t first_line = 1);

  const json::Value& root() const { return document_.root; }
  // A number put aside: NaN, an infinity, or one that needs more than 2^53.
  std::optional<double> special(const json::Value& value) const;
  bool is_text(const json::Value& value) const { return value.is_string() && !special(value); }
  bool is_number(const json::Value& value) const { return value.is_number() || special(value); }
  double number(const json::Value& value) const;
  // The number is spelled with digits only: 4, not 4.0.
  bool is_spelled_as_integer(const json::Value& value) const;
  std::string_view kind(const json::Value& value) const;  // "number", ... for messages

  Issue issue(const json::Value& at, std::string pointer, std::string code, std::string message,
              std::string fix) const;
  Issue issue(std::size_t offset, std::string pointer, std::string code, std::string message,
              std::string fix) const;

 private:
  Source(std::string text, json::Document document, std::uint32_t first_line)
      : text_(std::move(text)), document_(std::move(document)), first_line_(first_line) {}
  std::string text_;  // as it was given
  json::Document document_;
  std::uint32_t first_line_;
};

// Where the members of one object go.
class Object {
 public:
  // `value` must be an object (see is_object()).
  Object(const Source& source, Findings& findings, const json::Value& value, std::string pointer)
      : source_(source), findings_(findings), value_(value), pointer_(std::move(pointer)) {}

  // An object, or a finding.
  static bool is_object(const Source& source, Findings& findings, const json::Value& value,
                        const std::string& pointer);

  const Source& source() const { return source_; }
  Findings& findings() const { return findings_; }
  const json::Value& value() const { return value_; }
  std::string pointer(std::string_view member) const;

  bool has(std::string_view name) const { return value_.find(name) != nullptr; }
  // The member, or nothing with a finding `missing`.
  const json::Value* required(std::string_view name);
  // The member unless it is absent or null.
  const json::Value* optional(std::string_view name);
  const json::Value* raw(std::string_view name);  // null stays null

  std::string text(std::string_view name);  // required, at least one byte
  std::optional<std::string> optional_text(std::string_view name, bool may_be_empty = false);
  double number(std::string_view name, double fallback);  // absent: the fallback; null is refused
  std::optional<double> optional_number(std::string_view name);
  bool boolean(std::string_view name, bool fallback);
  // Coercion of any value, for maps and lists.
  std::optional<std::int64_t> integer(const json::Value& value, const std::string& at);
  std::optional<double> number(const json::Value& value, const std::string& at);
  std::optional<std::string> text(const json::Value& value, const std::string& at,
                                  bool may_be_empty = false);
  std::vector<std::string> texts(std::string_view name, bool is_required, bool may_be_empty);
  const json::Value* object(std::string_view name);  // required
  const json::Value* list(std::string_view name);    // required

  // Members that nobody asked for: refused strictly.
  void finish();

  void refuse(const json::Value& at, std::string pointer, std::string code, std::string message,
              std::string fix = {});
  // Refused strictly; the original reads it.
  void strict(const json::Value& at, std::string pointer, std::string code, std::string message,
              std::string fix = {});
  // Ours only: the original refuses it.
  void extension(const json::Value& at, std::string pointer, std::string message);

 private:
  void wrong_kind(const json::Value& at, const std::string& pointer, std::string_view expected);

  const Source& source_;
  Findings& findings_;
  const json::Value& value_;
  std::string pointer_;
  std::vector<std::string_view> known_;
};

// `text` is a Python identifier (ASCII).
bool is_identifier(std::string_view text);

}  // namespace ki::problem
