#include "../src/plot.h"

#include "ki/web/html.h"
#include "page_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace ki::web::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Ge;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::SizeIs;

std::string in_page(const Html& part) {
  return "<!doctype html><html lang=\"en\"><head><title>t</title></head><body><main><h1>a</h1>" +
         part.view() + "</main></body></html>";
}

TEST(Ticks, OfALogarithmicAxisAreRoundAndAtMostSeven) {
  EXPECT_THAT(log_ticks(1, 100), ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_THAT(log_ticks(1, 1e6), SizeIs(7));
  for (const auto& [low, high] : std::initializer_list<std::pair<double, double>>{
           {3, 4}, {1, 1}, {1e-9, 1e12}, {999, 1001}, {0.5, 7e3}}) {
    const auto ticks = log_ticks(low, high);
    EXPECT_THAT(ticks, SizeIs(AllOf(Ge(1U), Le(7U)))) << low << " " << high;
    EXPECT_THAT(ticks, Each(AllOf(Ge(low * 0.999), Le(high * 1.001)))) << low << " " << high;
  }
  EXPECT_THAT(log_ticks(0, 5), IsEmpty()) << "zero has no place on it";
}

TEST(Ticks, OfALinearAxisBeginAtZero) {
  EXPECT_THAT(linear_ticks(10), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(linear_ticks(0), ElementsAre(0));
  EXPECT_THAT(linear_ticks(1234), SizeIs(Le(7U)));
}

TEST(Plots, AreWellFormedAndNamed) {
  Html h;
  const std::array<PlotSeries, 2> series = {
      {{"a <b>", {{1, 10}, {10, 20}, {100, 90}}}, {"c", {{1, 11}, {100, 80}}}}};
  sweep_plot(h, {.id = "s", .title = "t & u", .x_label = "m", .y_unit = "ns", .series = series});
  const std::array<StepPoint, 3> steps = {{{0, 100}, {86'400'000, 80, true}, {200'000'000, 70}}};
  staircase_plot(h,
                 {.id = "h", .title = "t", .unit = "ns", .steps = steps, .until_ms = 300'000'000});
  const std::array<double, 5> values = {1, 1, 2, 4, 900};
  strip_plot(h, {.id = "d", .title = "t", .unit = "ns", .values = values, .marked = 1});
  const std::array<IntervalLine, 2> lines = {{{"a", 10, std::pair(9.0, 12.0)}, {"b", 20}}};
  interval_plot(h, {.id = "i", .title = "t", .unit = "ns", .lines = lines});
  spark(h, values);
  EXPECT_THAT(page_faults(in_page(h)), IsEmpty());
}

TEST(Plots, DrawNothingOfWhatTheirAxesCannotHold) {
  Html h;
  const std::array<PlotSeries, 1> zero = {{{"a", {{0, 10}, {10, 20}}}}};
  sweep_plot(h, {.id = "s", .title = "t", .x_label = "m", .y_unit = "ns", .series = zero});
  staircase_plot(h, {.id = "h", .title = "t", .unit = "ns", .steps = {}});
  const std::array<double, 2> two = {1, 2};
  strip_plot(h, {.id = "d", .title = "t", .unit = "ns", .values = two});
  interval_plot(h, {.id = "i", .title = "t", .unit = "ns", .lines = {}});
  spark(h, std::span(two).first(1));
  EXPECT_THAT(h.view(), IsEmpty());
}

TEST(Plots, OfOneInstantAndOneValueStayInsideThePicture) {
  Html h;
  const std::array<StepPoint, 1> steps = {{{5, 100}}};
  staircase_plot(h, {.id = "h", .title = "t", .unit = "ns", .steps = steps, .until_ms = 5});
  EXPECT_THAT(page_faults(in_page(h)), IsEmpty());
  EXPECT_EQ(h.view().find("nan"), std::string::npos);
  EXPECT_EQ(h.view().find("—"), std::string::npos);
}

}  // namespace
}  // namespace ki::web::testing
