#include "ki/problem/expression.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ki::problem {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr int kMaxDepth = 64;

bool is_name_start(char c) { return is_ascii_alpha(c) || c == '_'; }
bool is_name_char(char c) { return is_ascii_alnum(c) || c == '_'; }

int digit_value(char c) {
  if (is_ascii_digit(c)) return c - '0';
  const char lower = ascii_lower(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

}  // namespace

struct Expression::Number {
  bool is_float = false;
  std::int64_t integer = 0;
  double number = 0;

  static Number of(std::int64_t value) { return {false, value, 0}; }
  static Number of(double value) { return {true, 0, value}; }
  double as_double() const { return is_float ? number : static_cast<double>(integer); }
};

// Recursive descent over the grammar of harness 01 section 1.
class ExpressionParser {
 public:
  using Op = Expression::Op;
  explicit ExpressionParser(std::string_view text) : text_(text) {}

  Result<Expression> parse(bool with_comparisons) {
    if (text_.size() > kMaxBytes) {
      return fail(Code::kInvalidArgument,
                  fmt::format("the expression is longer than {} bytes", kMaxBytes));
    }
    skip_space();
    if (at_end()) return fail(Code::kInvalidArgument, "the expression is empty");
    sum();
    while (with_comparisons && error_.empty()) {
      const auto op = comparison();
      if (!op) break;
      std::vector<Expression::Step> first = std::move(steps_);
      steps_.clear();
      sum();
      out_.chain_.emplace_back(*op, std::move(steps_));
      steps_ = std::move(first);
    }
    skip_space();
    if (error_.empty() && !at_end()) {
      error(fmt::format("{} is not expected here", quote(text_.substr(at_, 12))));
    }
    if (!error_.empty()) return fail(Code::kInvalidArgument, std::move(error_));
    out_.steps_ = std::move(steps_);
    return std::move(out_);
  }

 private:
  bool at_end() const { return at_ == text_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void error(std::string what) {
    if (error_.empty()) error_ = fmt::format("column {}: {}", at_ + 1, what);
    at_ = text_.size();
  }
  // Spaces, comments, and line ends where Python allows them: inside parentheses and at the end.
  void skip_space() {
    while (!at_end()) {
      if (peek() == '#') {
        while (!at_end() && peek() != '\n') ++at_;
      } else if (peek() == '\n' || peek() == '\r') {
        if (depth_ == 0 && text_.find_first_not_of(" \t\f\r\n", at_) != text_.npos) {
          const std::size_t next = text_.find_first_not_of(" \t\f\r\n", at_);
          if (text_[next] != '#') return;
        }
        ++at_;
      } else if (peek() == ' ' || peek() == '\t' || peek() == '\f') {
        ++at_;
      } else {
        return;
      }
    }
  }
  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void emit(Op op) { steps_.push_back({.op = op}); }

  std::optional<Op> comparison() {
    if (take("<=")) return Op::kLessEqual;
    if (take(">=")) return Op::kGreaterEqual;
    if (take("==")) return Op::kEqual;
    if (take("!=")) return Op::kNotEqual;
    if (take("<")) return Op::kLess;
    if (take(">")) return Op::kGreater;
    return std::nullopt;
  }

  void sum() {
    if (++nesting_ > kMaxDepth) return error("more than 64 levels");
    product();
    while (error_.empty()) {
      if (take("+")) {
        product();
        emit(Op::kAdd);
      } else if (take("-")) {
        product();
        emit(Op::kSubtract);
      } else {
        break;
      }
    }
    --nesting_;
  }
  void product() {
    unary();
    while (error_.empty()) {
      skip_space();
      if (peek() == '*' && peek(1) != '*') {
        ++at_;
        unary();
        emit(Op::kMultiply);
      } else if (take("//")) {
        unary();
        emit(Op::kFloor);
      } else if (take("/")) {
        unary();
        emit(Op::kDivide);
      } else if (take("%")) {
        unary();
        emit(Op::kModulo);
      } else {
        return;
      }
    }
  }
  void unary() {
    if (++nesting_ > kMaxDepth) return error("more than 64 levels");
    if (take("-")) {
      unary();
      emit(Op::kNegate);
    } else if (take("+")) {
      unary();
      emit(Op::kPlus);
    } else {
      power();
    }
    --nesting_;
  }
  void power() {
    atom();
    if (error_.empty() && take("**")) {
      unary();
      emit(Op::kPower);
    }
  }
  void atom() {
    skip_space();
    if (at_end()) return error("the expression ends where a number or a name is expected");
    if (take("(")) {
      ++depth_;
      sum();
      if (!error_.empty()) return;
      skip_space();
      if (peek() != ')') return error("')' is missing");
      --depth_;
      ++at_;
      return;
    }
    if (is_name_start(peek())) return name();
    if (is_ascii_digit(peek()) || (peek() == '.' && is_ascii_digit(peek(1)))) return number();
    error(fmt::format("{} is not a number, a name or '('", quote(text_.substr(at_, 12))));
  }
  void name() {
    const std::size_t start = at_;
    while (is_name_char(peek())) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (word == "True" || word == "False") {
      out_.uses_booleans_ = true;
      steps_.push_back({.op = Op::kInteger, .integer = word == "True" ? 1 : 0});
      return;
    }
    for (const std::string_view keyword :
         {"and", "or", "not", "if", "else", "in", "is", "lambda", "None", "await", "for"}) {
      if (word == keyword) {
        at_ = start;
        return error(fmt::format("{} is not allowed in an expression", quote(word)));
      }
    }
    const auto known = std::ranges::find(out_.names_, word);
    const auto index = known - out_.names_.begin();
    if (known == out_.names_.end()) out_.names_.emplace_back(word);
    steps_.push_back({.op = Op::kName, .integer = index});
  }

  // Digits of a base with single underscores between them, without the underscores.
  std::optional<std::string> digits(int base, bool may_start_with_underscore) {
    std::string out;
    bool can_separate = may_start_with_underscore;
    while (true) {
      if (digit_value(peek()) < base) {
        out += peek();
        can_separate = true;
      } else if (peek() == '_' && can_separate && digit_value(peek(1)) < base) {
        can_separate = false;
      } else {
        break;
      }
      ++at_;
    }
    if (out.empty()) return std::nullopt;
    return out;
  }
  void number() {
    const std::size_t start = at_;
    int base = 10;
    if (peek() == '0') {
      const char kind = ascii_lower(peek(1));
      base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    }
    if (base != 10) {
      at_ += 2;
      const auto text = digits(base, true);
      if (!text) return error("digits are missing");
      return integer(*text, base, start);
    }
    std::string text = digits(10, false).value_or("");
    bool is_float = false;
    if (peek() == '.') {
      is_float = true;
      ++at_;
      text += '.';
      text += digits(10, false).value_or("");
    }
    if (ascii_lower(peek()) == 'e') {
      const std::size_t mark = at_;
      std::string exponent = "e";
      ++at_;
      if (peek() == '+' || peek() == '-') {
        exponent += peek();
        ++at_;
      }
      const auto power_digits = digits(10, false);
      if (!power_digits) {
        at_ = mark;
        return error("the exponent has no digits");
      }
      is_float = true;
      text += exponent + *power_digits;
    }
    if (!is_float) {
      if (text.size() > 1 && text.front() == '0' && text.find_first_not_of('0') != text.npos) {
        at_ = start;
        return error("an integer does not begin with 0");
      }
      return integer(text, 10, start);
    }
    if (text.front() == '.') text.insert(0, "0");
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code == std::errc::result_out_of_range && std::abs(value) < 1) value = 0;
    if (code != std::errc() && code != std::errc::result_out_of_range) {
      at_ = start;
      return error("not a number");
    }
    (void)end;
    after_number();
    steps_.push_back({.op = Op::kFloat, .number = value});
  }
  void integer(const std::string& text, int base, std::size_t start) {
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    (void)end;
    if (code != std::errc()) {
      at_ = start;
      return error("the integer is beyond 2^63 - 1");
    }
    after_number();
    steps_.push_back({.op = Op::kInteger, .integer = value});
  }
  // A name or a second point right after a number is one wrong token: 1j, 0b12, 1.2.3.
  void after_number() {
    if (is_name_char(peek()) || peek() == '.') error("the number is not well formed");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;    // open parentheses
  int nesting_ = 0;  // recursion
  std::string error_;
  std::vector<Expression::Step> steps_;
  Expression out_;
};

Result<Expression> Expression::parse(std::string_view text) {
  return ExpressionParser(text).parse(false);
}
Result<Expression> Expression::parse_constraint(std::string_view text) {
  return ExpressionParser(text).parse(true);
}

Result<Expression::Number> Expression::apply(Op op, const Number& a, const Number& b) {
  const auto overflow = [] {
    return fail(Code::kInvalidArgument, "axis_overflow: an intermediate value is beyond 64 bits");
  };
  const auto zero = [] { return fail(Code::kInvalidArgument, "division_by_zero: a divisor is 0"); };
  const auto finite = [&](double value) -> Result<Number> {
    if (!std::isfinite(value)) return overflow();
    return Number::of(value);
  };
  const bool are_integers = !a.is_float && !b.is_float;
  std::int64_t out = 0;
  switch (op) {
    case Op::kAdd:
      if (!are_integers) return finite(a.as_double() + b.as_double());
      if (__builtin_add_overflow(a.integer, b.integer, &out)) return overflow();
      return Number::of(out);
    case Op::kSubtract:
      if (!are_integers) return finite(a.as_double() - b.as_double());
      if (__builtin_sub_overflow(a.integer, b.integer, &out)) return overflow();
      return Number::of(out);
    case Op::kMultiply:
      if (!are_integers) return finite(a.as_double() * b.as_double());
      if (__builtin_mul_overflow(a.integer, b.integer, &out)) return overflow();
      return Number::of(out);
    case Op::kDivide:
      if (b.as_double() == 0) return zero();
      // Exact quotients stay integers, so that no digit of a large one is lost to a double.
      if (are_integers && !(a.integer == INT64_MIN && b.integer == -1) &&
          a.integer % b.integer == 0)
        return Number::of(a.integer / b.integer);
      return finite(a.as_double() / b.as_double());
    case Op::kFloor:
      if (b.as_double() == 0) return zero();
      if (!are_integers) return finite(std::floor(a.as_double() / b.as_double()));
      if (a.integer == INT64_MIN && b.integer == -1) return overflow();
      out = a.integer / b.integer;
      if (a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0)) --out;
      return Number::of(out);
    case Op::kModulo: {
      if (b.as_double() == 0) return zero();
      if (!are_integers) {
        double rest = std::fmod(a.as_double(), b.as_double());
        if (rest != 0 && (rest < 0) != (b.as_double() < 0)) rest += b.as_double();
        return finite(rest);
      }
      if (b.integer == -1) return Number::of(std::int64_t{0});
      out = a.integer % b.integer;
      if (out != 0 && (out < 0) != (b.integer < 0)) out += b.integer;
      return Number::of(out);
    }
    case Op::kPower: {
      if (!are_integers || b.integer < 0) {
        if (a.as_double() == 0 && b.as_double() < 0) return zero();
        return finite(std::pow(a.as_double(), b.as_double()));
      }
      out = 1;
      std::int64_t base = a.integer;
      for (std::int64_t power = b.integer; power > 0; power >>= 1) {
        if ((power & 1) != 0 && __builtin_mul_overflow(out, base, &out)) return overflow();
        if (power > 1 && __builtin_mul_overflow(base, base, &base)) return overflow();
      }
      return Number::of(out);
    }
    case Op::kInteger:
    case Op::kFloat:
    case Op::kName:
    case Op::kNegate:
    case Op::kPlus:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kEqual:
    case Op::kNotEqual:
      break;
  }
  return fail(Code::kInternal, "an operator without two operands");
}

Result<Expression::Number> Expression::run(const Lookup& lookup) const {
  std::vector<Number> stack;
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::kInteger:
        stack.push_back(Number::of(step.integer));
        break;
      case Op::kFloat:
        stack.push_back(Number::of(step.number));
        break;
      case Op::kName: {
        const std::string& name = names_[static_cast<std::size_t>(step.integer)];
        const auto value = lookup(name);
        if (!value) {
          return fail(Code::kInvalidArgument,
                      fmt::format("unknown_name: axis {} has no value here", quote(name)));
        }
        stack.push_back(Number::of(*value));
        break;
      }
      case Op::kPlus:
        break;
      case Op::kNegate: {
        Number& top = stack.back();
        if (!top.is_float && top.integer == INT64_MIN) {
          return fail(Code::kInvalidArgument,
                      "axis_overflow: an intermediate value is beyond 64 bits");
        }
        top = top.is_float ? Number::of(-top.number) : Number::of(-top.integer);
        break;
      }
      default: {
        const Number right = stack.back();
        stack.pop_back();
        KI_TRY(stack.back(), apply(step.op, stack.back(), right));
      }
    }
  }
  return stack.back();
}

Result<std::int64_t> Expression::evaluate(const Lookup& lookup) const {
  KI_TRY(const Number value, run(lookup));
  if (!value.is_float) return value.integer;
  if (std::floor(value.number) != value.number) {
    return fail(Code::kInvalidArgument,
                fmt::format("not_an_integer: the value is {}", value.number));
  }
  if (!(std::abs(value.number) < 9223372036854775808.0)) {
    return fail(Code::kInvalidArgument, "axis_overflow: the value is beyond 64 bits");
  }
  return static_cast<std::int64_t>(value.number);
}

Result<bool> Expression::holds(const Lookup& lookup) const {
  KI_TRY(Number left, run(lookup));
  if (chain_.empty()) return left.as_double() != 0;
  for (const auto& [op, steps] : chain_) {
    Expression operand;
    operand.steps_ = steps;
    operand.names_ = names_;
    KI_TRY(const Number right, operand.run(lookup));
    const auto order = left.is_float || right.is_float
                           ? left.as_double() <=> right.as_double()
                           : std::partial_ordering(left.integer <=> right.integer);
    const bool is_true = op == Op::kLess           ? order < 0
                         : op == Op::kLessEqual    ? order <= 0
                         : op == Op::kGreater      ? order > 0
                         : op == Op::kGreaterEqual ? order >= 0
                         : op == Op::kEqual        ? order == 0
                                                   : order != 0;
    if (!is_true) return false;
    left = right;
  }
  return true;
}

}  // namespace ki::problem
