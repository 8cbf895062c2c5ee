// What a finished run becomes in a catalog: manifests of the operation, its cases and suite, the
// implementation, the protocol and the environment, one BenchmarkRun a case and one of the suite,
// with the record of each case as its raw evidence (harness 13). Pure; publish::Publisher stores
// it.
#pragma once

#include "ki/base/instant.h"
#include "ki/harness/record.h"
#include "ki/publish/bundle.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ki::harness {

// Roles of a run's artifacts: the record of a case (record.h), and the solution that was built,
// with its sources.
inline constexpr std::string_view kRecordRole = "rawSamples";
inline constexpr std::string_view kSolutionRole = "solution";

// What decides whether two measurements may be compared (harness 14 section 4); the rest of what is
// known of a machine is evidence, not identity.
struct Machine {
  std::string vendor;        // a token: "amd", "intel"; "unknown"
  std::string product;       // the processor's text with family, model and stepping
  std::string architecture;  // "x86_64"
  std::string form_factor;   // host class: "vm", "bare", "bare_locked"
  std::int64_t memory_bytes = 0;
  std::int64_t cpu_count = 0;
  std::string operating_system, kernel, libc;
  std::string thp, smt, governor;  // "unknown" where the system does not say
};

// Fails with kInvalidArgument when nothing of the run may be published: development runs
// (--quick, --seed), runs that were cancelled, or fewer than six processes.
Result<publish::Bundle> publication_of(const RunResult& run, const problem::Problem& problem,
                                       const problem::Solution& solution, const judge::RunKey& key,
                                       bool is_seeded, const Machine& machine,
                                       const MachineName& name, Instant observed);

}  // namespace ki::harness
