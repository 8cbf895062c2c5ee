// The plan of a synthetic catalog: how many of what each operation has. Every number follows from
// the seed and the operation's index, so that any part can be made again without keeping it.
#pragma once

#include "ki/synth/generator.h"

#include <cstdint>
#include <vector>

namespace ki::synth {

// splitmix64 (Steele, Lea, Flood 2014): one well-mixed word per counter value.
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}
// A stream of words of one object.
class Words {
 public:
  Words(std::uint64_t seed, std::uint64_t kind, std::uint64_t index)
      : state_(mix(seed ^ mix(kind) ^ mix(index * 2 + 1))) {}
  std::uint64_t next() { return state_ = mix(state_); }
  std::uint64_t below(std::uint64_t limit) { return next() % limit; }

 private:
  std::uint64_t state_;
};

enum Stream : std::uint64_t {
  kPlan = 1,
  kOperation,
  kWorkload,
  kImplementation,
  kRun,
  kGroup,
  kId
};

struct Group {
  std::uint32_t workload = 0;  // of the operation
  std::uint32_t environment = 0;
  std::uint32_t runs = 0;
};

// How a run reports its result; the export has these three forms.
enum class Form : std::uint8_t {
  kMean,     // latency mean only, with the source's own metrics
  kScore,    // one score in seconds
  kSummary,  // latency median, mean, p05, p95
};

struct OperationPlan {
  std::uint64_t first_workload = 0, first_implementation = 0, first_run = 0;
  std::uint32_t cases = 0, implementations = 0, runs = 0;
  bool has_suite = false;
  Form form = Form::kMean;
  std::vector<Group> groups;

  std::uint64_t workloads() const { return cases + (has_suite ? 1U : 0U); }
};

struct Plan {
  std::uint64_t seed = 1;
  std::vector<OperationPlan> operations;
  std::uint64_t workloads = 0, implementations = 0, runs = 0, projects = 0, artifacts = 0;
};

Plan make_plan(const Options& options);

}  // namespace ki::synth
