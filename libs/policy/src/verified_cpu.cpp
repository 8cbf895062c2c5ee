#include "ki/policy/verified_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ki::policy {
namespace {

constexpr std::uint32_t kLeastProcesses = 6;
constexpr double kMostRejected = 0.20;
constexpr double kSentinelAgreement = 0.05;
constexpr std::array<std::string_view, 3> kHosts = {"vm", "bare", "bare_locked"};

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

VerifiedClause source_clause(const VerifiedCpuFacts& f) {
  VerifiedClause out{.letter = 'a'};
  out.holds = f.is_built_from_named_source && f.is_strict_passed && f.timed_calls > 0 &&
              f.timed_calls_checked == f.timed_calls;
  out.text = !f.is_built_from_named_source ? std::string("the source is not named")
             : !f.is_strict_passed         ? std::string("the strict verdict is not passed")
                                           : fmt::format("{} of {} timed calls checked",
                                                         f.timed_calls_checked, f.timed_calls);
  return out;
}

VerifiedClause flag_clause(const VerifiedCpuFacts& f) {
  VerifiedClause out{.letter = 'c', .holds = true, .text = "no unresolved flag"};
  std::string unresolved;
  for (const std::string& flag : f.flags) {
    if (is_informative_flag(flag)) continue;
    // A tolerance that the signal makes meaningless is made up for by the strict verdict.
    if (flag == "weak_tolerance" && f.is_strict_passed) continue;
    unresolved += (unresolved.empty() ? "" : ", ") + flag;
  }
  if (!unresolved.empty()) {
    out.holds = false;
    out.text = "unresolved: " + unresolved;
  }
  return out;
}

VerifiedClause health_clause(const VerifiedCpuFacts& f) {
  const double share =
      f.samples == 0 ? 1 : static_cast<double>(f.samples_rejected) / static_cast<double>(f.samples);
  return {.letter = 'e',
          .holds = f.samples > 0 && f.samples_rejected <= f.samples && share <= kMostRejected,
          .text = fmt::format("{} of {} samples rejected, at most {} are allowed",
                              f.samples_rejected, f.samples, percent(kMostRejected))};
}

VerifiedClause sentinel_clause(const VerifiedCpuFacts& f) {
  VerifiedClause out{.letter = 'f'};
  const auto is_time = [](const std::optional<double>& x) {
    return x && std::isfinite(*x) && *x > 0;
  };
  if (!is_time(f.sentinel_before) || !is_time(f.sentinel_after)) {
    out.text = "no sentinels before and after";
    return out;
  }
  const double apart = std::abs(*f.sentinel_after / *f.sentinel_before - 1);
  out.holds = apart <= kSentinelAgreement + 1e-12;  // 105 of 100 is 5 %, whatever doubles say
  out.text = fmt::format("sentinels {} apart, at most {} are allowed; baseline: {}", percent(apart),
                         percent(kSentinelAgreement), f.has_sentinel_baseline ? "yes" : "none");
  return out;
}

VerifiedClause width_clause(const VerifiedCpuFacts& f) {
  const double widest = widest_half_width(f.host);
  return {.letter = 'g',
          .holds = std::isfinite(f.half_width) && f.half_width >= 0 && f.half_width <= widest,
          .text = fmt::format("interval ±{}, at most ±{} on {}", percent(f.half_width),
                              percent(widest), to_string(f.host))};
}

}  // namespace

std::string_view to_string(HostClass host) { return kHosts[static_cast<std::size_t>(host)]; }

std::string host_note(HostClass host) {
  return fmt::format("{}{}", to_string(host),
                     host == HostClass::kBareLocked ? "" : ", clocks not controlled");
}

std::optional<HostClass> parse_host_class(std::string_view text) {
  for (std::size_t i = 0; i < kHosts.size(); ++i) {
    if (kHosts[i] == text) return static_cast<HostClass>(i);
  }
  return std::nullopt;
}

bool is_informative_flag(std::string_view flag) {
  constexpr std::array<std::string_view, 7> kInformative = {
      "nondeterministic", "uses_library",    "precision_downgrade", "fp_env_modified",
      "denied_calls",     "wraps_reference", "warmup_detect"};
  return std::ranges::find(kInformative, flag) != kInformative.end();
}

double widest_half_width(HostClass host) {
  switch (host) {
    case HostClass::kVm:
      return 0.05;
    case HostClass::kBare:
      return 0.03;
    case HostClass::kBareLocked:
      return 0.01;
  }
  return 0;
}

VerifiedCpu verified_cpu_v1(const VerifiedCpuFacts& f) {
  VerifiedCpu out;
  out.clauses = {
      source_clause(f),
      {'b', f.isolation == "full",
       fmt::format("isolation {}", f.isolation.empty() ? "unknown" : f.isolation)},
      flag_clause(f),
      {'d', f.processes >= kLeastProcesses,
       fmt::format("{} processes, {} are needed", f.processes, kLeastProcesses)},
      health_clause(f),
      sentinel_clause(f),
      width_clause(f),
      {'h', f.is_signed_by_trusted_runner,
       f.is_signed_by_trusted_runner ? "signed by a runner that this catalog trusts"
                                     : "not signed by a runner that this catalog trusts"},
      {'i', f.is_logged, f.is_logged ? "logged" : "not logged"}};
  out.is_verified = std::ranges::all_of(out.clauses, &VerifiedClause::holds);
  if (out.is_verified) {
    out.label = fmt::format("Verified · {}{}", host_note(f.host),
                            f.is_run_by_author ? ", run by its author" : "");
  }
  return out;
}

std::string VerifiedCpu::why_not() const {
  if (is_verified) return {};
  std::string out = "not verified: ";
  bool is_first = true;
  for (const VerifiedClause& clause : clauses) {
    if (clause.holds) continue;
    out += fmt::format("{}({}) {}", is_first ? "" : "; ", clause.letter, clause.text);
    is_first = false;
  }
  return out;
}

bool is_replicated(std::span<const RunnerFact> runners) {
  for (std::size_t i = 0; i < runners.size(); ++i) {
    for (std::size_t j = i + 1; j < runners.size(); ++j) {
      const RunnerFact& a = runners[i];
      const RunnerFact& b = runners[j];
      if (a.is_trusted && b.is_trusted && a.key != b.key && a.owner != b.owner &&
          a.machine != b.machine)
        return true;
    }
  }
  return false;
}

}  // namespace ki::policy
