#include "ki/api/arguments.h"

#include "ki/api/operation.h"
#include "ki/base/check.h"
#include "ki/base/text.h"
#include "ki/json/canonical.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace ki::api {
namespace {

using Type = Parameter::Type;
using Place = Parameter::Place;

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with a value; empty: nothing.
std::string problem_with(const Parameter& p, std::string_view text) {
  switch (p.type) {
    case Type::kText:
      if (const std::size_t length = utf16_length(text); length > p.max_length) {
        return fmt::format("has {} characters; at most {} are allowed", length, p.max_length);
      }
      return {};
    case Type::kInteger:
      if (const auto value = parse_integer(text); !value || *value < p.low || *value > p.high) {
        return fmt::format("expected an integer from {} to {}", p.low, p.high);
      }
      return {};
    case Type::kFlag:
      return text == "true" || text == "false" ? "" : "expected true or false";
    case Type::kInstant:
      return parse_moment(text) ? ""
                                : "expected a date such as 2026-08-15 or an instant such as "
                                  "2026-08-15T02:00:00Z";
    case Type::kChoice: {
      if (std::ranges::find(p.choices, text) != p.choices.end()) return {};
      std::string list;
      for (const std::string_view choice : p.choices) {
        list += fmt::format("{}{}", list.empty() ? "" : ", ", choice);
      }
      return "expected one of " + list;
    }
  }
  return {};
}

}  // namespace

std::optional<Instant> parse_moment(std::string_view text) {
  if (const auto parsed = parse_instant(text)) return parsed->instant;
  if (text.size() == 10) {
    const auto parsed = parse_instant(std::string(text) + "T00:00Z");
    return parsed ? std::optional(parsed->instant) : std::nullopt;
  }
  // "+02:00" at the end; a '+' that was not encoded arrives as a space.
  if (text.size() < 16) return std::nullopt;
  const std::string_view offset = text.substr(text.size() - 6);
  const bool is_east = offset[0] == '+' || offset[0] == ' ';
  const auto hours = parse_integer(offset.substr(1, 2));
  const auto minutes = parse_integer(offset.substr(4, 2));
  if ((!is_east && offset[0] != '-') || offset[3] != ':' || !hours || !minutes || *hours < 0 ||
      *hours > 23 || *minutes < 0 || *minutes > 59) {
    return std::nullopt;
  }
  const auto local = parse_instant(std::string(text.substr(0, text.size() - 6)) + "Z");
  if (!local) return std::nullopt;
  const std::int64_t shift = (*hours * 60 + *minutes) * 60'000;
  return Instant{local->instant.ms + (is_east ? -shift : shift)};
}

Arguments::Arguments(const Operation& operation)
    : operation_(&operation), values_(operation.parameters.size()) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    values_[i].integer = operation.parameters[i].otherwise;
  }
}

std::expected<Arguments, http::Problem> Arguments::read(const Operation& operation,
                                                        const http::Request& request) {
  Arguments arguments(operation);
  arguments.client_ = request.client;
  const auto& parameters = operation.parameters;
  std::vector<http::ProblemDetail> problems;
  std::vector<bool> is_given(parameters.size());
  const auto set = [&](std::size_t i, std::string_view text) {
    const Parameter& p = parameters[i];
    is_given[i] = true;
    if (text.empty() && p.place == Place::kQuery) return;  // "?q=" asks for nothing
    if (std::string problem = problem_with(p, text); !problem.empty()) {
      problems.push_back({fmt::format("?{}", p.name), "INVALID_VALUE", std::move(problem)});
      return;
    }
    arguments.values_[i].text = text;
    if (p.type == Type::kInteger) arguments.values_[i].integer = *parse_integer(text);
  };
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].place == Place::kPath) set(i, request.parameter(parameters[i].name));
  }
  for (const http::QueryPair& pair : request.target.query) {
    const auto found = std::ranges::find_if(parameters, [&](const Parameter& p) {
      return p.place == Place::kQuery && p.name == pair.name;
    });
    if (found == parameters.end()) {
      std::vector<std::string_view> names;
      for (const Parameter& p : parameters) {
        if (p.place == Place::kQuery) names.push_back(p.name);
      }
      const auto near = did_you_mean(pair.name, names);
      problems.push_back({"?" + pair.name, "UNKNOWN_PARAMETER",
                          fmt::format("{} is no parameter here{}", quote(pair.name),
                                      near ? fmt::format("; did you mean '{}'?", *near) : "")});
      continue;
    }
    const auto i = static_cast<std::size_t>(found - parameters.begin());
    if (is_given[i]) {
      problems.push_back({"?" + pair.name, "REPEATED_PARAMETER", "is given twice"});
      continue;
    }
    set(i, pair.value);
  }
  if (problems.empty()) return arguments;
  std::string detail = fmt::format("{} {}", problems.front().pointer, problems.front().message);
  if (problems.size() > 1) detail += fmt::format(" (and {} more)", problems.size() - 1);
  return std::unexpected(http::Problem{.status = 400,
                                       .code = "INVALID_PARAMETER",
                                       .detail = std::move(detail),
                                       .errors = std::move(problems)});
}

std::size_t Arguments::at(std::string_view name, std::initializer_list<Type> types) const {
  const auto& parameters = operation_->parameters;
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  KI_CHECK(found != parameters.end() && std::ranges::find(types, found->type) != types.end());
  return static_cast<std::size_t>(found - parameters.begin());
}

std::string_view Arguments::text(std::string_view name) const {
  const std::size_t i = at(name, {Type::kText, Type::kChoice});
  const Parameter& parameter = operation_->parameters[i];
  if (values_[i].text.empty() && parameter.type == Type::kChoice) return parameter.choices.front();
  return values_[i].text;
}

std::int64_t Arguments::integer(std::string_view name) const {
  return values_[at(name, {Type::kInteger})].integer;
}

bool Arguments::flag(std::string_view name) const {
  return values_[at(name, {Type::kFlag})].text == "true";
}

std::optional<Instant> Arguments::instant(std::string_view name) const {
  const std::string& text = values_[at(name, {Type::kInstant})].text;
  return text.empty() ? std::nullopt : parse_moment(text);
}

std::string Arguments::filters() const {
  std::string out(operation_->id);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::string_view name = operation_->parameters[i].name;
    if (name == "cursor" || name == "limit" || values_[i].text.empty()) continue;
    out += '\n';
    out += name;
    out += '=';
    json::append_string(out, values_[i].text);
  }
  if (body_ != nullptr && body_->is_object()) {
    for (const json::Member& member : body_->members()) {
      if (member.key == "cursor" || member.key == "limit" || member.key == "include") continue;
      out += '\n';
      json::append_string(out, member.key);
      json::append_canonical(out, member.value);
    }
  }
  return out;
}

}  // namespace ki::api
