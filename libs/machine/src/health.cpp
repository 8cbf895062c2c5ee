#include "ki/machine/health.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace ki::machine {

std::string_view to_string(Severity severity) {
  switch (severity) {
    case Severity::kGood:
      return "good";
    case Severity::kLowers:
      return "lowers";
    case Severity::kUnhealthy:
      return "unhealthy";
  }
  return "";
}

bool Health::is_healthy() const {
  return std::ranges::none_of(
      checks, [](const Check& check) { return check.severity == Severity::kUnhealthy; });
}

bool Health::can_verify() const {
  const auto isolation = std::ranges::find(checks, "isolation", &Check::id);
  return is_healthy() && isolation != checks.end() && isolation->severity == Severity::kGood;
}

std::string Health::summary() const {
  std::vector<std::string> bad, lowers;
  for (const Check& check : checks) {
    if (check.severity == Severity::kUnhealthy) bad.push_back(check.id);
    if (check.severity == Severity::kLowers) lowers.push_back(check.id);
  }
  if (!bad.empty()) {
    return fmt::format(
        "This machine is not good enough right now: {}. Numbers from it would describe "
        "its state, not the kernel.",
        fmt::join(bad, ", "));
  }
  if (lowers.empty()) return "This machine is good enough to measure and to verify on.";
  return fmt::format(
      "This machine is good enough to measure on{}. What its numbers may claim is lowered by: {}.",
      can_verify() ? " and to verify on" : "", fmt::join(lowers, ", "));
}

Health judge(const Examination& e) {
  Health out;
  const auto add = [&](const char* id, Severity severity, std::string observed,
                       std::string advice = {}) {
    out.checks.push_back({id, severity, std::move(observed),
                          severity == Severity::kGood ? std::string() : std::move(advice)});
  };
  if (!e.isolation) {
    add("isolation", Severity::kUnhealthy, fmt::format("no sandbox can be made: {}", e.no_sandbox),
        "run as root, or allow user namespaces");
  } else {
    std::vector<std::string> missing;
    for (const sandbox::IsolationFact& fact : e.isolation->facts) {
      if (fact.is_required && !fact.holds)
        missing.push_back(fmt::format("{} ({})", fact.id, fact.observed));
    }
    const bool is_full = e.isolation->level == sandbox::IsolationLevel::kFull;
    add("isolation", is_full ? Severity::kGood : Severity::kLowers,
        is_full ? "full: every condition was seen to hold on a real cell"
                : fmt::format("{}: {}", sandbox::to_string(e.isolation->level),
                              fmt::join(missing, "; ")),
        "runs are not verified below level full; run as root on a machine with control groups");
  }
  add("compiler", e.compiler.empty() ? Severity::kUnhealthy : Severity::kGood,
      e.compiler.empty() ? "no compiler works in the sandbox" : e.compiler, "install g++");
  add("call", e.has_called ? Severity::kGood : Severity::kUnhealthy,
      e.has_called ? fmt::format("a kernel was built, called and right; an empty call costs {:.2f} "
                                 "µs, a stop {:.0f} µs",
                                 e.empty_call_ns / 1e3, e.freeze_ns / 1e3)
                   : "no kernel could be built and called",
      "see the lines above");
  const bool is_clock_good = e.has_invariant_clock && e.clock_step_ns > 0 && e.clock_step_ns < 1000;
  add("clock", is_clock_good ? Severity::kGood : Severity::kUnhealthy,
      fmt::format("{}, steps of {:.0f} ns, a pair of readings costs {:.0f} ns",
                  e.has_invariant_clock ? "time stamp counter constant and nonstop"
                                        : "no invariant time stamp counter",
                  e.clock_step_ns, e.clock_cost_ns),
      "timing needs a constant, nonstop time stamp counter");
  add("processors", e.processors >= 2 ? Severity::kGood : Severity::kLowers,
      fmt::format("{} online", e.processors),
      "with one processor the parent sleeps during calls, so only calls of milliseconds can be "
      "told apart");
  add("clocks_controlled",
      e.host_class == HostClass::kBareLocked ? Severity::kGood : Severity::kLowers,
      fmt::format("host class {}", to_string(e.host_class)),
      e.host_class == HostClass::kVm
          ? "a virtual machine does not control its clocks; the label says so"
          : "fix the frequency: governor performance, turbo off");
  const double busy_limit = 0.75 * e.processors;
  add("load", e.load <= busy_limit ? Severity::kGood : Severity::kUnhealthy,
      fmt::format("{:.2f} runnable over the last minute; the limit is {:.2f}", e.load, busy_limit),
      "wait until other work is done, or stop it");
  add("quiet",
      e.wait_share <= 0.01 && e.steal_share <= 0.02 ? Severity::kGood : Severity::kUnhealthy,
      fmt::format(
          "a spinning loop waited {:.2f} % of its time for a processor; {:.2f} % was stolen",
          100 * e.wait_share, 100 * e.steal_share),
      "another process, or a neighbour of this virtual machine, takes the processors");
  add("sentinels", e.moved_sentinels.empty() ? Severity::kGood : Severity::kUnhealthy,
      e.moved_sentinels.empty()
          ? "fixed work took the same time twice, within 5 %"
          : fmt::format("moved between two runs: {}", fmt::join(e.moved_sentinels, ", ")),
      "the machine changes speed while it measures; wait, cool it, or fix its clocks");
  if (e.has_called) {
    add("spread", e.call_spread <= 0.05 ? Severity::kGood : Severity::kLowers,
        fmt::format("equal calls spread by {:.2f} % (median absolute deviation)",
                    100 * e.call_spread),
        "more rounds are needed for a narrow interval");
  }
  add("alone", e.other_holder.empty() ? Severity::kGood : Severity::kUnhealthy,
      e.other_holder.empty() ? "nobody else measures"
                             : fmt::format("{} measures right now", e.other_holder),
      "wait until it is done");
  return out;
}

}  // namespace ki::machine
