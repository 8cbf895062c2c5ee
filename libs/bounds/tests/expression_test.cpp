#include "ki/bounds/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace ki::bounds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::array kAxes = {AxisValue{"m", 6}, AxisValue{"n", 4}, AxisValue{"huge", INT64_MAX},
                          AxisValue{"seq_len", 9}};

TEST(Expression, IsEvaluatedInCheckedIntegers) {
  struct Row {
    const char* text;
    std::int64_t value;
    const char* why;
  };
  for (const auto& [text, value, why] : {
           Row{"2*m*n", 48, "a product"},
           Row{"m + n*2", 14, "products bind tighter"},
           Row{"(m + n)*2", 20, "parentheses"},
           Row{"m - n - 1", 1, "left associative"},
           Row{"m*n // 8", 3, "an exact division"},
           Row{"12 // n // 3", 1, "divisions from the left"},
           Row{"m - -n", 10, "a sign"},
           Row{" seq_len\n", 9, "white space around"},
           Row{"9223372036854775807", INT64_MAX, "the largest integer"},
           Row{"huge - huge", 0, "at the limit without passing it"},
           Row{"-6 // -1 ", 6, "a division by -1"},
       }) {
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed) << why << parsed.error().to_string();
    const auto got = parsed->evaluate(kAxes);
    ASSERT_TRUE(got) << why << got.error().to_string();
    EXPECT_EQ(*got, value) << why;
  }
}

TEST(Expression, RefusesWhatItDoesNotKnowWithThePlace) {
  struct Row {
    const char* text;
    const char* says;
  };
  for (const auto& [text, says] : {
           Row{"", "column 1: the expression ends early"},
           Row{"m *", "ends early"},
           Row{"m / 2", "column 3: only the exact division '//' is allowed"},
           Row{"m ** 2", "powers"},
           Row{"(m", "')' is missing"},
           Row{"m)", "column 2"},
           Row{"m n", "column 3"},
           Row{"1.5", "column 2"},
           Row{"2m", "column 2"},
           Row{"9223372036854775808", "64 bits"},
           Row{"m % 2", "column 3"},
           Row{"max(m, n)", "column 4"},
       }) {
    const auto parsed = Expression::parse(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().message(), HasSubstr(says)) << text;
  }
  EXPECT_FALSE(Expression::parse(std::string(5000, '1')));
  EXPECT_FALSE(Expression::parse(std::string(100, '(') + "1" + std::string(100, ')')));
}

TEST(Expression, RefusesValuesThatAreNotWhatIsCounted) {
  struct Row {
    const char* text;
    const char* says;
  };
  for (const auto& [text, says] : {
           Row{"m // n", "6 // 4 is not exact"},
           Row{"m // (n - 4)", "divides by zero"},
           Row{"huge + 1", "overflows"},
           Row{"huge * 2", "overflows"},
           Row{"-huge - 2", "overflows"},
           Row{"(-huge - 1) // -1", "overflows"},
           Row{"n - m", "negative"},
           Row{"seq_lne", "unknown axis 'seq_lne'; did you mean 'seq_len'?"},
           Row{"zzz", "unknown axis"},
       }) {
    const auto parsed = Expression::parse(text);
    ASSERT_TRUE(parsed) << text;
    const auto got = parsed->evaluate(kAxes);
    ASSERT_FALSE(got) << text;
    EXPECT_THAT(got.error().message(), HasSubstr(says)) << text;
  }
}

TEST(Expression, NamesItsAxesOnceInTextOrder) {
  EXPECT_THAT(Expression::parse("n*m + n*k")->names(), ElementsAre("n", "m", "k"));
}

}  // namespace
}  // namespace ki::bounds
