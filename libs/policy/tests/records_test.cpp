#include "ki/policy/records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ki::policy {
namespace {

std::string shown(std::span<const RecordRun> runs, std::span<const RecordEvent> events) {
  std::string text;
  for (const auto& [run, previous] : events) {
    text +=
        std::string(runs[run].id) + "<" + (previous ? std::string(runs[*previous].id) : "-") + " ";
  }
  return text;
}

TEST(RecordEventsV1, AreTheStrictImprovementsInOrderOfObservation) {
  std::vector<RecordRun> runs{{"a", 10, Instant{1}}, {"b", 10, Instant{2}}, {"c", 9, Instant{2}},
                              {"d", 11, Instant{3}}, {"e", 8, Instant{3}},  {"f", 8, Instant{4}}};
  do {
    ASSERT_EQ(shown(runs, record_events_v1(runs)), "a<- c<a e<c ");
    ASSERT_EQ(runs[*find_leader(runs)].id, "e") << "of equal values the one observed first";
  } while (std::ranges::next_permutation(runs, {}, &RecordRun::id).found);
  EXPECT_TRUE(record_events_v1({}).empty());
  EXPECT_EQ(find_leader({}), std::nullopt);
}

TEST(FindLeader, IsTheRunOfTheLastEvent) {
  std::mt19937_64 random(36);
  const std::vector<std::string> ids{"a", "b", "c", "d", "e", "f", "g"};
  for (int i = 0; i < 5000; ++i) {
    std::vector<RecordRun> runs;
    for (std::size_t n = 0; n < 1 + random() % 7; ++n) {
      runs.push_back({ids[n], static_cast<double>(random() % 4),
                      Instant{static_cast<std::int64_t>(random() % 3)}});
    }
    std::ranges::shuffle(runs, random);
    ASSERT_EQ(find_leader(runs), record_events_v1(runs).back().run);
  }
}

Leader leader(std::string id, double value, std::int64_t observed) {
  return {.run_id = std::move(id), .value = value, .observed_at = Instant{observed}};
}

TEST(LeaderChange, IsWrittenOnlyWhenTheLeaderChanges) {
  const Instant now{1000};
  struct Case {
    const char* why;
    std::optional<Leader> previous;
    std::optional<Leader> current;
    LeaderTrigger trigger;
    const char* cause;  // empty: no change
    std::int64_t at;
  };
  using enum LeaderTrigger;
  for (const auto& [why, previous, current, trigger, cause, at] : std::initializer_list<Case>{
           {"first run", {}, leader("a", 5, 10), kPublication, "new_run", 10},
           {"better and later", leader("a", 5, 10), leader("b", 4, 20), kPublication, "new_run",
            20},
           {"better and observed before the leader", leader("a", 5, 10), leader("b", 4, 7),
            kPublication, "late_observation", 7},
           {"a run that was not the leader is retracted", leader("a", 5, 10), leader("a", 5, 10),
            kRetraction, "", 0},
           {"the leader is retracted", leader("a", 5, 10), leader("b", 6, 4), kRetraction,
            "retraction", 1000},
           {"the last run is retracted", leader("a", 5, 10), {}, kRetraction, "retraction", 1000},
           {"the leader is superseded", leader("a", 5, 10), leader("b", 6, 20), kSupersession,
            "supersession", 1000},
           {"a policy chooses another", leader("a", 5, 10), leader("b", 6, 20), kPolicyChange,
            "policy_change", 1000},
           {"nothing before and after", {}, {}, kRetraction, "", 0},
       }) {
    SCOPED_TRACE(why);
    const auto change = leader_change(previous, current, trigger, now);
    ASSERT_EQ(change.has_value(), *cause != '\0');
    if (!change) continue;
    EXPECT_EQ(to_string(change->cause), cause);
    EXPECT_EQ(parse_leader_cause(cause), change->cause);
    EXPECT_EQ(change->at, Instant{at});
    EXPECT_EQ(change->indexed_at, now);
    EXPECT_EQ(change->leader, current);
    EXPECT_EQ(change->previous, previous);
  }
}

TEST(LeaderChanges, OfAPublicationFollowEachOther) {
  const std::vector<RecordRun> runs{
      {"c", 3, Instant{30}}, {"x", 9, Instant{5}}, {"b", 4, Instant{20}}};
  const auto changes = leader_changes_of_publication(leader("a", 5, 25), runs, Instant{100});
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].leader->run_id, "b");
  EXPECT_EQ(changes[0].cause, LeaderCause::kLateObservation);
  EXPECT_EQ(changes[1].leader->run_id, "c");
  EXPECT_EQ(changes[1].previous->run_id, "b");
  EXPECT_EQ(changes[1].cause, LeaderCause::kNewRun);
  EXPECT_TRUE(leader_changes_of_publication(leader("a", 3, 25), runs, Instant{100}).empty())
      << "equal is no change";
}

TEST(LeaderChanges, EndAtTheLeaderOfAllRuns) {
  std::mt19937_64 random(37);
  const std::vector<std::string> ids{"a", "b", "c", "d", "e", "f"};
  for (int i = 0; i < 5000; ++i) {
    std::vector<RecordRun> runs;
    std::optional<Leader> standing;
    for (std::size_t n = 0; n < ids.size(); ++n) {
      const std::vector<RecordRun> published{
          {ids[n], static_cast<double>(random() % 50) + static_cast<double>(n) / 10,
           Instant{static_cast<std::int64_t>(random() % 9)}}};
      runs.push_back(published[0]);
      for (const auto& change : leader_changes_of_publication(standing, published, Instant{99})) {
        ASSERT_EQ(change.previous, standing);
        standing = change.leader;
      }
      ASSERT_EQ(standing->run_id, runs[*find_leader(runs)].id);
    }
  }
}

std::string kinds(const std::vector<BreakStep>& steps, std::optional<double> floor = std::nullopt) {
  std::string text;
  for (const JudgedStep& step : judge_breaks(steps, floor))
    text += std::string(to_string(step.kind)) + " ";
  return text;
}

TEST(Breaks, AreOfAnotherProjectAndBigEnough) {
  struct Case {
    const char* why;
    std::vector<BreakStep> steps;
    const char* kinds;
  };
  for (const auto& [why, steps, expected] : std::initializer_list<Case>{
           {"none", {}, ""},
           {"the first is no break", {{"p", 100}}, "first "},
           {"half a percent is one", {{"p", 200}, {"q", 199}}, "first break "},
           {"less is a tie", {{"p", 200}, {"q", 199.1}}, "first tie "},
           {"beating oneself is none", {{"p", 100}, {"p", 50}}, "first own "},
           {"small steps add up against the standing record",
            {{"p", 1000}, {"q", 997}, {"r", 994}, {"p", 993}},
            "first tie break tie "},
           {"a tie does not become a record by its own re-run",
            {{"p", 1000}, {"q", 998}, {"q", 990}},
            "first tie break "},
       }) {
    EXPECT_EQ(kinds(steps), expected) << why;
  }
}

TEST(Breaks, TakeTheNoiseFloorWhereItIsKnown) {
  const std::vector<BreakStep> steps{{"p", 1000}, {"q", 990}};
  EXPECT_EQ(kinds(steps, 0.02), "first tie ");
  EXPECT_EQ(kinds(steps, 0.001), "first break ");
  const auto judged = judge_breaks(steps);
  EXPECT_EQ(judged[1].standing, 0u);
  EXPECT_DOUBLE_EQ(judged[1].improvement, 0.01);
}

}  // namespace
}  // namespace ki::policy
