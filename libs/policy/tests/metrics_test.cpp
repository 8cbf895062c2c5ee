#include "ki/policy/metrics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ki::policy {
namespace {

TEST(Metrics, HaveADirectionOrNone) {
  struct Case {
    const char* metric;
    const char* unit;
    std::optional<Direction> direction;
  };
  using enum Direction;
  for (const auto& [metric, unit, direction] : std::initializer_list<Case>{
           {"latency", "ns", kLowerIsBetter},
           {"latency", "us", kLowerIsBetter},
           {"score", "s", kLowerIsBetter},
           {"throughput", "ops/s", kHigherIsBetter},
           {"throughput", "TFLOP/s", kHigherIsBetter},
           {"output_token_throughput_tps", "tokens_s", kHigherIsBetter},
           {"score", "points", {}},
           {"latency", "ops/s", {}},
           {"beauty", "s", {}},
           {"none", "", {}},
       }) {
    const Metric* found = find_metric(metric, unit);
    ASSERT_EQ(found != nullptr, direction.has_value()) << metric << " in " << unit;
    if (found != nullptr) {
      EXPECT_EQ(found->direction, direction) << metric << " in " << unit;
    }
  }
}

TEST(Metrics, ConvertInsideOneFamily) {
  struct Case {
    double value;
    const char* from;
    const char* to;
    double expected;
  };
  for (const auto& [value, from, to, expected] : {
           Case{7810, "ns", "us", 7.81},
           Case{7.81, "us", "ns", 7810},
           Case{7810, "ns", "µs", 7.81},
           Case{1, "MiB/s", "KiB/s", 1024},
           Case{1, "MB/s", "kB/s", 1000},
           Case{8, "Mb/s", "MB/s", 1},
           Case{1, "GiB", "B", 1073741824},
           Case{1, "ops/ns", "ops/s", 1e9},
           Case{1, "kWh", "J", 3.6e6},
           Case{12.5, "percent", "ratio", 0.125},
           Case{1.5, "TFLOP/s", "GFLOP/s", 1500},
       }) {
    const auto converted = convert(value, from, to);
    ASSERT_TRUE(converted) << from << " to " << to;
    EXPECT_EQ(*converted, expected) << value << " " << from << " to " << to;
  }
}

TEST(Metrics, RefuseWhatCannotBeConverted) {
  const auto rate = convert(1, "ns", "ops/s");
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().code(), Code::kInvalidArgument);
  EXPECT_TRUE(rate.error().message().contains("measure different things"));
  const auto unknown = convert(1, "nss", "s");
  ASSERT_FALSE(unknown);
  EXPECT_TRUE(unknown.error().message().contains("did you mean")) << unknown.error().message();
}

TEST(Metrics, ConvertThereAndBack) {
  for (const char* from : {"ns", "us", "ms", "s", "min", "h"}) {
    for (const char* to : {"ns", "us", "ms", "s", "min", "h"}) {
      for (const double value : {1.0, 3.0, 7810.0, 0.1, 123456789.0}) {
        EXPECT_NEAR(*convert(*convert(value, from, to), to, from), value, value * 1e-15)
            << from << " " << to;
      }
    }
  }
}

TEST(Metrics, AreListedOnce) {
  for (const Metric& metric : metrics()) {
    int same = 0;
    for (const Metric& other : metrics())
      same += other.name == metric.name && other.family == metric.family;
    EXPECT_EQ(same, 1) << metric.name;
  }
}

TEST(ServingDirection, KnowsTheNineMetrics) {
  EXPECT_EQ(serving_direction("ttft_ms"), Direction::kLowerIsBetter);
  EXPECT_EQ(serving_direction("goodput"), Direction::kHigherIsBetter);
  EXPECT_EQ(serving_direction("latency"), std::nullopt);
}

}  // namespace
}  // namespace ki::policy
