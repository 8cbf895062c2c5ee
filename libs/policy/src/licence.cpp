#include "ki/policy/licence.h"

#include "ki/base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ki::policy {
namespace {

constexpr int kMaxDepth = 64;  // of parentheses

bool is_id_character(char c) { return is_ascii_alnum(c) || c == '-' || c == '.'; }

// Recursive descent over SPDX 2.3 Annex D: OR binds less than AND, AND less than WITH.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  std::optional<LicenceExpression> parse() {
    auto expression = parse_operands("OR", LicenceExpression::Kind::kOr, 0);
    skip_space();
    if (!expression || !rest_.empty()) return std::nullopt;
    return expression;
  }

 private:
  std::optional<LicenceExpression> parse_operands(std::string_view word,
                                                  LicenceExpression::Kind kind, int depth) {
    const bool is_or = kind == LicenceExpression::Kind::kOr;
    const auto operand = [&] {
      return is_or ? parse_operands("AND", LicenceExpression::Kind::kAnd, depth)
                   : parse_atom(depth);
    };
    auto first = operand();
    if (!first || !take_word(word)) return first;
    LicenceExpression expression;
    expression.kind = kind;
    expression.operands.push_back(*std::move(first));
    do {
      auto next = operand();
      if (!next) return std::nullopt;
      expression.operands.push_back(*std::move(next));
    } while (take_word(word));
    return expression;
  }

  std::optional<LicenceExpression> parse_atom(int depth) {
    skip_space();
    if (rest_.starts_with('(')) {
      if (depth >= kMaxDepth) return std::nullopt;
      rest_.remove_prefix(1);
      auto inner = parse_operands("OR", LicenceExpression::Kind::kOr, depth + 1);
      skip_space();
      if (!inner || !rest_.starts_with(')')) return std::nullopt;
      rest_.remove_prefix(1);
      return inner;
    }
    return parse_licence();
  }

  std::optional<LicenceExpression> parse_licence() {
    LicenceExpression expression;
    const std::string_view id = take_id();
    if (id.starts_with("DocumentRef-") && rest_.starts_with(':')) {
      rest_.remove_prefix(1);
      const std::string_view reference = take_id();
      if (!is_reference(id, "DocumentRef-") || !is_reference(reference, "LicenseRef-"))
        return std::nullopt;
      expression.licence = std::string(id) + ":" + std::string(reference);
    } else if (is_reference(id, "LicenseRef-")) {
      expression.licence = id;
    } else if (is_spdx_licence(id)) {
      expression.licence = id;
      if (rest_.starts_with('+')) {
        rest_.remove_prefix(1);
        expression.or_later = true;
      }
    } else {
      return std::nullopt;
    }
    if (take_word("WITH")) {
      skip_space();
      const std::string_view exception = take_id();
      if (!is_spdx_exception(exception)) return std::nullopt;
      expression.exception = exception;
    }
    return expression;
  }

  static bool is_reference(std::string_view id, std::string_view prefix) {
    return id.starts_with(prefix) && id.size() > prefix.size();
  }

  void skip_space() {
    while (!rest_.empty() && is_ascii_space(rest_[0])) rest_.remove_prefix(1);
  }

  std::string_view take_id() {
    const auto end = std::ranges::find_if_not(rest_, is_id_character);
    const auto id = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(id.size());
    return id;
  }

  // The operator as a whole word, in upper case; nothing is taken otherwise.
  bool take_word(std::string_view word) {
    const std::string_view before = rest_;
    skip_space();
    if (take_id() == word) return true;
    rest_ = before;
    return false;
  }

  std::string_view rest_;
};

constexpr auto kPermissiveV1 = std::to_array<std::string_view>(
    {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "ISC", "MIT", "Zlib"});

// Licences that ask for no more than notices; in byte order.
constexpr auto kPermissiveV2 = std::to_array<std::string_view>({"0BSD",
                                                                "Apache-1.1",
                                                                "Apache-2.0",
                                                                "BSD-1-Clause",
                                                                "BSD-2-Clause",
                                                                "BSD-2-Clause-Patent",
                                                                "BSD-2-Clause-Views",
                                                                "BSD-3-Clause",
                                                                "BSD-3-Clause-LBNL",
                                                                "BSD-Source-Code",
                                                                "BSL-1.0",
                                                                "BlueOak-1.0.0",
                                                                "CC0-1.0",
                                                                "FSFAP",
                                                                "HPND",
                                                                "ICU",
                                                                "ISC",
                                                                "Libpng",
                                                                "MIT",
                                                                "MIT-0",
                                                                "MIT-Modern-Variant",
                                                                "MulanPSL-2.0",
                                                                "NCSA",
                                                                "PSF-2.0",
                                                                "PostgreSQL",
                                                                "Python-2.0",
                                                                "UPL-1.0",
                                                                "Unicode-3.0",
                                                                "Unicode-DFS-2016",
                                                                "Unlicense",
                                                                "W3C",
                                                                "WTFPL",
                                                                "X11",
                                                                "Zlib",
                                                                "bzip2-1.0.6",
                                                                "curl",
                                                                "libpng-2.0",
                                                                "zlib-acknowledgement"});
static_assert(std::ranges::is_sorted(kPermissiveV1));
static_assert(std::ranges::is_sorted(kPermissiveV2));

bool is_permissive(const LicenceExpression& expression) {
  switch (expression.kind) {
    case LicenceExpression::Kind::kLicence:
      // An exception only permits more, and a later version is the licensee's choice.
      return std::ranges::binary_search(kPermissiveV2, expression.licence);
    case LicenceExpression::Kind::kAnd:
      return std::ranges::all_of(expression.operands, is_permissive);
    case LicenceExpression::Kind::kOr:
      return std::ranges::any_of(expression.operands, is_permissive);
  }
  return false;
}

}  // namespace

std::optional<LicenceExpression> parse_licence_expression(std::string_view text) {
  return Parser(text).parse();
}

std::optional<std::string> conclude_licence(std::string_view declared) {
  const std::string_view text = trim(declared);
  if (text.empty()) return std::nullopt;
  if (const auto id = spdx_licence_ignoring_case(text)) return std::string(*id);
  if (!parse_licence_expression(text)) return std::nullopt;
  return std::string(text);
}

bool is_permissive_v1(std::string_view concluded) {
  return std::ranges::binary_search(kPermissiveV1, concluded);
}

bool is_permissive_v2(std::string_view concluded) {
  const auto expression = parse_licence_expression(concluded);
  return expression && is_permissive(*expression);
}

bool matches_licence_filter(std::string_view filter, std::optional<std::string_view> concluded,
                            LicencePolicy policy) {
  if (equals_ignoring_case(filter, "unknown")) return !concluded;
  if (!concluded) return false;
  if (equals_ignoring_case(filter, "permissive")) {
    return policy == LicencePolicy::kV1 ? is_permissive_v1(*concluded)
                                        : is_permissive_v2(*concluded);
  }
  return equals_ignoring_case(filter, *concluded);
}

std::string_view licence_display_name(std::string_view concluded) {
  if (concluded == "LicenseRef-GPUMode-Reciprocity-1.0")
    return "June 9 Researcher Reciprocity License v1.0";
  return concluded;
}

}  // namespace ki::policy
