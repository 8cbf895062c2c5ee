#include "ki/policy/ranking.h"

#include "allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

namespace ki::policy {
namespace {

RankInput run(std::string_view id, double value, EvidenceLevel evidence = EvidenceLevel::kReported,
              std::int64_t observed = 0) {
  return {.value = value, .evidence = evidence, .observed_at = Instant{observed}, .id = id};
}
RankInput run(std::string_view id, double value, double low, double high) {
  return {.value = value, .has_interval = true, .low = low, .high = high, .id = id};
}

// "a1 b2 c2=".
std::string shown(std::span<const RankInput> runs, std::span<const Ranked> ranked) {
  std::string text;
  for (const Ranked& entry : ranked) {
    if (!text.empty()) text += ' ';
    text += runs[entry.index].id;
    text += std::to_string(entry.rank) + (entry.tied_with_previous ? "=" : "");
  }
  return text;
}
std::string ranks(const std::vector<RankInput>& runs, Profile profile = Profile::kStrictExact) {
  return shown(runs, rank_v1(runs, profile));
}

TEST(RankingV1, FollowsTheTable) {
  struct Case {
    const char* why;
    std::vector<RankInput> runs;
    Profile profile;
    const char* ranks;
  };
  const auto strict = Profile::kStrictExact;
  const auto native = Profile::kSourceNative;
  for (const auto& [why, runs, profile, expected] : std::initializer_list<Case>{
           {"no runs", {}, strict, ""},
           {"a run without an interval ties with nothing",
            {run("a", 100), run("b", 101, 95, 108)},
            strict,
            "a1 b2"},
           {"native: intervals don't count",
            {run("a", 100, 90, 130), run("b", 101, 95, 140)},
            native,
            "a1 b2"},
           {"native: equal values tie", {run("a", 100), run("b", 100)}, native, "a1 b1="},
           {"a chain ends where one member is not met",
            {run("a", 100, 98, 103), run("b", 103, 101, 106), run("c", 106, 104, 109)},
            strict,
            "a1 b1= c2"},
           {"touching counts", {run("a", 100, 99, 101), run("b", 102, 101, 103)}, strict, "a1 b1="},
           {"ranks are dense", {run("a", 1), run("b", 1), run("c", 2)}, strict, "a1 b1= c2"},
           {"zero and minus zero are equal", {run("a", 0.0), run("b", -0.0)}, strict, "a1 b1="},
           {"trust, then newest, then id inside a chain",
            {run("d", 1), run("c", 1), run("b", 1, EvidenceLevel::kReported, 5),
             run("a", 1, EvidenceLevel::kVerified)},
            strict,
            "a1 b1= c1= d1="},
           {"ids in byte order, not in that of a locale (F18)",
            {run("a", 1), run("B", 1), run("é", 1), run("z", 1)},
            strict,
            "B1 a1= z1= é1="},
       }) {
    EXPECT_EQ(ranks(runs, profile), expected) << why;
  }
}

TEST(RankingV1, DoesNotDependOnInputOrder) {
  // F26: X was #1 or #2 by the order of rows.
  const std::vector<std::vector<RankInput>> cohorts{
      {run("p", 99, 98, 100), run("x", 100, 99, 101), run("y", 100)},
      {run("a", 2, 1, 3), run("b", 3, 2.5, 4), run("c", 4, 3.5, 5)},
      {run("a", 1), run("b", 1), run("c", 1, 1, 1), run("d", 1, 0, 9), run("e", 2, 0, 9),
       run("f", 2)},
      {run("a", 5, EvidenceLevel::kReplicated, 1), run("b", 5, EvidenceLevel::kReported, 2),
       run("c", 5, EvidenceLevel::kReported, 2), run("d", 5.5, 1, 9), run("e", 5.5, 5.4, 5.6),
       run("f", 6, 5.6, 7)},
  };
  for (std::vector<RankInput> runs : cohorts) {
    for (const Profile profile : {Profile::kStrictExact, Profile::kSourceNative}) {
      std::ranges::sort(runs, {}, &RankInput::id);
      const std::string expected = ranks(runs, profile);
      do {
        ASSERT_EQ(ranks(runs, profile), expected);
      } while (std::ranges::next_permutation(runs, {}, &RankInput::id).found);
    }
  }
}

// The rule of spec 4.2 word by word: every member of the chain is asked.
std::vector<Ranked> by_the_letter(const std::vector<RankInput>& runs, Profile profile) {
  std::vector<Ranked> order;
  for (std::uint32_t i = 0; i < runs.size(); ++i) order.push_back({.index = i});
  std::ranges::sort(order, [&](const Ranked& a, const Ranked& b) {
    const RankInput &x = runs[a.index], &y = runs[b.index];
    return std::tuple(x.value, x.observed_at, x.id) < std::tuple(y.value, y.observed_at, y.id);
  });
  const auto ties = [&](const RankInput& a, const RankInput& b) {
    if (a.value == b.value) return true;
    if (profile == Profile::kSourceNative || !a.has_interval || !b.has_interval) return false;
    return a.high >= b.low && b.high >= a.low;
  };
  std::vector<std::vector<Ranked>> chains;
  for (const Ranked& entry : order) {
    const bool joins =
        !chains.empty() && std::ranges::all_of(chains.back(), [&](const Ranked& member) {
          return ties(runs[member.index], runs[entry.index]);
        });
    if (!joins) chains.emplace_back();
    chains.back().push_back(entry);
  }
  std::vector<Ranked> ranked;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    std::ranges::sort(chains[c], [&](const Ranked& a, const Ranked& b) {
      const RankInput &x = runs[a.index], &y = runs[b.index];
      return std::tuple(-static_cast<int>(x.evidence), -x.observed_at.ms, x.id) <
             std::tuple(-static_cast<int>(y.evidence), -y.observed_at.ms, y.id);
    });
    for (std::size_t i = 0; i < chains[c].size(); ++i) {
      ranked.push_back({.index = chains[c][i].index,
                        .rank = static_cast<std::uint32_t>(c + 1),
                        .tied_with_previous = i > 0});
    }
  }
  return ranked;
}

class RandomCohorts : public ::testing::Test {
 protected:
  std::vector<RankInput> next() {
    const std::size_t n = random_() % 12;
    ids_.resize(n);
    std::vector<RankInput> runs(n);
    for (std::size_t i = 0; i < n; ++i) {
      ids_[i] = std::to_string(random_() % 1000) + "-" + std::to_string(i);
      const auto value = static_cast<double>(100 + random_() % 8);
      runs[i] = {.value = value,
                 .has_interval = random_() % 4 != 0,
                 .low = value - static_cast<double>(random_() % 4),
                 .high = value + static_cast<double>(random_() % 4),
                 .evidence = static_cast<EvidenceLevel>(1 + random_() % 4),
                 .observed_at = Instant{static_cast<std::int64_t>(random_() % 3)},
                 .id = ids_[i]};
    }
    return runs;
  }
  std::mt19937_64 random_{26};
  std::vector<std::string> ids_;
};

TEST_F(RandomCohorts, RankAsTheRuleSaysWordByWord) {
  for (int i = 0; i < 20000; ++i) {
    const auto runs = next();
    for (const Profile profile : {Profile::kStrictExact, Profile::kSourceNative}) {
      ASSERT_EQ(rank_v1(runs, profile), by_the_letter(runs, profile)) << ranks(runs, profile);
    }
  }
}

TEST_F(RandomCohorts, RankAlikeInEveryUnit) {
  for (int i = 0; i < 5000; ++i) {
    auto runs = next();
    const auto ranked = rank_v1(runs, Profile::kStrictExact);
    for (auto& scaled : runs) {
      scaled.value *= 1024;
      scaled.low *= 1024;
      scaled.high *= 1024;
    }
    ASSERT_EQ(rank_v1(runs, Profile::kStrictExact), ranked);
  }
}

TEST(RankingV1, AllocatesNothingBesideTheOutput) {
  std::vector<std::string> ids;
  std::vector<RankInput> runs;
  for (int i = 0; i < 1000; ++i) ids.push_back(std::to_string(i));
  for (int i = 0; i < 1000; ++i)
    runs.push_back(run(ids[static_cast<std::size_t>(i)], i % 37, i % 37 - 1, i % 37 + 1));
  std::vector<Ranked> out(runs.size());
  const std::size_t before = allocations();
  rank_v1(runs, Profile::kStrictExact, out);
  EXPECT_EQ(allocations() - before, 0u);
  std::vector<Ranked> empty;
  rank_v1(runs, Profile::kStrictExact, empty);
  EXPECT_EQ(allocations() - before, 1u) << "the output itself; and the counter counts";
}

}  // namespace
}  // namespace ki::policy
