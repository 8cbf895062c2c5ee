// Policy verified-cpu-v1: whether a run measured on a CPU is *verified*, from facts that are stored
// with it (harness 14 section 1). The word says: this index built, judged and timed this source
// here. It does not say that the number repeats elsewhere; that is *replicated*.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::policy {

// What kind of machine the probes found; never from a setting.
enum class HostClass : std::uint8_t {
  kVm,          // the processor's hypervisor bit is set
  kBare,        // no hypervisor
  kBareLocked,  // and the frequency was read back as fixed before and after, with hardware counters
};
std::string_view to_string(HostClass host);  // "vm", "bare", "bare_locked"
std::optional<HostClass> parse_host_class(std::string_view text);

// "vm, clocks not controlled"; "bare_locked".
std::string host_note(HostClass host);

struct VerifiedCpuFacts {
  // (a) built from named source by this runner, judged strictly, every timed call checked
  bool is_built_from_named_source = false;
  bool is_strict_passed = false;
  std::uint64_t timed_calls = 0, timed_calls_checked = 0;
  // (b)
  std::string isolation;  // "full", "partial", "none"
  // (c) all flags of the case; those that are informative are known here
  std::vector<std::string> flags;
  // (d)
  std::uint32_t processes = 0;  // fresh ones that timed
  // (e)
  std::uint64_t samples = 0, samples_rejected = 0;
  // (f) the sentinel's result before and after, in one unit
  std::optional<double> sentinel_before, sentinel_after;
  // (g)
  HostClass host = HostClass::kVm;
  double half_width = 1;  // of the 95 % interval, relative to the median
  // (h), (i)
  bool is_signed_by_trusted_runner = false;
  bool is_logged = false;
  bool is_run_by_author = false;       // the runner's owner is the implementation's author
  bool has_sentinel_baseline = false;  // of at least 20 sessions of this machine
};

struct VerifiedClause {
  char letter = 'a';
  bool holds = false;
  std::string text = {};  // with its numbers
};

struct VerifiedCpu {
  bool is_verified = false;
  std::vector<VerifiedClause> clauses;  // (a) to (i), in order
  // "Verified · vm, clocks not controlled"; the class stands beside the word wherever it appears.
  // Empty when not verified.
  std::string label;

  // The clauses that do not hold, in words: "not verified: (d) 3 processes, 6 are needed".
  std::string why_not() const;
};
VerifiedCpu verified_cpu_v1(const VerifiedCpuFacts& facts);

// A flag that says something about a run without casting doubt on it.
bool is_informative_flag(std::string_view flag);

// Widest half-width of the interval on that class of host.
double widest_half_width(HostClass host);

// A run of the same implementation and workload under a runner's key.
struct RunnerFact {
  std::string key, owner, machine;
  bool is_trusted = false;
};
// At least two trusted keys with different owners on different machines.
bool is_replicated(std::span<const RunnerFact> runners);

}  // namespace ki::policy
