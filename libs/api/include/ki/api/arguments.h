// The arguments of one call: parameters of path and query, checked against their declarations.
#pragma once

#include "ki/base/instant.h"
#include "ki/http/problem.h"
#include "ki/http/request.h"
#include "ki/json/value.h"

#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::api {

struct Operation;

struct Parameter {
  enum class Place : std::uint8_t { kQuery, kPath };
  // kInstant: RFC 3339 with any offset, or a date, which is its first moment in UTC.
  enum class Type : std::uint8_t { kText, kInteger, kFlag, kInstant, kChoice };
  std::string_view name;
  std::string_view help;
  Place place = Place::kQuery;
  Type type = Type::kText;
  std::size_t max_length = 200;  // of a text, in characters
  std::int64_t low = 0;          // of an integer
  std::int64_t high = 0;
  std::int64_t otherwise = 0;                  // when an integer is absent
  std::vector<std::string_view> choices = {};  // the first is meant when none is given
  std::string_view option = {};                // of the command line; empty: the name in kebab case
  std::string_view placeholder = {};           // of its value in help; empty: TEXT, N, ...
};

class Arguments {
 public:
  // The arguments of a call, or INVALID_PARAMETER with every problem: unknown or repeated
  // parameters, values that are too long, no integer, out of bounds or none of the choices.
  static std::expected<Arguments, http::Problem> read(const Operation& operation,
                                                      const http::Request& request);

  const Operation& operation() const { return *operation_; }
  // The declared default when it was not given ("" for texts). The parameter must be declared
  // with the type (checked).
  std::string_view text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool flag(std::string_view name) const;
  std::optional<Instant> instant(std::string_view name) const;

  // The body of a POST; null without one.
  const json::Value* body() const { return body_; }
  void set_body(const json::Value* body) { body_ = body; }

  // Address of who asks; empty on the command line.
  std::string_view client() const { return client_; }

  // One text for all arguments but cursor and limit: what a cursor is bound to.
  std::string filters() const;

 private:
  explicit Arguments(const Operation& operation);
  // The position of a parameter that is declared with one of the types (checked).
  std::size_t at(std::string_view name, std::initializer_list<Parameter::Type> types) const;

  struct Value {
    std::string text;  // as given; empty: not given
    std::int64_t integer = 0;
  };
  const Operation* operation_;
  std::vector<Value> values_;  // one for each parameter
  const json::Value* body_ = nullptr;
  std::string client_;
};

// RFC 3339, or a date.
std::optional<Instant> parse_moment(std::string_view text);

}  // namespace ki::api
