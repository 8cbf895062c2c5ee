// Two solutions of one problem against each other, in turn and on the same fresh inputs
// (ki_pair_v1), every output of every call checked by ki_strict_v1. Ratios come from pairs only.
#pragma once

#include "ki/base/result.h"
#include "ki/harness/plan.h"
#include "ki/judge/inputs.h"
#include "ki/measure/paired.h"
#include "ki/problem/directory.h"
#include "ki/problem/solution.h"
#include "ki/sandbox/builder.h"
#include "ki/sandbox/host.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ki::versus {

struct VersusInput {
  const problem::Problem& problem;
  const problem::Solution& candidate;
  const problem::Solution& baseline;
  const harness::RunPlan& plan;  // its cases, cache, processes and deadlines
  const sandbox::Host& host;
  judge::RunKey key;
  int rounds = 40;    // of each pair of processes; even
  int processes = 3;  // pairs of fresh processes
  double minimum_effect = 0.01;
  std::function<void(const std::string&)> progress = {};
  const std::atomic<bool>* cancel = nullptr;
};

struct VersusCase {
  std::string uuid = {};
  std::vector<problem::AxisValue> axes = {};
  std::string failure = {};  // why there is nothing to compare; empty: there is
  measure::PairedRun run = {};
  std::optional<measure::PairedJudgement> judgement = {};
};

struct VersusResult {
  sandbox::BuildResult candidate_build, baseline_build;
  std::vector<VersusCase> cases;
  // Over the cases: the geometric mean of the ratios; 0 unless every case has one.
  double ratio = 0;
};

// An Error is the machine's or the caller's fault. A solution that does not build, dies or is wrong
// is a failure of the case. The wins of all cases hold together (Holm).
Result<VersusResult> compare(const VersusInput& input);

}  // namespace ki::versus
