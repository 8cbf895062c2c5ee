// The paired comparison, ki_pair_v1: both arms on the same fresh inputs, one right after the other,
// the order of each block of two rounds decided by a recorded coin. run_pairs() takes the numbers;
// judge_pairs() is pure and makes them again from a record.
#pragma once

#include "ki/base/result.h"
#include "ki/measure/estimate.h"
#include "ki/measure/rejection.h"
#include "ki/sandbox/cell.h"
#include "ki/stats/comparison.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ki::measure {

struct Round {
  std::uint32_t process = 0;  // pair of processes, from 0
  bool candidate_first = false;
  double candidate_ns = 0;  // a call
  double baseline_ns = 0;
  std::optional<RejectCause> rejected = std::nullopt;  // of either arm
};

struct PairedJudgement {
  stats::Comparison comparison;  // the verdict, by libs/stats
  std::optional<Estimate>
      log_ratio;  // of candidate over baseline; the interval shown is exp of this
  RejectionCount rejections;
  double candidate_median_ns = 0;
  double baseline_median_ns = 0;

  double ratio() const;                    // candidate / baseline; 0 without an estimate
  stats::Interval ratio_interval() const;  // precondition: log_ratio
};

struct PairedRule {
  double minimum_effect = 0.01;  // log ratio below which two things count as equal
  double alpha = 0.001;
  std::string cohort = "pair";
};

// Blocks of two rounds of which one was rejected are left out whole, so that what is left stays
// balanced.
PairedJudgement judge_pairs(const std::vector<Round>& rounds, const PairedRule& rule,
                            std::uint64_t seed);

struct PairedPlan {
  // Starts a fresh cell of an arm. With `sets` argument sets.
  std::function<Result<sandbox::Cell>(int sets)> start_candidate;
  std::function<Result<sandbox::Cell>(int sets)> start_baseline;
  // Writes the inputs and poisons the outputs of one set, the same for the same number.
  std::function<void(sandbox::Cell&, int set, std::uint64_t number)> stage;
  // After a call, frozen: why its output is wrong, or nothing.
  std::function<std::optional<std::string>(sandbox::Cell&, int set, std::uint64_t number)> check;
  int processes = 3;  // pairs of fresh processes
  int rounds = 40;    // of each pair of processes; even
  bool is_cold = true;
  sandbox::Waiting waiting = sandbox::Waiting::kSpin;
  std::chrono::milliseconds deadline{2'000};
  int warmup_calls = 3;
  int most_calls = 64;     // K at most
  std::uint64_t seed = 0;  // of the coins
  const std::atomic<bool>* cancel = nullptr;
};

struct PairedRun {
  std::vector<Round> rounds;
  int calls_per_sample = 1;
  double empty_ns = 0;
  sandbox::IsolationLevel isolation = sandbox::IsolationLevel::kNone;  // the lower of both arms
};

// kInvalidArgument when an arm dies or gives a wrong output: then there is nothing to compare.
// kCancelled when asked to stop.
Result<PairedRun> run_pairs(const PairedPlan& plan);

}  // namespace ki::measure
