#include "ki/harness/oracle.h"

#include "ki/judge/inputs.h"
#include "ki/judge/strict.h"
#include "ki/problem/directory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <set>

namespace ki::harness {
namespace {

namespace fs = std::filesystem;

const fs::path kProblems = fs::path(KI_SOURCE_DIR) / "problems";

TEST(Oracles, AnswerForEveryShippedDefinitionAndForNothingElse) {
  std::set<std::string> shipped;
  for (const auto& entry : fs::directory_iterator(kProblems)) {
    const auto problem = problem::load_problem(entry.path(), problem::Mode::kStrict);
    ASSERT_TRUE(problem) << problem.error().to_string();
    const Oracle* oracle = find_oracle(problem->definition.digest);
    ASSERT_NE(oracle, nullptr) << problem->definition.name << " has the digest "
                               << problem->definition.digest.to_string();
    EXPECT_EQ(oracle->problem, problem->definition.name);
    shipped.insert(problem->definition.name);
    const bool is_custom = !problem->definition.custom_inputs_entrypoint.empty();
    EXPECT_EQ(oracle->draw != nullptr, is_custom) << "custom inputs are drawn by the oracle";
  }
  for (const Oracle& oracle : oracles())
    EXPECT_TRUE(shipped.contains(std::string(oracle.problem))) << oracle.problem;
  EXPECT_EQ(find_oracle(Digest::of("another")), nullptr);
}

// Inputs of one case, small enough to compute twice.
struct Sample {
  std::vector<problem::AxisValue> axes;
  std::vector<problem::ResolvedArgument> inputs, outputs;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::span<const std::byte>> data;
};

Sample draw(const problem::Problem& p, const std::vector<problem::AxisValue>& axes,
            const Oracle& oracle) {
  Sample s;
  s.axes = problem::resolve_axes(p.definition, axes).value();
  s.inputs = problem::resolve_arguments(p.definition.inputs, s.axes).value();
  s.outputs = problem::resolve_arguments(p.definition.outputs, s.axes).value();
  std::vector<std::span<std::byte>> rooms;
  for (const auto& input : s.inputs) s.bytes.emplace_back(static_cast<std::size_t>(input.bytes));
  for (auto& room : s.bytes) rooms.push_back(room);
  const judge::RunKey key = judge::RunKey::of_seed(1);
  if (oracle.draw != nullptr) {
    oracle.draw(s.axes, s.inputs, judge::stream_key(key, "w", judge::Phase::kPublic, 0, ""), rooms);
  } else {
    for (std::size_t i = 0; i < s.inputs.size(); ++i) {
      const std::uint64_t stream =
          judge::stream_key(key, "w", judge::Phase::kPublic, 0, s.inputs[i].name);
      if (s.inputs[i].is_scalar) {
        judge::fill_scalar(s.inputs[i].dtype, stream, rooms[i]);
      } else {
        const auto distribution =
            judge::distribution_of(p.definition.inputs[i], s.inputs[i], p.definition.op_type);
        judge::fill_input(s.inputs[i], distribution, judge::Family::kBase, stream, stream,
                          rooms[i]);
      }
    }
  }
  for (auto& room : s.bytes) s.data.emplace_back(room);
  return s;
}

TEST(Oracles, AgreeWithThemselvesInTheirOwnTypesOnHeldOutSizes) {
  for (const Oracle& oracle : oracles()) {
    SCOPED_TRACE(std::string(oracle.problem));
    const auto p =
        problem::load_problem(kProblems / fs::path(oracle.problem), problem::Mode::kStrict);
    ASSERT_TRUE(p);
    const auto held_out = problem::held_out_axes(p->folder);
    ASSERT_TRUE(held_out);
    for (const auto& axes : *held_out) {
      const Sample s = draw(*p, axes, oracle);
      const auto outputs = oracle.compute({s.axes, s.inputs, s.outputs, s.data});
      ASSERT_TRUE(outputs) << outputs.error().to_string();
      ASSERT_EQ(outputs->size(), s.outputs.size());
      for (std::size_t i = 0; i < outputs->size(); ++i) {
        const OracleOutput& out = (*outputs)[i];
        EXPECT_EQ(static_cast<std::int64_t>(out.native.size()), s.outputs[i].bytes);
        const auto verdict = judge::compare_strict({s.outputs[i].dtype,
                                                    s.outputs[i].shape,
                                                    out.native,
                                                    out.native,
                                                    out.exact,
                                                    {},
                                                    p->workloads.front().tolerance});
        EXPECT_TRUE(verdict.is_passed())
            << judge::to_string(verdict.reason) << " " << verdict.max_absolute_error;
        EXPECT_FALSE(verdict.is_precision_downgrade);
      }
    }
  }
}

OracleCall call_of(const Sample& s) { return {s.axes, s.inputs, s.outputs, s.data}; }

// A case by hand: axes and inputs as numbers.
std::vector<double> answer(const char* name, const std::vector<problem::AxisValue>& axes,
                           const std::vector<std::vector<double>>& inputs) {
  const auto p = problem::load_problem(kProblems / name, problem::Mode::kStrict);
  const Oracle* oracle = find_oracle(p->definition.digest);
  Sample s;
  s.axes = problem::resolve_axes(p->definition, axes).value();
  s.inputs = problem::resolve_arguments(p->definition.inputs, s.axes).value();
  s.outputs = problem::resolve_arguments(p->definition.outputs, s.axes).value();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    s.bytes.emplace_back(static_cast<std::size_t>(s.inputs[i].bytes));
    judge::encode(
        s.inputs[i].is_scalar ? problem::scalar_type(s.inputs[i].dtype) : s.inputs[i].dtype,
        inputs[i], s.bytes.back());
  }
  for (auto& bytes : s.bytes) s.data.emplace_back(bytes);
  return oracle->compute(call_of(s)).value().front().exact;
}

TEST(Oracles, GiveAnswersThatWereWorkedOutByHand) {
  using Numbers = std::vector<double>;
  constexpr double kInf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(answer("vec_add", {{"n", 3}}, {{1, 2, 3}, {10, 20, 30}}), (Numbers{11, 22, 33}));
  EXPECT_EQ(answer("gemm", {{"m", 2}, {"n", 1}, {"k", 3}}, {{1, 2, 3, 4, 5, 6}, {1, 10, 100}}),
            (Numbers{321, 654}));
  EXPECT_EQ(answer("gemv", {{"m", 2}, {"k", 3}}, {{1, 2, 3, 4, 5, 6}, {1, 10, 100}}),
            (Numbers{321, 654}));
  EXPECT_EQ(answer("int8_dot", {{"m", 1}, {"n", 2}, {"k", 2}}, {{-128, 127}, {-128, 1, 2, 3}}),
            (Numbers{16511, 125}));
  EXPECT_EQ(answer("transpose", {{"m", 2}, {"n", 3}}, {{1, 2, 3, 4, 5, 6}}),
            (Numbers{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(answer("sum_reduce", {{"rows", 2}, {"columns", 3}}, {{1, 2, 3, 4, 5, 6}}),
            (Numbers{6, 15}));
  EXPECT_EQ(answer("scan", {{"rows", 2}, {"columns", 3}}, {{1, 2, 3, 4, 5, 6}}),
            (Numbers{1, 3, 6, 4, 9, 15}));
  EXPECT_EQ(answer("argmax", {{"rows", 2}, {"columns", 3}}, {{1, 7, 7, 9, 2, 9}}), (Numbers{1, 0}));
  EXPECT_EQ(answer("embedding_gather", {{"rows", 3}, {"dim", 2}, {"count", 3}},
                   {{1, 2, 3, 4, 5, 6}, {2, 0, 2}}),
            (Numbers{5, 6, 1, 2, 5, 6}));
  EXPECT_EQ(
      answer("masked_scores", {{"queries", 1}, {"keys", 3}}, {{8, 16, 24}, {1, 0, 1}, {0.125}}),
      (Numbers{1, -kInf, 3}));
  const Numbers softmax =
      answer("softmax", {{"rows", 1}, {"columns", 2}}, {{1000, 1000 + std::log(3)}});
  EXPECT_NEAR(softmax[0], 0.25, 1e-5);  // log 3 was rounded to binary32 near 1000
  EXPECT_NEAR(softmax[0] + softmax[1], 1, 1e-15);
  const Numbers rms = answer("rmsnorm", {{"tokens", 1}, {"hidden", 2}}, {{3, 4}, {2, 1}});
  EXPECT_NEAR(rms[0], 6 / std::sqrt(12.5 + 1e-6), 1e-12);
  EXPECT_NEAR(rms[1], 4 / std::sqrt(12.5 + 1e-6), 1e-12);
  const Numbers layer =
      answer("layernorm", {{"tokens", 1}, {"hidden", 2}}, {{1, 3}, {2, 2}, {0.5, 0.5}});
  EXPECT_NEAR(layer[0], 0.5 - 2 / std::sqrt(1 + 1e-5), 1e-12);
  const Numbers gated = answer("swiglu", {{"n", 2}}, {{0, 2}, {5, 3}});
  EXPECT_EQ(gated[0], 0);
  EXPECT_NEAR(gated[1], 2 / (1 + std::exp(-2.0)) * 3, 1e-12);
  Numbers x(128), cosine(128, 0), sine(128, 1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  const Numbers turned = answer("rope", {{"tokens", 1}, {"heads", 1}}, {x, cosine, sine});
  EXPECT_EQ(turned[0], -64);
  EXPECT_EQ(turned[64], 0);
  EXPECT_EQ(turned[127], 63);
  const Numbers counts = answer("histogram", {{"n", 5}}, {{-100, -4, 0, 3.999, 4}});
  EXPECT_EQ(counts[0], 2);
  EXPECT_EQ(counts[32], 1);
  EXPECT_EQ(counts[63], 2);
}

TEST(Oracles, RefuseIdsOutsideTheTable) {
  const auto p = problem::load_problem(kProblems / "embedding_gather", problem::Mode::kStrict);
  const Oracle* oracle = find_oracle(p->definition.digest);
  Sample s = draw(*p, {{"rows", 3}, {"dim", 2}, {"count", 1}}, *oracle);
  const std::int64_t three = 3;
  std::memcpy(s.bytes[1].data(), &three, sizeof three);
  EXPECT_FALSE(oracle->compute(call_of(s)));
}

}  // namespace
}  // namespace ki::harness
