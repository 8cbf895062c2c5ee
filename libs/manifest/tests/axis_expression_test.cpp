#include "ki/manifest/axis_expression.h"

#include "ki/json/reader.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ki::manifest {
namespace {

using Values = std::map<std::string, std::int64_t, std::less<>>;

std::string evaluated(std::string_view text, const Values& values) {
  const auto expression = AxisExpression::parse(text);
  if (!expression) return expression.error().message();
  const auto value =
      expression->evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
        const auto found = values.find(name);
        if (found == values.end()) return std::nullopt;
        return found->second;
      });
  return value ? std::to_string(*value) : value.error().message();
}

TEST(AxisExpression, EvaluatesByItsGrammar) {
  struct Case {
    const char* text;
    std::int64_t value;
  };
  const Values values{{"a", 10}, {"b", 3}, {"n", -7}, {"k_1", 5}};
  for (const auto& [text, value] : std::initializer_list<Case>{
           {"7", 7},
           {"a + b*2", 16},
           {"(a+b)*2", 26},
           {"a // 3", 3},
           {"a % 3", 1},
           {"a - b - 1", 6},
           {"a // b // 2", 1},
           {"a * b // 4", 7},
           {"a // 4 * b", 6},
           {"a % 4 * b", 6},
           {"((((a))))", 10},
           {"  a+ k_1 ", 15},
           {"n // 2", -4},
           {"n % 2", 1},
           {"a // (b - 4)", -10},
           {"9007199254740991 - 1 + 1", 9007199254740991},
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(evaluated(text, values), std::to_string(value));
  }
}

TEST(AxisExpression, SaysWhereItStopsUnderstanding) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const auto& [text, message] : std::initializer_list<Case>{
           {"a / 2",
            "the expression 'a / 2' has '/' (division is '//') at character 3; expected "
            "an operator"},
           {"2*",
            "the expression '2*' has the end at character 3; expected an integer, an axis "
            "name or '('"},
           {"",
            "the expression '' has the end at character 1; expected an integer, an axis name "
            "or '('"},
           {"))((",
            "the expression '))((' has ')' at character 1; expected an integer, an axis "
            "name or '('"},
           {"(a", "the expression '(a' has the end at character 3; expected ')'"},
           {"a)", "the expression 'a)' has ')' at character 2; expected an operator"},
           {"a b", "the expression 'a b' has 'b' at character 3; expected an operator"},
           {"-a",
            "the expression '-a' has '-' at character 1; expected an integer, an axis name "
            "or '('"},
           {"a ++ b",
            "the expression 'a ++ b' has '+' at character 4; expected an integer, an "
            "axis name or '('"},
           {"9007199254740992", "the expression '9007199254740992' has an integer beyond 2^53−1"},
           {"()",
            "the expression '()' has ')' at character 2; expected an integer, an axis name "
            "or '('"},
       }) {
    SCOPED_TRACE(text);
    EXPECT_EQ(evaluated(text, {{"a", 1}, {"b", 2}}), message);
  }
}

TEST(AxisExpression, RefusesWhatHasNoValue) {
  EXPECT_EQ(evaluated("zz", {}), "the axis 'zz' has no value");
  EXPECT_EQ(evaluated("a // b", {{"a", 1}, {"b", 0}}), "the expression divides by zero");
  EXPECT_EQ(evaluated("a % b", {{"a", 1}, {"b", 0}}), "the expression divides by zero");
  const std::int64_t large = 9007199254740991;
  EXPECT_EQ(evaluated("a + 1", {{"a", large}}), "the expression goes beyond ±(2^53−1)");
  EXPECT_EQ(evaluated("a * a", {{"a", large}}), "the expression goes beyond ±(2^53−1)");
  EXPECT_EQ(evaluated("a * a * a * a", {{"a", large}}), "the expression goes beyond ±(2^53−1)");
}

TEST(AxisExpression, TakesDeepParenthesesWithoutStack) {
  const std::string text = std::string(100'000, '(') + "1" + std::string(100'000, ')');
  EXPECT_EQ(evaluated(text, {}), "1");
}

Result<std::vector<AxisBinding>> bound(std::string_view axes, std::vector<AxisBinding> given) {
  const auto document = json::read_document(axes).value();
  return bind_axes(document.root, given);
}

TEST(BindAxes, ComputesDerivedAxesInAnyOrder) {
  // `a` needs `b`, which is declared after it.
  const auto axes = bound(R"({
    "a": {"role": "derived", "type": "integer", "expression": "b * 2"},
    "b": {"role": "derived", "type": "integer", "expression": "n + c"},
    "c": {"role": "constant", "type": "integer", "value": 8},
    "n": {"role": "variable", "type": "integer"}})",
                          {{"n", 3}});
  ASSERT_TRUE(axes);
  EXPECT_EQ(*axes, (std::vector<AxisBinding>{{"a", 22}, {"b", 11}, {"c", 8}, {"n", 3}}));
}

TEST(BindAxes, KeepsWhatWasGiven) {
  const auto axes = bound(R"({
    "a": {"role": "derived", "type": "integer", "expression": "n * 2"},
    "n": {"role": "variable", "type": "integer"}})",
                          {{"a", 7}, {"n", 3}});
  ASSERT_TRUE(axes);
  EXPECT_EQ(*axes, (std::vector<AxisBinding>{{"a", 7}, {"n", 3}}));
}

TEST(BindAxes, NamesTheAxisThatCannotBeComputed) {
  const auto cycle = bound(R"({
    "a": {"role": "derived", "type": "integer", "expression": "b"},
    "b": {"role": "derived", "type": "integer", "expression": "a"}})",
                           {});
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().message(), "axis 'a' cannot be computed: axis 'b' has no value");
  const auto zero = bound(R"({
    "a": {"role": "derived", "type": "integer", "expression": "1 // n"}})",
                          {{"n", 0}});
  ASSERT_FALSE(zero);
  EXPECT_EQ(zero.error().to_string(), "axis 'a': the expression divides by zero");
}

}  // namespace
}  // namespace ki::manifest
