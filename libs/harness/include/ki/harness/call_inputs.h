// The inputs of one call of a case, drawn from the run's key, or fixed where the workload fixes
// them.
#pragma once

#include "ki/harness/oracle.h"
#include "ki/harness/plan.h"
#include "ki/judge/inputs.h"
#include "ki/problem/safetensors.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ki::harness {

// Stored elements of every input of one call.
using InputBytes = std::vector<std::vector<std::byte>>;

class CallInputs {
 public:
  // Reads fixed tensors. Fails with kNotFound or kInvalidArgument when they are not there or do not
  // fit, and when custom inputs have no generator of ours ("inputs_unavailable").
  static Result<CallInputs> open(const problem::Problem& problem, const CasePlan& plan,
                                 const problem::Workload& workload, const Oracle& oracle,
                                 const judge::RunKey& key);

  // Fresh content for each (phase, round).
  InputBytes draw(judge::Phase phase, std::uint64_t round, judge::Family family) const;
  // Nothing of the inputs depends on the call.
  bool are_constant() const { return are_constant_; }
  // The key from which the outputs of a call are poisoned.
  std::uint64_t poison_key(judge::Phase phase, std::uint64_t round, std::size_t output) const;

 private:
  CallInputs(const CasePlan& plan, const problem::Workload& workload, const Oracle& oracle,
             const judge::RunKey& key)
      : plan_(&plan), workload_(&workload), oracle_(&oracle), key_(key) {}

  const CasePlan* plan_;
  const problem::Workload* workload_;
  const Oracle* oracle_;
  judge::RunKey key_;
  bool are_constant_ = true;
  bool are_custom_ = false;
  std::vector<std::string> fixed_;  // by input; empty: drawn
  std::vector<bool> is_fixed_;
  std::vector<judge::Distribution> distributions_;
  std::vector<std::shared_ptr<const judge::Pool>>
      pools_;  // by input; null: drawn element by element
};

}  // namespace ki::harness
