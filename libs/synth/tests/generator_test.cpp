#include "ki/synth/generator.h"

#include "ki/base/text.h"
#include "ki/digest/sha256.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace ki::synth {
namespace {

struct Made {
  Counts counts;
  std::string text;
};
Made make(std::uint64_t runs, std::uint64_t seed) {
  Made made;
  const auto counts =
      generate({.runs = runs, .seed = seed}, [&](std::string_view lines) -> Result<void> {
        made.text += lines;
        return {};
      });
  EXPECT_TRUE(counts);
  made.counts = *counts;
  return made;
}

TEST(Generator, TheSameOptionsGiveTheSameBytes) {
  EXPECT_EQ(make(300, 5).text, make(300, 5).text);
  EXPECT_NE(make(300, 5).text, make(300, 6).text);
}

TEST(Generator, BytesDoNotDependOnTheMachine) {
  EXPECT_EQ(Digest::of(make(500, 1).text).hex().substr(0, 16), "92c54bd6865e39f7");
}

TEST(Generator, MakesExactlyAsManyRunsAsAsked) {
  for (const std::uint64_t runs : {1U, 2U, 17U, 1000U}) EXPECT_EQ(make(runs, 3).counts.runs, runs);
}

TEST(Generator, CountsWhatItWrites) {
  const Made made = make(1000, 2);
  std::map<std::string, std::uint64_t> lines;
  for (const std::string_view line : split(made.text, '\n')) {
    if (line.empty()) continue;
    const std::string_view rest = line.substr(std::string_view("{\"table\":\"").size());
    ++lines[std::string(rest.substr(0, rest.find('"')))];
  }
  EXPECT_EQ(made.text.size(), made.counts.bytes);
  EXPECT_EQ(lines["projects"], made.counts.projects);
  EXPECT_EQ(lines["operations"], made.counts.operations);
  EXPECT_EQ(lines["workloads"], made.counts.workloads);
  EXPECT_EQ(lines["implementations"], made.counts.implementations);
  EXPECT_EQ(lines["benchmark_runs"], made.counts.runs);
  EXPECT_EQ(lines["measurements"], made.counts.measurements);
  EXPECT_EQ(lines["record_events"], made.counts.record_events);
}

// Proportions of the public export (README.md), within 15 %.
TEST(Generator, KeepsTheExportsProportions) {
  const Counts c = make(20'000, 1).counts;
  const auto per_run = [&](std::uint64_t count) {
    return static_cast<double>(count) / static_cast<double>(c.runs);
  };
  const auto expect_near = [&](double got, double real) { EXPECT_NEAR(got / real, 1.0, 0.15); };
  expect_near(per_run(c.bytes), 5990);
  expect_near(per_run(c.operations), 449.0 / 7857);
  expect_near(per_run(c.workloads), 5627.0 / 7857);
  expect_near(per_run(c.implementations), 4250.0 / 7857);
  expect_near(per_run(c.projects), 615.0 / 7857);
  expect_near(per_run(c.measurements), 13'853.0 / 7857);
  expect_near(per_run(c.eligible_runs), 7771.0 / 7857);
}

TEST(Generator, StopsWhenTheSinkFails) {
  const auto counts = generate({.runs = 2000, .seed = 1}, [](std::string_view) -> Result<void> {
    return fail(Code::kUnavailable, "the disk is full");
  });
  ASSERT_FALSE(counts);
  EXPECT_EQ(counts.error().message(), "the disk is full");
}

}  // namespace
}  // namespace ki::synth
