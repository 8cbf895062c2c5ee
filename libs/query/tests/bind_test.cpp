#include "ki/query/bind.h"

#include "ki/query/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ki::query {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// gemm: a [m, k] · b [n, k] → c [m, n], with n = k = 4096.
struct Gemm {
  std::vector<std::string_view> a = {"m", "k"};
  std::vector<std::string_view> b = {"n", "k"};
  std::vector<std::string_view> c = {"m", "n"};
  std::vector<OperationAxis> axes = {{.name = "m"},
                                     {.name = "k", .role = AxisRole::kConstant, .value = 4096},
                                     {.name = "n", .role = AxisRole::kConstant, .value = 4096}};
  std::vector<OperationTensor> tensors = {{"a", a}, {"b", b}, {"c", c}};
  OperationFacts facts{.axes = axes, .tensors = tensors};
};

TEST(Bind, AShapeWithOneMeaningIsBoundToIt) {
  const Gemm gemm;
  Intent intent = parse_query("[3000, 4096]");
  EXPECT_TRUE(bind(intent, gemm.facts).empty()) << "a and c both mean m = 3000";
  ASSERT_TRUE(intent.shape->is_bound);
  ASSERT_EQ(intent.shape->readings.size(), 2U);
  EXPECT_EQ(intent.shape->readings[0].tensor, "a");
  EXPECT_THAT(intent.shape->readings[0].axes, ElementsAre(AxisBinding{"m", 3000}));
}

TEST(Bind, AShapeWithSeveralMeaningsNamesThem) {
  const Gemm gemm;
  Intent intent = parse_query("[4096, 4096]");
  const auto issues = bind(intent, gemm.facts);
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].code, "AMBIGUOUS_SHAPE");
  EXPECT_EQ(issues[0].severity, Severity::kNotice);
  EXPECT_EQ(issues[0].token, "[4096, 4096]");
  EXPECT_THAT(issues[0].message, HasSubstr("'a' (m=4096), 'b' (always), 'c' (m=4096)"));
}

TEST(Bind, ABoundAxisDecidesWhichTensorIsMeant) {
  const Gemm gemm;
  Intent intent = parse_query("[4096, 4096] M=1");
  EXPECT_TRUE(bind(intent, gemm.facts).empty());
  ASSERT_EQ(intent.shape->readings.size(), 1U);
  EXPECT_EQ(intent.shape->readings[0].tensor, "b");
}

TEST(Bind, RefusesNamesThatTheOperationLacks) {
  const Gemm gemm;
  Intent intent = parse_query("N=4096 tokens=5 A=[1,4096] weigth=[2]");
  const auto issues = bind(intent, gemm.facts);
  ASSERT_EQ(issues.size(), 2U);
  EXPECT_EQ(issues[0].code, "UNKNOWN_TENSOR");
  EXPECT_EQ(issues[0].token, "weigth=[2]");
  EXPECT_EQ(issues[1].code, "UNKNOWN_AXIS");
  EXPECT_EQ(issues[1].token, "tokens=5");
  EXPECT_THAT(issues[1].message, HasSubstr("m, k, n"));
  EXPECT_EQ(issues[1].severity, Severity::kRefused);
}

TEST(Bind, HintsAtTheClosestName) {
  const std::vector<OperationAxis> axes = {{.name = "hidden_size"}, {.name = "seq_len"}};
  Intent intent = parse_query("hiden_size=7");
  const auto issues = bind(intent, {.axes = axes, .tensors = {}});
  ASSERT_EQ(issues.size(), 1U);
  EXPECT_EQ(issues[0].hint, "hidden_size");
}

TEST(Bind, SaysWhenNoTensorCanHaveTheShape) {
  const Gemm gemm;
  for (const std::string_view query : {"[4095, 4095]", "[4096]", "[1, 4096] m=2"}) {
    SCOPED_TRACE(query);
    Intent intent = parse_query(query);
    const auto issues = bind(intent, gemm.facts);
    ASSERT_EQ(issues.size(), 1U);
    EXPECT_EQ(issues[0].code, "SHAPE_FITS_NO_TENSOR");
  }
}

TEST(Bind, RepeatedAndLiteralDimensionsMustAgree) {
  const std::vector<std::string_view> dims = {"n", "n", "3"};
  const std::vector<OperationTensor> tensors = {{"x", dims}};
  const OperationFacts facts{.axes = {}, .tensors = tensors};
  const std::vector<std::int64_t> square = {5, 5, 3};
  const std::vector<std::int64_t> oblong = {5, 6, 3};
  const std::vector<std::int64_t> other = {5, 5, 4};
  EXPECT_EQ(read_shape(square, {}, facts).size(), 1U);
  EXPECT_TRUE(read_shape(oblong, {}, facts).empty());
  EXPECT_TRUE(read_shape(other, {}, facts).empty());
}

}  // namespace
}  // namespace ki::query
