#include "ki/score/score.h"

#include <algorithm>
#include <cmath>

namespace ki::score {
namespace {

constexpr double kLeastMargin = 0.01;

bool is_time(double t) { return std::isfinite(t) && t > 0; }

// The mean by compensated summation, so that the order of cases does not show in it.
class Mean {
 public:
  void add(double x) {
    const double y = x - compensation_;
    const double t = sum_ + y;
    compensation_ = (t - sum_) - y;
    sum_ = t;
    ++count_;
  }
  std::optional<double> value() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0, compensation_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::kOk:
      return "ok";
    case State::kBoundViolation:
      return "bound_violation";
    case State::kDegenerateBaseline:
      return "degenerate_baseline";
    case State::kInvalid:
      return "invalid";
  }
  return "";
}

CaseScore score_case(const CaseTimes& t, double noise) {
  CaseScore out;
  const double room = t.baseline - t.bound;
  if (room <= 0) {
    // The original's rule for this case; ours is the state.
    out.formula = t.kernel <= t.bound ? 1 : 0;
  } else if (const double value = room / ((t.kernel - t.bound) + room); std::isfinite(value)) {
    out.formula = value;
  }
  if (!is_time(t.kernel) || !is_time(t.baseline) || !is_time(t.bound)) return out;
  if (room <= 0) {
    out.state = State::kDegenerateBaseline;
  } else if (t.kernel < t.bound * (1 - std::max(kLeastMargin, noise))) {
    out.state = State::kBoundViolation;
  } else {
    out.state = State::kOk;
    out.score = out.formula;
  }
  return out;
}

SuiteScore score_suite(std::span<const SuiteCase> cases) {
  SuiteScore out;
  Mean score, diagnostic, speedup, logarithm;
  for (const SuiteCase& one : cases) {
    ++out.cases;
    if (!one.is_correct) {
      out.by_case.push_back({});
      score.add(0);
      diagnostic.add(0);
      continue;
    }
    ++out.correct;
    const CaseScore s = score_case(one.times, one.noise);
    out.by_case.push_back(s);
    switch (s.state) {
      case State::kOk:
        ++out.ok;
        score.add(*s.score);
        break;
      case State::kBoundViolation:
        ++out.bound_violations;
        break;
      case State::kDegenerateBaseline:
        ++out.degenerate_baselines;
        break;
      case State::kInvalid:
        ++out.invalid;
        continue;
    }
    if (s.formula) diagnostic.add(*s.formula);
    speedup.add(one.times.baseline / one.times.kernel);
    logarithm.add(std::log(one.times.kernel));
    if (one.times.baseline / one.times.kernel > 1) ++out.fast_1_count;
  }
  out.mean_score = score.value();
  out.diagnostic_mean_score = diagnostic.value();
  out.mean_speedup = speedup.value();
  if (const auto mean = logarithm.value()) out.geomean_kernel = std::exp(*mean);
  return out;
}

}  // namespace ki::score
