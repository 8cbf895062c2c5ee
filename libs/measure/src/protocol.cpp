#include "ki/measure/protocol.h"

#include <fmt/format.h>

namespace ki::measure {

std::string_view to_string(Family family) {
  switch (family) {
    case Family::kCold:
      return "ki_cold_v1";
    case Family::kHot:
      return "ki_hot_v1";
    case Family::kPair:
      return "ki_pair_v1";
  }
  return "";
}

std::string Protocol::to_string() const {
  return fmt::format(
      "family: {}\nprocesses: {}\nwarmup_calls: {}\nwarmup_seconds: {}\nleast_samples: {}\n"
      "stop_target: {}\nstop_least_seconds: {}\nstop_enough_samples: {}\nstop_limit_seconds: {}\n"
      "stop_limit_samples: {}\nparent: {}\nthreads: {}\n",
      measure::to_string(family), processes, warmup_calls, warmup_seconds, least_samples,
      stop.target, stop.least_seconds, stop.enough_samples, stop.limit_seconds, stop.limit_samples,
      is_spinning ? "spins" : "sleeps", threads);
}

Protocol protocol_for(Family family, double call_seconds, int threads, bool is_spinning) {
  Protocol out;
  out.family = family;
  out.least_samples = call_seconds < 0.05 ? 30 : 10;
  out.threads = threads;
  out.is_spinning = is_spinning;
  return out;
}

}  // namespace ki::measure
