#include "ki/stats_testing/noise.h"

#include "ki/stats/elementary.h"

#include <cmath>

namespace ki::stats_testing {
namespace {

using stats::Random;

constexpr double kQuietTime_ns = 10'000;

// AR(1) from its stationary distribution on.
class Autoregression {
 public:
  Autoregression(double coefficient, double sigma, Random& random)
      : coefficient_(coefficient),
        innovation_(sigma * std::sqrt(1 - coefficient * coefficient)),
        state_(sigma * random.normal()) {}
  double next(Random& random) {
    const double value = state_;
    state_ = coefficient_ * state_ + innovation_ * random.normal();
    return value;
  }

 private:
  double coefficient_;
  double innovation_;
  double state_;
};

// A clock that toggles between two speeds.
class Throttle {
 public:
  Throttle(double slowdown, double toggle, Random& random)
      : slowdown_(slowdown), toggle_(toggle), is_slow_(random.coin()) {}
  double next(Random& random) {
    if (random.uniform() < toggle_) is_slow_ = !is_slow_;
    return is_slow_ ? slowdown_ : 0;
  }

 private:
  double slowdown_;
  double toggle_;
  bool is_slow_;
};

// Student's t with 2 degrees of freedom: the quantile is algebraic.
double student_2(Random& random) {
  const double u = random.uniform();
  return (2 * u - 1) / std::sqrt(2 * u * (1 - u));
}

// Student's t with 3 degrees of freedom from its definition.
double student_3(Random& random) {
  const double top = random.normal();
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double z = random.normal();
    squares += z * z;
  }
  return top / std::sqrt(squares / 3);
}

std::vector<double> draw_mixed(double interrupted, std::size_t count, Random& random) {
  std::vector<double> logs;
  Autoregression slow(0.9, 0.01, random);
  Throttle throttle(0.05, 0.02, random);
  const double slope = 0.0005 * (2 * random.uniform() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    double value = slow.next(random) + throttle.next(random) + slope * static_cast<double>(i);
    if (random.uniform() < interrupted) value += -0.15 * stats::portable_log(random.uniform());
    logs.push_back(value);
  }
  return logs;
}

}  // namespace

std::string_view to_string(NoiseFamily family) {
  switch (family) {
    case NoiseFamily::kNormal:
      return "normal";
    case NoiseFamily::kHeavyTail:
      return "heavy tail";
    case NoiseFamily::kBimodal:
      return "bimodal";
    case NoiseFamily::kQuantised:
      return "quantised";
    case NoiseFamily::kDrift:
      return "drift";
    case NoiseFamily::kThrottleSteps:
      return "throttle steps";
    case NoiseFamily::kAutoregressive:
      return "AR(1) 0.9";
    case NoiseFamily::kMixed:
      return "mixed";
    case NoiseFamily::kNoVariance:
      return "no variance";
    case NoiseFamily::kInterrupted:
      return "interrupted";
  }
  return "";
}

std::vector<double> draw_noise(NoiseFamily family, std::size_t count, Random& random) {
  std::vector<double> logs;
  logs.reserve(count);
  switch (family) {
    case NoiseFamily::kNormal:
    case NoiseFamily::kQuantised:
      for (std::size_t i = 0; i < count; ++i) logs.push_back(0.01 * random.normal());
      return logs;
    case NoiseFamily::kHeavyTail:
      for (std::size_t i = 0; i < count; ++i) logs.push_back(0.01 * student_3(random));
      return logs;
    case NoiseFamily::kNoVariance:
      for (std::size_t i = 0; i < count; ++i) logs.push_back(0.01 * student_2(random));
      return logs;
    case NoiseFamily::kBimodal:
      for (std::size_t i = 0; i < count; ++i) {
        const double mode = random.uniform() < 0.4 ? 0.125 : 0;
        logs.push_back(mode + 0.005 * random.normal());
      }
      return logs;
    case NoiseFamily::kDrift: {
      const double slope = random.coin() ? 0.001 : -0.001;
      for (std::size_t i = 0; i < count; ++i) {
        logs.push_back(slope * static_cast<double>(i) + 0.003 * random.normal());
      }
      return logs;
    }
    case NoiseFamily::kThrottleSteps: {
      Throttle throttle(0.08, 0.04, random);
      for (std::size_t i = 0; i < count; ++i) {
        const double step = throttle.next(random);
        logs.push_back(step + 0.005 * random.normal());
      }
      return logs;
    }
    case NoiseFamily::kAutoregressive: {
      Autoregression series(0.9, 0.02, random);
      for (std::size_t i = 0; i < count; ++i) logs.push_back(series.next(random));
      return logs;
    }
    case NoiseFamily::kMixed:
      return draw_mixed(0.01, count, random);
    case NoiseFamily::kInterrupted:
      return draw_mixed(0.04, count, random);
  }
  return logs;
}

double read_timer(NoiseFamily family, double log_time) {
  const double time = kQuietTime_ns * stats::portable_exp(log_time);
  const bool is_mixed = family == NoiseFamily::kMixed || family == NoiseFamily::kInterrupted;
  const double step = family == NoiseFamily::kQuantised ? 200 : is_mixed ? 50 : 0;
  if (step == 0) return time;
  return step * std::floor(time / step + 0.5);
}

std::vector<stats::Pair> draw_pairs(NoiseFamily family, std::size_t pairs, double effect,
                                    Random& random) {
  const auto noise = draw_noise(family, 2 * pairs, random);
  std::vector<stats::Pair> drawn;
  drawn.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    const bool candidate_first = random.coin();
    const double candidate = noise[2 * i + (candidate_first ? 0 : 1)];
    const double baseline = noise[2 * i + (candidate_first ? 1 : 0)];
    drawn.push_back(
        {read_timer(family, candidate + effect), read_timer(family, baseline), candidate_first});
  }
  return drawn;
}

std::vector<stats::Pair> draw_sequential(NoiseFamily family, std::size_t pairs, double effect,
                                         Random& random) {
  const auto noise = draw_noise(family, 2 * pairs, random);
  std::vector<stats::Pair> drawn;
  drawn.reserve(pairs);
  for (std::size_t i = 0; i < pairs; ++i) {
    drawn.push_back(
        {read_timer(family, noise[i] + effect), read_timer(family, noise[pairs + i]), i % 2 == 0});
  }
  return drawn;
}

}  // namespace ki::stats_testing
