// Is this machine good enough to measure on, and if not, why not? examine() performs the acts,
// judge() turns what they showed into checks and words.
#pragma once

#include "ki/base/result.h"
#include "ki/machine/snapshot.h"
#include "ki/sandbox/isolation.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::machine {

// What the acts showed.
struct Examination {
  HostClass host_class = HostClass::kVm;
  int processors = 0;
  bool has_invariant_clock = false;
  double clock_step_ns = 0;  // smallest difference of two readings
  double clock_cost_ns = 0;  // median of a pair of readings
  double load = 0;           // runnable processes beside this one, over one minute
  double steal_share = 0;    // of the last second, all processors
  double wait_share = 0;     // of a spinning loop on each processor: the worst of them
  std::optional<sandbox::IsolationReport> isolation;  // of a real cell
  std::string no_sandbox;                             // why there is none
  std::string compiler;                               // version; empty: none that works
  std::string machine_flags;                          // what -march=native stands for
  bool has_called = false;   // a kernel was built, loaded, called, and its output was right
  double empty_call_ns = 0;  // median ring without a call
  double freeze_ns = 0;      // median time to a verified stop
  double call_spread = 0;    // median absolute deviation over median of equal calls
  std::vector<std::string> moved_sentinels;  // between two runs, by more than 5 %
  std::string other_holder;  // who measures on this machine right now; empty: nobody
};
Examination examine(const Snapshot& snapshot);

enum class Severity : std::uint8_t { kGood, kLowers, kUnhealthy };
std::string_view to_string(Severity severity);  // "good", "lowers", "unhealthy"

struct Check {
  std::string id;  // stable: "isolation", "clock", "quiet", ...
  Severity severity;
  std::string observed;  // what was seen, with numbers
  std::string advice;    // what to try; empty when good
};

struct Health {
  std::vector<Check> checks;
  bool is_healthy() const;      // nothing unhealthy
  bool can_verify() const;      // healthy, and isolation full
  std::string summary() const;  // two or three sentences for people
};
Health judge(const Examination& examination);

}  // namespace ki::machine
