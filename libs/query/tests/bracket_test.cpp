#include "ki/query/bracket.h"

#include "ki/query/parse.h"

#include <gtest/gtest.h>

#include <deque>

namespace ki::query {
namespace {

// Cases with one tensor x, kept alive for their views.
class Cases {
 public:
  Cases& add(std::vector<AxisFacts> axes, std::vector<std::int64_t> shape,
             std::string_view dtype = "bf16", std::size_t runs = 1, bool is_suite = false) {
    Row& row = rows_.emplace_back();
    row.axes = std::move(axes);
    row.shape = std::move(shape);
    row.dtypes = {dtype};
    row.tensors = {{.name = "x", .shape = row.shape, .dtype = dtype, .layout = {}}};
    cases_.push_back({.facts = {.is_suite = is_suite,
                                .axes = row.axes,
                                .tensors = row.tensors,
                                .dtypes = row.dtypes,
                                .layouts = {}},
                      .runs = runs});
    return *this;
  }
  std::optional<Bracket> operator()(std::string_view query,
                                    const OperationFacts* operation = nullptr) const {
    return bracket(parse_query(query), cases_, operation);
  }

 private:
  struct Row {
    std::vector<AxisFacts> axes;
    std::vector<std::int64_t> shape;
    std::vector<std::string_view> dtypes;
    std::vector<TensorFacts> tensors;
  };
  std::deque<Row> rows_;
  std::vector<BracketCase> cases_;
};

using Side = std::optional<BracketSide>;

TEST(Bracket, BothSidesAgreeInEveryOtherAxis) {
  Cases cases;
  cases.add({{"m", 100}, {"n", 1}}, {100, 1})
      .add({{"m", 290}, {"n", 2}}, {290, 2})  // closer, but alone on its side
      .add({{"m", 310}, {"n", 1}}, {310, 1})
      .add({{"m", 400}, {"n", 3}}, {400, 3});
  const auto found = cases("m=300");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, "m");
  EXPECT_EQ(found->below, Side({0, 100}));
  EXPECT_EQ(found->above, Side({2, 310}));
}

TEST(Bracket, BothSidesAgreeInTheirDtypes) {
  Cases cases;
  cases.add({{"m", 1}}, {1}, "bf16").add({{"m", 3}}, {3}, "fp16").add({{"m", 9}}, {9}, "bf16");
  EXPECT_EQ(cases("m=2")->above, Side({2, 9}));
  EXPECT_EQ(cases("m=2 dtype:fp16")->above, Side({1, 3}));
  EXPECT_EQ(cases("m=2 dtype:fp16")->below, Side());
  EXPECT_FALSE(cases("m=2 dtype:fp32"));
}

TEST(Bracket, OfSeveralPairsTheClosestIsTaken) {
  Cases cases;
  cases.add({{"m", 10}, {"n", 1}}, {10, 1})
      .add({{"m", 50}, {"n", 1}}, {50, 1})
      .add({{"m", 20}, {"n", 2}}, {20, 2})
      .add({{"m", 40}, {"n", 2}}, {40, 2});
  const auto found = cases("M=30");
  EXPECT_EQ(found->below, Side({2, 20}));
  EXPECT_EQ(found->above, Side({3, 40}));
  EXPECT_EQ(found->token, "M=30");
}

TEST(Bracket, DerivedAxesMayDiffer) {
  Cases cases;
  cases.add({{"k", 128}, {"k_blocks", 1}}, {128}).add({{"k", 512}, {"k_blocks", 4}}, {512});
  const std::vector<OperationAxis> axes = {{.name = "k"},
                                           {.name = "k_blocks", .role = AxisRole::kDerived}};
  const OperationFacts operation{.axes = axes, .tensors = {}};
  const auto found = cases("k=256", &operation);
  EXPECT_EQ(found->below, Side({0, 128}));
  EXPECT_EQ(found->above, Side({1, 512}));
  const auto blind = cases("k=256");
  EXPECT_TRUE(blind->below.has_value() != blind->above.has_value()) << "it cannot be told";
}

TEST(Bracket, TheSymbolicShapeNamesTheAxis) {
  Cases cases;
  cases.add({{"tokens", 4096}, {"hidden", 4096}}, {4096, 4096})
      .add({{"tokens", 4096}, {"hidden", 8192}}, {4096, 8192});
  const std::vector<std::string_view> dims = {"tokens", "hidden"};
  const std::vector<OperationTensor> tensors = {{"x", dims}};
  const std::vector<OperationAxis> axes = {{.name = "tokens"}, {.name = "hidden"}};
  const OperationFacts operation{.axes = axes, .tensors = tensors};
  for (const std::string_view query : {"[4096, 6000]", "x=[4096, 6000]"}) {
    SCOPED_TRACE(query);
    const auto found = cases(query, &operation);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->axis, "hidden");
    EXPECT_EQ(found->requested, 6000);
    EXPECT_EQ(found->below, Side({0, 4096}));
    EXPECT_EQ(found->above, Side({1, 8192}));
    EXPECT_EQ(found->token, query);
    const std::string whole = std::string("op:a ").append(query);
    EXPECT_EQ(bracket_query(whole, parse_query(whole), *found, *found->above), "op:a hidden=8192");
  }
}

TEST(Bracket, ADimensionWithoutANameIsNumbered) {
  Cases cases;
  cases.add({{"t", 7}}, {2, 100}).add({{"t", 7}}, {2, 400});
  const auto found = cases("gemm [2,300] B200");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, "dim 1");
  EXPECT_EQ(found->dimension, 1U);
  EXPECT_EQ(found->below, Side({0, 100}));
  EXPECT_EQ(found->above, Side({1, 400}));
  constexpr std::string_view kQuery = "gemm [2,300] B200";
  EXPECT_EQ(bracket_query(kQuery, parse_query(kQuery), *found, *found->below),
            "gemm B200 shape:[2,100]");
}

TEST(Bracket, NothingWithoutANeighbourOrANeed) {
  Cases cases;
  cases.add({{"m", 1}, {"n", 1}}, {1, 1}).add({{"m", 4}, {"n", 4}}, {4, 4});
  EXPECT_FALSE(cases("gemm")) << "no case is bound";
  EXPECT_FALSE(cases("m=1")) << "it is measured";
  EXPECT_FALSE(cases("m=2 n=2")) << "every case differs twice";
  EXPECT_FALSE(cases("m=2 x=1")) << "no case has the axis";
  EXPECT_TRUE(cases("m=2 n=1"));
}

TEST(Bracket, CasesWithoutRunsAndSuitesAreNotLookedAt) {
  Cases cases;
  cases.add({{"m", 1}}, {1})
      .add({{"m", 3}}, {3}, "bf16", 0)
      .add({{"m", 5}}, {5}, "bf16", 1, true)
      .add({{"m", 8}}, {8});
  EXPECT_EQ(cases("m=4")->below, Side({0, 1}));
  EXPECT_EQ(cases("m=4")->above, Side({3, 8}));
}

}  // namespace
}  // namespace ki::query
