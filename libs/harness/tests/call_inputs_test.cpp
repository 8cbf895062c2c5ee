#include "ki/harness/call_inputs.h"

#include "run_world.h"

#include <gmock/gmock.h>

namespace ki::harness {
namespace {

using judge::Family;
using judge::Phase;

// The inputs of one case.
struct World {
  problem::Problem problem;
  RunPlan plan;
  judge::RunKey key = judge::RunKey::of_seed(5);

  explicit World(const std::string& name, const std::string& uuid)
      : problem(load(name)), plan(make_plan(problem, {}, {.cases = {uuid}}).value()) {}
  CallInputs open() const {
    return CallInputs::open(problem, plan.cases[0], problem.workloads[plan.cases[0].workload],
                            *find_oracle(problem.definition.digest), key)
        .value();
  }
};

// Both of them: one below and one above the size from which tensors are gathered from a pool.
const std::vector<std::string> kCases = {"n65536", "n1048576"};

TEST(CallInputs, AreFreshInEveryRoundAndTheSameForTheSameKey) {
  for (const std::string& uuid : kCases) {
    SCOPED_TRACE(uuid);
    const World world("vec_add", uuid);
    const CallInputs inputs = world.open();
    const InputBytes first = inputs.draw(Phase::kTimed, 7, Family::kBase);
    EXPECT_EQ(world.open().draw(Phase::kTimed, 7, Family::kBase), first);
    for (const InputBytes& other : {inputs.draw(Phase::kTimed, 8, Family::kBase),
                                    inputs.draw(Phase::kWarmup, 7, Family::kBase),
                                    inputs.draw(Phase::kHidden, 7, Family::kLarge)}) {
      for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NE(other[i], first[i]);
    }
  }
}

TEST(CallInputs, OfTheLastTileAreThoseOfRoundZeroButForIt) {
  for (const std::string& uuid : kCases) {
    SCOPED_TRACE(uuid);
    const World world("vec_add", uuid);
    const CallInputs inputs = world.open();
    const InputBytes base = inputs.draw(Phase::kHidden, 0, Family::kBase);
    const InputBytes changed = inputs.draw(Phase::kHidden, 9, Family::kLastTile);
    for (std::size_t i = 0; i < base.size(); ++i) {
      const std::size_t same = base[i].size() - 64 * 4;
      EXPECT_TRUE(std::equal(base[i].begin(), base[i].begin() + static_cast<std::ptrdiff_t>(same),
                             changed[i].begin()));
      EXPECT_FALSE(std::equal(base[i].begin() + static_cast<std::ptrdiff_t>(same), base[i].end(),
                              changed[i].begin() + static_cast<std::ptrdiff_t>(same)));
    }
  }
}

TEST(CallInputs, OfAFamilyAreWhatItSaysAlsoWhereOthersArePooled) {
  const World world("vec_add", "n1048576");
  const InputBytes equal = world.open().draw(Phase::kHidden, 5, Family::kAllEqual);
  for (const auto& bytes : equal) {
    for (std::size_t at = 4; at < bytes.size(); at += 4)
      ASSERT_TRUE(std::equal(bytes.begin(), bytes.begin() + 4,
                             bytes.begin() + static_cast<std::ptrdiff_t>(at)));
  }
}

}  // namespace
}  // namespace ki::harness
