// Every fixture has exactly the status and reason that it states, under both verdicts.
#include "ki/base/text.h"
#include "ki/io/file.h"
#include "run_world.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

namespace ki::harness {
namespace {

namespace fs = std::filesystem;
using problem::Status;

const fs::path kFixtures = fs::path(KI_SOURCE_DIR) / "tests" / "hostile" / "fixtures";

struct Fixture {
  std::string source;
  std::map<std::string, std::string> says;  // "strict": "INCORRECT_NUMERICAL nan", ...

  std::string text(const std::string& name) const {
    const auto found = says.find(name);
    return found == says.end() ? std::string() : found->second;
  }
};

Fixture read_fixture(const fs::path& file) {
  Fixture out;
  out.source = io::read_file(file).value();
  for (const std::string_view line : split(out.source, '\n')) {
    if (!line.starts_with("// ")) break;
    const std::size_t colon = line.find(": ");
    if (colon != line.npos)
      out.says[std::string(line.substr(3, colon - 3))] = line.substr(colon + 2);
  }
  return out;
}

std::vector<std::string> fixture_names() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(kFixtures)) {
    if (entry.path().extension() == ".c") out.push_back(entry.path().stem());
  }
  std::ranges::sort(out);
  return out;
}

std::string said(const Verdict& verdict) {
  std::string out(problem::to_string(verdict.status));
  if (!verdict.reason.empty()) out += " " + verdict.reason;
  return out;
}

// One verdict; several, divided by " | ", where a race decides which of the defences answers first.
std::vector<std::string> stated(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string_view one : split(text, '|')) out.emplace_back(trim(one));
  return out;
}

class Hostile : public testing::TestWithParam<std::string> {};

TEST_P(Hostile, HasTheVerdictsThatItStates) {
  std::string why;
  const sandbox::Host* host = shared_host(why);
  if (host == nullptr) GTEST_SKIP() << "skipped: no sandbox here: " << why;
  const Fixture fixture = read_fixture(kFixtures / (GetParam() + ".c"));
  SCOPED_TRACE(fixture.text("trick"));
  ASSERT_EQ(fixture.text("id"), GetParam());
  const auto where = split(fixture.says.at("problem"), ' ');
  const problem::Problem problem = load(std::string(where[0]));
  std::vector<std::string> flags;
  if (const std::string wanted = fixture.text("cflags"); !wanted.empty()) flags.push_back(wanted);
  const std::string threads = fixture.text("threads");
  const std::string deadline = fixture.text("deadline_ms");
  problem::Solution solution =
      solution_of(problem, fixture.source, flags, threads.empty() ? 1 : std::stoi(threads));
  solution.sources.push_back({"hostile.h", io::read_file(kFixtures / "hostile.h").value()});

  const auto result = run_solution(
      *host, problem, solution,
      {.cases = {std::string(where[1])},
       .seed = 11,
       .processes = 2,
       .deadline = std::chrono::milliseconds(deadline.empty() ? 5000 : std::stoi(deadline))});
  ASSERT_TRUE(result) << result.error().to_string();
  const CaseResult& one = result->cases.front();
  if (one.strict.reason == "timing_failed")
    GTEST_SKIP() << "skipped: this machine is too busy to time anything: " << one.strict.detail;
  EXPECT_THAT(stated(fixture.text("strict")), testing::Contains(said(one.strict)))
      << one.strict.detail << "\n"
      << result->build.log.substr(0, 500);
  EXPECT_THAT(stated(fixture.text("compatible")),
              testing::Contains(std::string(problem::to_string(one.compatible.status))))
      << one.compatible.detail;
  if (const std::string flag = fixture.text("flag"); !flag.empty()) {
    EXPECT_THAT(one.flags, testing::Contains(flag));
  }
  // No advantage: only a passed case has a time, and each of its samples is of checked calls.
  EXPECT_EQ(one.timing.has_value(), one.strict.status == Status::kPassed);
  if (one.timing) {
    const auto timed = std::ranges::count(one.calls, judge::Phase::kTimed, &CallFact::phase);
    EXPECT_EQ(static_cast<std::size_t>(timed), one.samples.size() * one.timing->calls_a_sample);
    EXPECT_TRUE(std::ranges::all_of(
        one.calls, [](const CallFact& call) { return call.reason == judge::Reason::kNone; }));
  }
}

INSTANTIATE_TEST_SUITE_P(Corpus, Hostile, testing::ValuesIn(fixture_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ki::harness
