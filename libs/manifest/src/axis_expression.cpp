#include "ki/manifest/axis_expression.h"

#include "ki/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace ki::manifest {
namespace {

constexpr std::int64_t kMaxInteger = 9007199254740991;  // 2^53 − 1

bool is_name_start(char c) { return is_ascii_lower(c) || c == '_'; }
bool is_name_part(char c) { return is_name_start(c) || is_ascii_digit(c); }
bool is_in_range(std::int64_t x) { return x >= -kMaxInteger && x <= kMaxInteger; }

}  // namespace

// Operator precedence with stacks of its own, so that parentheses cost no process stack.
class AxisParser {
 public:
  explicit AxisParser(std::string_view text) : text_(text) {}

  Result<AxisExpression> run() {
    for (;;) {
      // An operand is due.
      skip_spaces();
      if (at_ == text_.size()) return unexpected("an integer, an axis name or '('");
      const char c = text_[at_];
      if (c == '(') {
        operators_.push_back('(');
        ++at_;
        continue;
      }
      if (is_ascii_digit(c)) {
        KI_TRY_VOID(read_integer());
      } else if (is_name_start(c)) {
        read_name();
      } else {
        return unexpected("an integer, an axis name or '('");
      }
      // An operator, ')' or the end is due.
      for (;;) {
        skip_spaces();
        if (at_ == text_.size()) {
          while (!operators_.empty()) {
            if (operators_.back() == '(') return unexpected("')'");
            apply();
          }
          return std::move(out_);
        }
        if (text_[at_] != ')') break;
        while (!operators_.empty() && operators_.back() != '(') apply();
        if (operators_.empty()) return unexpected("an operator");
        operators_.pop_back();
        ++at_;
      }
      const char op = text_[at_];
      const bool is_floor = text_.substr(at_).starts_with("//");
      if (op != '+' && op != '-' && op != '*' && op != '%' && !is_floor)
        return unexpected("an operator");
      while (!operators_.empty() && operators_.back() != '(' &&
             binds(operators_.back()) >= binds(op)) {
        apply();
      }
      operators_.push_back(op);
      at_ += is_floor ? 2 : 1;
    }
  }

 private:
  static int binds(char op) { return op == '+' || op == '-' ? 1 : 2; }

  void skip_spaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  std::unexpected<Error> unexpected(std::string_view expected) const {
    const std::string found = at_ == text_.size() ? std::string("the end")
                              : text_[at_] == '/' ? std::string("'/' (division is '//')")
                                                  : quote(text_.substr(at_, 1));
    return fail(Code::kInvalidArgument,
                fmt::format("the expression {} has {} at character {}; expected {}", quote(text_),
                            found, at_ + 1, expected));
  }

  Result<void> read_integer() {
    std::int64_t value = 0;
    for (; at_ < text_.size() && is_ascii_digit(text_[at_]); ++at_) {
      value = value * 10 + (text_[at_] - '0');
      if (!is_in_range(value)) {
        return fail(Code::kInvalidArgument,
                    fmt::format("the expression {} has an integer beyond 2^53−1", quote(text_)));
      }
    }
    out_.steps_.push_back({AxisExpression::Op::kPush, value});
    return {};
  }

  void read_name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    auto found = std::ranges::find(out_.names_, name);
    const auto index = found - out_.names_.begin();
    if (found == out_.names_.end()) out_.names_.emplace_back(name);
    out_.steps_.push_back({AxisExpression::Op::kName, index});
  }

  void apply() {
    using Op = AxisExpression::Op;
    const char op = operators_.back();
    operators_.pop_back();
    out_.steps_.push_back({op == '+'   ? Op::kAdd
                           : op == '-' ? Op::kSubtract
                           : op == '*' ? Op::kMultiply
                           : op == '/' ? Op::kDivide
                                       : Op::kModulo,
                           0});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  AxisExpression out_;
  std::vector<char> operators_;
};

Result<AxisExpression> AxisExpression::parse(std::string_view text) {
  return AxisParser(text).run();
}

Result<std::int64_t> AxisExpression::evaluate(const Lookup& lookup) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::kPush) {
      stack.push_back(step.operand);
      continue;
    }
    if (step.op == Op::kName) {
      const std::string& name = names_[static_cast<std::size_t>(step.operand)];
      const auto value = lookup(name);
      if (!value)
        return fail(Code::kInvalidArgument, fmt::format("the axis {} has no value", quote(name)));
      stack.push_back(*value);
      continue;
    }
    const std::int64_t b = stack.back();
    stack.pop_back();
    std::int64_t& a = stack.back();
    bool is_exact = true;
    switch (step.op) {
      case Op::kAdd:
        is_exact = !__builtin_add_overflow(a, b, &a);
        break;
      case Op::kSubtract:
        is_exact = !__builtin_sub_overflow(a, b, &a);
        break;
      case Op::kMultiply:
        is_exact = !__builtin_mul_overflow(a, b, &a);
        break;
      case Op::kDivide:
      case Op::kModulo: {
        if (b == 0) return fail(Code::kInvalidArgument, "the expression divides by zero");
        std::int64_t quotient = a / b;
        if (a % b != 0 && (a < 0) != (b < 0)) --quotient;
        a = step.op == Op::kDivide ? quotient : a - quotient * b;
        break;
      }
      case Op::kPush:
      case Op::kName:
        break;
    }
    if (!is_exact || !is_in_range(a))
      return fail(Code::kInvalidArgument, "the expression goes beyond ±(2^53−1)");
  }
  return stack.back();
}

Result<std::vector<AxisBinding>> bind_axes(const json::Value& axes,
                                           std::span<const AxisBinding> given) {
  std::map<std::string, std::int64_t, std::less<>> values;
  for (const AxisBinding& one : given) values.insert_or_assign(one.name, one.value);
  std::vector<std::pair<std::string, AxisExpression>> open;
  for (const json::Member& axis : axes.members()) {
    if (values.contains(axis.key)) continue;
    const json::Value* role = axis.value.find("role");
    const json::Value* value = axis.value.find("value");
    const json::Value* expression = axis.value.find("expression");
    if (role == nullptr || !role->is_string()) continue;
    if (role->string() == "constant" && value != nullptr && value->integer()) {
      values.emplace(axis.key, *value->integer());
    } else if (role->string() == "derived" && expression != nullptr && expression->is_string()) {
      auto parsed = AxisExpression::parse(expression->string());
      if (!parsed) {
        return fail(std::move(parsed).error().within(fmt::format("axis {}", quote(axis.key))));
      }
      open.emplace_back(axis.key, *std::move(parsed));
    }
  }
  const AxisExpression::Lookup lookup = [&](std::string_view name) -> std::optional<std::int64_t> {
    const auto found = values.find(name);
    if (found == values.end()) return std::nullopt;
    return found->second;
  };
  // Each round computes what has all its names; a round without progress ends it.
  while (!open.empty()) {
    const auto is_ready = [&](const auto& axis) {
      return std::ranges::all_of(axis.second.names(),
                                 [&](const std::string& name) { return values.contains(name); });
    };
    const auto ready = std::ranges::find_if(open, is_ready);
    if (ready == open.end()) {
      const auto& [name, expression] = open.front();
      const auto missing = std::ranges::find_if(
          expression.names(), [&](const std::string& one) { return !values.contains(one); });
      return fail(Code::kInvalidArgument,
                  fmt::format("axis {} cannot be computed: axis {} has no value", quote(name),
                              quote(*missing)));
    }
    auto value = ready->second.evaluate(lookup);
    if (!value) {
      return fail(std::move(value).error().within(fmt::format("axis {}", quote(ready->first))));
    }
    values.emplace(ready->first, *value);
    open.erase(ready);
  }
  std::vector<AxisBinding> bound;
  bound.reserve(values.size());
  for (const auto& [name, value] : values) bound.push_back({name, value});
  return bound;
}

}  // namespace ki::manifest
