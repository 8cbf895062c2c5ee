#include "ki/judge/inputs.h"

#include "ki/judge/random.h"
#include "ki/stats/philox.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace ki::judge {
namespace {

using problem::Argument;
using problem::ResolvedArgument;

ResolvedArgument tensor(std::vector<std::int64_t> shape, Dtype dtype = Dtype::kF32) {
  ResolvedArgument out;
  out.name = "x";
  out.dtype = dtype;
  out.elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  out.bytes =
      dtype == Dtype::kF4E2m1x2 ? out.elements / 2 : out.elements * problem::byte_size(dtype);
  out.shape = std::move(shape);
  return out;
}

std::vector<double> drawn(const ResolvedArgument& a, Distribution distribution, std::uint64_t key,
                          Family family = Family::kBase, std::uint64_t base = 0) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(a.bytes));
  fill_input(a, distribution, family, key, base, bytes);
  std::vector<double> out(static_cast<std::size_t>(a.elements));
  decode(a.dtype, bytes, out);
  return out;
}

double mean(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0) / static_cast<double>(x.size());
}
double deviation(const std::vector<double>& x) {
  const double m = mean(x);
  double sum = 0;
  for (const double v : x) sum += (v - m) * (v - m);
  return std::sqrt(sum / static_cast<double>(x.size()));
}

TEST(Stream, IsAFunctionOfKeyAndPosition) {
  const Stream stream(0x0123456789abcdefULL);
  std::vector<std::uint32_t> whole(5000), part(777);
  stream.words(0, whole);
  stream.words(1000, part);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 1000));
  const auto block = stats::philox4x32_10({3, 0, 0, 0}, {0x89abcdef, 0x01234567});
  EXPECT_TRUE(std::equal(block.begin(), block.end(), whole.begin() + 12));
  std::vector<double> all(5000), some(777);
  stream.normal(0, all);
  stream.normal(1000, some);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 1000));
}

TEST(Stream, DrawsNormalNumbersThatAgreeWithTheirDefinition) {
  const Stream stream(99);
  std::vector<double> normal(200000), uniform(200000);
  stream.normal(0, normal);
  stream.uniform(0, uniform);
  EXPECT_NEAR(mean(normal), 0, 0.01);
  EXPECT_NEAR(deviation(normal), 1, 0.01);
  const auto beyond =
      std::ranges::count_if(normal, [](double x) { return std::abs(x) > 1.959964; });
  EXPECT_NEAR(static_cast<double>(beyond) / 200000, 0.05, 0.003);
  for (std::size_t i = 0; i < 20000; i += 2) {
    const double radius = std::sqrt(-2 * std::log(uniform[i]));
    const double angle = 2 * std::numbers::pi * uniform[i + 1];
    ASSERT_NEAR(normal[i], radius * std::cos(angle), 1e-13);
    ASSERT_NEAR(normal[i + 1], radius * std::sin(angle), 1e-13);
  }
  EXPECT_GT(*std::ranges::min_element(uniform), 0);
  EXPECT_LT(*std::ranges::max_element(uniform), 1);
}

TEST(Stream, KeepsItsBitsForEver) {
  std::array<double, 4> normal{};
  Stream(1).normal(0, normal);
  std::string text;
  for (const double x : normal) text += fmt::format("{:a} ", x);
  EXPECT_EQ(
      text,
      "0x1.8587c522ced06p-2 -0x1.2f637896251b5p-2 -0x1.fe6e17d4792fep-3 -0x1.00fb7a67278c7p+0 ");
}

TEST(Permutation, VisitsEveryIndexOnce) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t i = 0; i < 4096; ++i) seen.insert(permute(77, 12, i));
  EXPECT_EQ(seen.size(), 4096U);
  EXPECT_EQ(*seen.rbegin(), 4095U);
  std::size_t fixed = 0;
  for (std::uint32_t i = 0; i < 4096; ++i) fixed += permute(77, 12, i) == i ? 1 : 0;
  EXPECT_LT(fixed, 20U);
}

TEST(RunKey, IsCommittedToBeforeItIsShown) {
  const RunKey key = RunKey::of_seed(200);
  // printf public200 | sha256sum, and of those bytes again.
  EXPECT_EQ(key.hex(), Digest::of("public200").hex());
  EXPECT_EQ(key.commitment(), Digest::of(key.view()));
  EXPECT_EQ(RunKey::parse(key.hex())->hex(), key.hex());
  EXPECT_FALSE(RunKey::parse("00"));
}

TEST(StreamKey, DiffersInEveryPart) {
  const RunKey key = RunKey::of_seed(1);
  std::set<std::uint64_t> keys;
  for (const RunKey& run : {key, RunKey::of_seed(2)}) {
    for (const char* workload : {"a", "b", "a0"}) {
      for (const Phase phase :
           {Phase::kPublic, Phase::kHidden, Phase::kWarmup, Phase::kTimed, Phase::kRecheck}) {
        for (const std::uint64_t round : {0U, 1U, 10U}) {
          for (const char* name : {"x", "y", "0x"})
            keys.insert(stream_key(run, workload, phase, round, name));
        }
      }
    }
  }
  EXPECT_EQ(keys.size(), 2U * 3 * 5 * 3 * 3);
}

TEST(Distribution, FollowsNameTypeAndDescription) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> shape;
    Distribution distribution;
    const char* description = "";
    Dtype dtype = Dtype::kF32;
    const char* op_type = "";
  };
  using enum Distribution;
  for (const auto& [name, shape, distribution, description, dtype, op_type] :
       std::vector<Case>{{"norm_weight", {8}, kOnes},
                         {"rmsnorm_weight", {8}, kOnes},
                         {"norm1_weight", {8}, kOnes},
                         {"input_layernorm_weight", {8}, kOnes},
                         {"norm_weights", {8, 8}, kWeight},
                         {"normal_weight", {8}, kDefault},
                         {"norm_bias", {8}, kZeros},
                         {"q_norm2_bias", {8}, kZeros},
                         {"norma_bias", {8}, kDefault},
                         {"weight", {8}, kDefault},
                         {"weight", {4, 8}, kWeight},
                         {"weight2", {4, 8}, kWeight},
                         {"weights", {4, 8}, kDefault},
                         {"up_projs3", {4, 8}, kWeight},
                         {"q_proj_weight", {4, 8}, kWeight},
                         {"proj_weight_matrix", {4, 8}, kWeight},
                         {"attention_mask", {4, 4}, kCausalMask},
                         {"attention_mask", {4, 8}, kBinaryMask},
                         {"causal_mask", {2, 4, 4}, kCausalMask},
                         {"m", {4, 4}, kCausalMask, "Causal attention mask"},
                         {"k_mask", {4}, kDefault},
                         {"k_mask", {4}, kBinaryMask, "1.0 for valid"},
                         {"drop_mask", {4}, kBinaryMask},
                         {"cos", {4}, kCos},
                         {"cosine", {4}, kDefault},
                         {"rope_sin", {4}, kSin},
                         {"rstd", {4}, kPositive},
                         {"rstd1", {4}, kPositive},
                         {"x_var", {4}, kPositive},
                         {"variant", {4}, kDefault},
                         {"A_cumsum", {4}, kDecaySum},
                         {"A_log", {4}, kLogDecay},
                         {"A_log2", {4}, kDefault},
                         {"A", {4}, kDecay},
                         {"g", {4}, kGate},
                         {"attn_weights", {4, 4}, kSoftmax},
                         {"p", {4}, kSoftmax, "output of the softmax"},
                         {"probs", {4}, kSoftmax, "", Dtype::kF32, "sampling"},
                         {"probs", {4}, kDefault},
                         {"cos", {4}, kDefault, "", Dtype::kF8E4m3fn},
                         {"norm_weight", {4}, kDefault, "", Dtype::kI32},
                         {"x", {4}, kDefault}}) {
    Argument argument;
    argument.name = name;
    argument.description = description;
    argument.dtype = dtype;
    EXPECT_EQ(distribution_of(argument, tensor(shape, dtype), op_type), distribution)
        << name << " " << shape.size() << "-D " << description;
  }
}

TEST(Inputs, HaveTheRangeAndMomentsOfTheirDistribution) {
  using enum Distribution;
  const auto a = tensor({500, 80});
  for (const auto& [distribution, low, high, m] :
       std::initializer_list<std::tuple<Distribution, double, double, double>>{
           {kOnes, 1, 1, 1},
           {kZeros, 0, 0, 0},
           {kBinaryMask, 0, 1, 0.5},
           {kCos, -1, 1, 0.606},
           {kSin, -1, 1, 0},
           {kPositive, 0.1, 7, 0.898},
           {kLogDecay, -5, -1, -3},
           {kDecay, -1, -0.001, -0.5005},
           {kGate, -5, 0, -2.5}}) {
    SCOPED_TRACE(static_cast<int>(distribution));
    const auto x = drawn(a, distribution, 3);
    EXPECT_GE(*std::ranges::min_element(x), low - 1e-6);
    EXPECT_LE(*std::ranges::max_element(x), high + 1e-6);
    EXPECT_NEAR(mean(x), m, 0.02);
  }
  EXPECT_NEAR(deviation(drawn(a, kWeight, 3)), 1 / std::sqrt(80.0), 0.002);
  const auto softmax = drawn(a, kSoftmax, 3);
  for (std::size_t row = 0; row < 500; ++row) {
    EXPECT_NEAR(std::accumulate(softmax.begin() + static_cast<std::ptrdiff_t>(row * 80),
                                softmax.begin() + static_cast<std::ptrdiff_t>(row * 80 + 80), 0.0),
                1, 1e-5);
  }
  const auto sum = drawn(a, kDecaySum, 3);
  EXPECT_LT(sum[79], sum[0]);
  EXPECT_NEAR(sum[79], -4, 1.2);
  EXPECT_GT(sum[80], -0.1001);
  const auto mask = drawn(tensor({2, 3, 3}), kCausalMask, 3);
  const double low = -3.4028234663852886e38;
  EXPECT_EQ(mask, (std::vector<double>{0, low, low, 0, 0, low, 0, 0, 0, 0, low, low, 0, 0, low, 0,
                                       0, 0}));
}

TEST(Inputs, OfIntegersCoverTheirRange) {
  for (const auto& [dtype, low, high] :
       std::initializer_list<std::tuple<Dtype, double, double>>{{Dtype::kI8, -128, 127},
                                                                {Dtype::kI16, -1024, 1023},
                                                                {Dtype::kI32, -1024, 1023},
                                                                {Dtype::kI64, -1024, 1023},
                                                                {Dtype::kBool, 0, 1}}) {
    const auto x = drawn(tensor({100000}, dtype), Distribution::kDefault, 4);
    EXPECT_EQ(*std::ranges::min_element(x), low);
    EXPECT_EQ(*std::ranges::max_element(x), high);
  }
  for (const Dtype dtype : {Dtype::kF8E4m3fn, Dtype::kF8E5m2}) {
    const auto x = drawn(tensor({10000}, dtype), Distribution::kDefault, 4);
    EXPECT_EQ(*std::ranges::max_element(x), 2);
  }
  const auto fp4 = drawn(tensor({100, 100}, Dtype::kF4E2m1x2), Distribution::kDefault, 4);
  EXPECT_EQ(std::set<double>(fp4.begin(), fp4.end()).size(), 13U)
      << "0, .5, 1, 1.5, 2, 3, 4 and signs";
}

TEST(Inputs, AreTheSameForOneKeyAndDifferForAnother) {
  for (const Dtype dtype : problem::kDtypes) {
    const auto a = tensor({64, 66}, dtype);
    EXPECT_EQ(drawn(a, Distribution::kDefault, 5), drawn(a, Distribution::kDefault, 5));
    EXPECT_NE(drawn(a, Distribution::kDefault, 5), drawn(a, Distribution::kDefault, 6));
  }
}

TEST(Families, ChangeSymmetricDistributionsAsNamed) {
  const auto a = tensor({50, 100});
  const auto of = [&](Family family) { return drawn(a, Distribution::kDefault, 5, family, 9); };
  const auto base = of(Family::kBase);
  const auto large = of(Family::kLarge);
  for (std::size_t i = 0; i < base.size(); ++i) ASSERT_EQ(large[i], 8 * base[i]);
  EXPECT_NEAR(deviation(of(Family::kSmall)), 0.125, 0.01);
  const auto zeros = std::ranges::count(of(Family::kSparse), 0.0);
  EXPECT_NEAR(static_cast<double>(zeros) / 5000, 31.0 / 32, 0.01);
  const auto rows = of(Family::kConstantRows);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], base[i / 100 * 100]);
  EXPECT_EQ(of(Family::kAllEqual), std::vector<double>(5000, base[0]));
  const auto tile = of(Family::kLastTile);
  const auto other = drawn(a, Distribution::kDefault, 9);
  EXPECT_TRUE(std::equal(tile.begin(), tile.end() - 64, other.begin()));
  for (std::size_t i = 5000 - 64; i < 5000; ++i) ASSERT_EQ(tile[i], base[i]);
  EXPECT_EQ(drawn(a, Distribution::kPositive, 5, Family::kLarge),
            drawn(a, Distribution::kPositive, 5));
  EXPECT_EQ(drawn(tensor({3}), Distribution::kDefault, 5, Family::kLastTile, 9),
            drawn(tensor({3}), Distribution::kDefault, 5));
}

TEST(Pool, GivesEachCallOtherContentOfTheSameDistribution) {
  const auto a = tensor({3, 1024, 1000});
  const Pool pool(a, Distribution::kDefault, 11);
  std::vector<std::byte> bytes(static_cast<std::size_t>(a.bytes)), other(bytes.size());
  pool.gather(1, bytes);
  pool.gather(2, other);
  EXPECT_NE(bytes, other);
  std::vector<std::byte> again(bytes.size());
  pool.gather(1, again);
  EXPECT_EQ(bytes, again);
  std::vector<double> x(static_cast<std::size_t>(a.elements));
  decode(a.dtype, bytes, x);
  EXPECT_NEAR(mean(x), 0, 0.01);
  EXPECT_NEAR(deviation(x), 1, 0.01);
}

TEST(Pool, ComplementsIntegersInsideTheirRange) {
  const auto a = tensor({4 << 20}, Dtype::kI32);
  std::vector<std::byte> bytes(static_cast<std::size_t>(a.bytes));
  Pool(a, Distribution::kDefault, 11).gather(1, bytes);
  std::vector<double> x(static_cast<std::size_t>(a.elements));
  decode(a.dtype, bytes, x);
  EXPECT_EQ(*std::ranges::min_element(x), -1024);
  EXPECT_EQ(*std::ranges::max_element(x), 1023);
}

}  // namespace
}  // namespace ki::judge
