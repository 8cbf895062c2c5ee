#include "plan.h"

#include <algorithm>

namespace ki::synth {
namespace {

// Sizes of comparison groups in the public export: 67 % hold one run, 16 % two, 13 % three, and the
// rest 20 to 112 (66 on average).
std::uint32_t group_size(Words& words) {
  const std::uint64_t roll = words.below(1000);
  if (roll < 667) return 1;
  if (roll < 829) return 2;
  if (roll < 961) return 3;
  return static_cast<std::uint32_t>(20 + words.below(93));
}

}  // namespace

Plan make_plan(const Options& options) {
  Plan plan;
  plan.seed = options.seed;
  // Per run of the export: 0.057 operations, 0.716 workloads, 0.541 implementations, 0.078
  // projects, 0.391 artifacts; per operation: 4.07 groups, 12 cases, a suite for 57 %.
  while (plan.runs < options.runs) {
    const std::uint64_t index = plan.operations.size();
    Words words(plan.seed, kPlan, index);
    OperationPlan op;
    op.first_workload = plan.workloads;
    op.first_implementation = plan.implementations;
    op.first_run = plan.runs;
    op.cases = static_cast<std::uint32_t>(11 + words.below(4));
    op.has_suite = words.below(100) < 57;
    op.form =
        words.below(100) < 71 ? (words.below(2) == 0 ? Form::kMean : Form::kScore) : Form::kSummary;
    const std::uint64_t groups = 2 + words.below(5);
    for (std::uint64_t g = 0; g < groups && plan.runs + op.runs < options.runs; ++g) {
      Group group;
      group.runs = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(group_size(words), options.runs - plan.runs - op.runs));
      // Every fifteenth group is a known workload on another GPU.
      const bool is_other_gpu = g != 0 && words.below(15) == 0;
      group.workload =
          is_other_gpu ? op.groups.back().workload
                       : static_cast<std::uint32_t>(std::min<std::uint64_t>(g, op.workloads() - 1));
      group.environment = is_other_gpu ? op.groups.back().environment + 1
                                       : static_cast<std::uint32_t>(words.below(16));
      op.runs += group.runs;
      op.groups.push_back(group);
    }
    op.implementations =
        std::max<std::uint32_t>(1, static_cast<std::uint32_t>((op.runs * 541ULL + 500) / 1000));
    plan.workloads += op.workloads();
    plan.implementations += op.implementations;
    plan.runs += op.runs;
    plan.operations.push_back(std::move(op));
  }
  plan.projects = std::max<std::uint64_t>(1, plan.runs * 78 / 1000);
  plan.artifacts = plan.runs * 391 / 1000;
  return plan;
}

}  // namespace ki::synth
