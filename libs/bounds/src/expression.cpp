#include "ki/bounds/expression.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::bounds {
namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr int kMaxDepth = 64;

bool starts_name(char c) { return ki::is_ascii_alpha(c) || c == '_'; }

}  // namespace

class BoundParser {
 public:
  explicit BoundParser(Expression& out) : out_(out), text_(out.text_) {}

  Result<void> run() {
    KI_TRY_VOID(sum(0));
    skip();
    if (at_ < text_.size()) return unexpected();
    return {};
  }

 private:
  using Op = Expression::Op;

  void skip() {
    while (at_ < text_.size() && is_ascii_space(text_[at_])) ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  std::unexpected<Error> refuse(std::string_view what) const {
    return fail(Code::kInvalidArgument,
                fmt::format("{} column {}: {}", quote(text_), at_ + 1, what));
  }
  std::unexpected<Error> unexpected() const {
    if (at_ >= text_.size()) return refuse("the expression ends early");
    if (text_[at_] == '/') return refuse("only the exact division '//' is allowed");
    return refuse(fmt::format("{} is not expected here", quote(text_.substr(at_, 1))));
  }

  Result<void> sum(int depth) {
    KI_TRY_VOID(product(depth));
    for (;;) {
      const Op op = take("+") ? Op::kAdd : take("-") ? Op::kSubtract : Op::kInteger;
      if (op == Op::kInteger) return {};
      KI_TRY_VOID(product(depth));
      out_.steps_.push_back({op});
    }
  }
  Result<void> product(int depth) {
    KI_TRY_VOID(atom(depth));
    for (;;) {
      skip();
      if (text_.substr(at_, 2) == "**") return refuse("powers are not allowed");
      const Op op = take("//") ? Op::kDivide : take("*") ? Op::kMultiply : Op::kInteger;
      if (op == Op::kInteger) return {};
      KI_TRY_VOID(atom(depth));
      out_.steps_.push_back({op});
    }
  }
  Result<void> atom(int depth) {
    if (depth > kMaxDepth) return refuse("nested too deeply");
    if (take("-")) {
      KI_TRY_VOID(atom(depth + 1));
      out_.steps_.push_back({Op::kNegate});
      return {};
    }
    if (take("(")) {
      KI_TRY_VOID(sum(depth + 1));
      if (!take(")")) return at_ < text_.size() ? unexpected() : refuse("a ')' is missing");
      return {};
    }
    skip();
    if (at_ < text_.size() && is_ascii_digit(text_[at_])) return integer();
    if (at_ < text_.size() && starts_name(text_[at_])) return name();
    return unexpected();
  }
  Result<void> integer() {
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_ascii_digit(text_[at_]); ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) ||
          __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        return refuse("the integer does not fit into 64 bits");
      }
    }
    if (at_ < text_.size() && (starts_name(text_[at_]) || text_[at_] == '.')) return unexpected();
    out_.steps_.push_back({Op::kInteger, value});
    return {};
  }
  Result<void> name() {
    const std::size_t from = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || is_ascii_digit(text_[at_]))) ++at_;
    const std::string word(text_.substr(from, at_ - from));
    auto& names = out_.names_;
    const auto found = std::find(names.begin(), names.end(), word);
    out_.steps_.push_back({Op::kName, found - names.begin()});
    if (found == names.end()) names.push_back(word);
    return {};
  }

  Expression& out_;
  std::string_view text_;
  std::size_t at_ = 0;
};

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > kMaxBytes) {
    return fail(Code::kInvalidArgument,
                fmt::format("the expression has {} bytes; at most {}", text.size(), kMaxBytes));
  }
  Expression expression;
  expression.text_ = text;
  KI_TRY_VOID(BoundParser(expression).run());
  return expression;
}

Result<std::int64_t> Expression::evaluate(std::span<const AxisValue> axes) const {
  const auto refuse = [&](std::string_view what) {
    return fail(Code::kInvalidArgument, fmt::format("{}: {}", quote(text_), what));
  };
  std::vector<std::int64_t> values;
  values.reserve(names_.size());
  for (const std::string& name : names_) {
    const auto found = std::ranges::find(axes, name, &AxisValue::name);
    if (found == axes.end()) {
      std::vector<std::string_view> known;
      for (const AxisValue& axis : axes) known.push_back(axis.name);
      const auto near = did_you_mean(name, known);
      return refuse(fmt::format("unknown axis {}{}", quote(name),
                                near ? fmt::format("; did you mean '{}'?", *near) : ""));
    }
    values.push_back(found->value);
  }
  std::vector<std::int64_t> stack;
  const auto pop = [&] {
    const std::int64_t top = stack.back();
    stack.pop_back();
    return top;
  };
  for (const Step& step : steps_) {
    switch (step.op) {
      case Op::kInteger:
        stack.push_back(step.operand);
        continue;
      case Op::kName:
        stack.push_back(values[static_cast<std::size_t>(step.operand)]);
        continue;
      case Op::kNegate:
        if (__builtin_sub_overflow(std::int64_t{0}, stack.back(), &stack.back()))
          return refuse("overflows 64 bits");
        continue;
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
        break;
    }
    const std::int64_t b = pop();
    std::int64_t& a = stack.back();
    bool overflows = false;
    if (step.op == Op::kAdd) {
      overflows = __builtin_add_overflow(a, b, &a);
    } else if (step.op == Op::kSubtract) {
      overflows = __builtin_sub_overflow(a, b, &a);
    } else if (step.op == Op::kMultiply) {
      overflows = __builtin_mul_overflow(a, b, &a);
    } else {
      if (b == 0) return refuse("divides by zero");
      if (b == -1) {
        overflows = __builtin_sub_overflow(std::int64_t{0}, a, &a);
      } else {
        if (a % b != 0) return refuse(fmt::format("{} // {} is not exact", a, b));
        a /= b;
      }
    }
    if (overflows) return refuse("overflows 64 bits");
  }
  if (stack.back() < 0) return refuse(fmt::format("is {}, which is negative", stack.back()));
  return stack.back();
}

}  // namespace ki::bounds
