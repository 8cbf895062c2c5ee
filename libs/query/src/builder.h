// Builder: the one place that turns a filter's value into members of an Intent, a facet or an
// issue. The text parser and the structured request reader both write through it.
#pragma once

#include "ki/query/intent.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::query {

// Where a value came from.
struct Source {
  std::string token = {};  // as typed, or the canonical spelling for a structured request
  Span span = {};
  std::string path = {};
  bool is_bare = false;
};

class Builder {
 public:
  explicit Builder(Intent& intent) : intent_(intent) {}

  void term(std::string_view text, TermKind kind, Span span);
  // Any filter but kAxis and kTensor.
  void filter(Filter filter, std::string_view value, const Source& source);
  void gpu(std::string_view typed, const Source& source);
  void dtype(std::string_view name, const Source& source);  // a canonical name
  void shape(std::string_view value, const Source& source);
  void shape_dims(std::vector<std::int64_t> dims, const Source& source);
  void axis(std::string_view name, std::int64_t value, const Source& source);
  void tensor_shape(std::string_view name, std::vector<std::int64_t> dims, const Source& source);
  TensorRequest& tensor(std::string_view name);

  struct Problem {
    std::string code;
    std::string message;
    std::optional<std::string> hint = std::nullopt;
    Severity severity = Severity::kRefused;
  };
  void issue(const Source& source, Problem problem);

 private:
  void facet(const Source& source, std::string_view field, std::string display,
             std::string_view name = {});
  void flag(std::string_view value, const Source& source, bool Intent::* member,
            std::string_view field, std::string_view on, std::string_view off);
  void cuda(std::string_view value, const Source& source);

  Intent& intent_;
};

// "[2048, 4096]", "2048,4096" or "2048x4096"; nothing for anything else.
std::optional<std::vector<std::int64_t>> parse_shape(std::string_view text);
// Digits only, at most 2^53 - 1.
std::optional<std::int64_t> parse_size(std::string_view text);
// [A-Za-z][A-Za-z0-9_]*
bool is_name(std::string_view text);

}  // namespace ki::query
