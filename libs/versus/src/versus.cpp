#include "ki/versus/versus.h"

#include "ki/harness/call_inputs.h"
#include "ki/harness/oracle.h"
#include "ki/harness/run.h"
#include "ki/judge/poison.h"
#include "ki/judge/strict.h"
#include "ki/stats/geometric_mean.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace ki::versus {
namespace {

using judge::Phase;

// Keeps the clock off the processors of the arms while it lives.
class ClockPlacement {
 public:
  explicit ClockPlacement(const std::vector<int>& taken) {
    CPU_ZERO(&before_);
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t after = before_;
    for (const int cpu : taken) CPU_CLR(static_cast<std::size_t>(cpu), &after);
    is_moved_ = CPU_COUNT(&after) > 0 && ::sched_setaffinity(0, sizeof after, &after) == 0;
  }
  ClockPlacement(const ClockPlacement&) = delete;
  ClockPlacement& operator=(const ClockPlacement&) = delete;
  ~ClockPlacement() {
    if (is_moved_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  bool has_own_processor() const { return is_moved_; }

 private:
  cpu_set_t before_{};
  bool is_moved_ = false;
};

// The last processors that this process may use, one a thread: both arms on the same ones.
std::vector<int> processors_of(int threads) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> out;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return out;
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && static_cast<int>(out.size()) < threads; --cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) out.push_back(cpu);
  }
  return out;
}

// The inputs and right answers of a call, kept for the other arm.
struct Known {
  harness::InputBytes inputs;
  std::vector<harness::OracleOutput> expected;
};

class CaseVersus {
 public:
  CaseVersus(const VersusInput& input, const harness::CasePlan& plan,
             const problem::Workload& workload, const harness::Oracle& oracle,
             const VersusResult& builds)
      : input_(input), plan_(plan), workload_(workload), oracle_(oracle), builds_(builds) {}

  Result<VersusCase> run() {
    VersusCase out{.uuid = workload_.uuid, .axes = plan_.axes};
    auto inputs = harness::CallInputs::open(input_.problem, plan_, workload_, oracle_, input_.key);
    if (!inputs) {
      out.failure = inputs.error().to_string();
      return out;
    }
    inputs_.emplace(std::move(*inputs));
    const ClockPlacement placement(processors_);
    const measure::PairedPlan pairs{
        .start_candidate = starter(input_.candidate, builds_.candidate_build.object),
        .start_baseline = starter(input_.baseline, builds_.baseline_build.object),
        .stage = [this](sandbox::Cell& cell, int set,
                        std::uint64_t number) { stage(cell, set, number); },
        .check = [this](sandbox::Cell& cell, int set,
                        std::uint64_t number) { return check(cell, set, number); },
        .processes = input_.processes,
        .rounds = input_.rounds,
        .is_cold = input_.plan.cache == harness::Cache::kCold,
        .waiting =
            placement.has_own_processor() ? sandbox::Waiting::kSpin : sandbox::Waiting::kSleep,
        .deadline = plan_.call_deadline,
        .seed = coin_seed(),
        .cancel = input_.cancel};
    auto run = measure::run_pairs(pairs);
    if (!run) {
      if (run.error().code() != Code::kInvalidArgument)
        return std::unexpected(std::move(run).error());
      out.failure = run.error().to_string();
      return out;
    }
    out.run = std::move(*run);
    out.judgement = measure::judge_pairs(
        out.run.rounds, {.minimum_effect = input_.minimum_effect, .cohort = workload_.uuid},
        coin_seed());
    return out;
  }

 private:
  std::uint64_t coin_seed() const {
    return judge::stream_key(input_.key, workload_.uuid, Phase::kTimed, 0, "coins");
  }

  std::function<Result<sandbox::Cell>(int)> starter(const problem::Solution& solution,
                                                    const std::string& object) {
    return [this, &solution, &object](int sets) {
      sandbox::CellPlan plan{.object = object, .entry = solution.entry_symbol};
      for (const auto& one : plan_.inputs) plan.inputs.push_back(harness::tensor_of(one));
      for (const auto& one : plan_.outputs) plan.outputs.push_back(harness::tensor_of(one));
      plan.sets = sets;
      plan.threads = solution.x_threads;
      plan.cpus = processors_;
      return sandbox::Cell::start(input_.host, plan);
    };
  }

  const Known& known(std::uint64_t number) {
    const auto found = known_.find(number);
    if (found != known_.end()) return found->second;
    // Numbers only grow; both arms are through with the ones before the last sample.
    while (known_.size() > 160) known_.erase(known_.begin());
    Known one{.inputs = inputs_->draw(Phase::kTimed, number, judge::Family::kBase), .expected = {}};
    std::vector<std::span<const std::byte>> data;
    for (const auto& bytes : one.inputs) data.emplace_back(bytes);
    auto expected = oracle_.compute({plan_.axes, plan_.inputs, plan_.outputs, data});
    if (expected) one.expected = std::move(*expected);
    return known_.emplace(number, std::move(one)).first->second;
  }

  void stage(sandbox::Cell& cell, int set, std::uint64_t number) {
    const Known& one = known(number);
    const int inputs = static_cast<int>(plan_.inputs.size());
    for (int i = 0; i < cell.tensor_count(); ++i) {
      const std::size_t places = std::min<std::size_t>(cell.slack(i), 4095) / 64 + 1;
      cell.place(set, i, 64 * ((number * 7 + static_cast<std::size_t>(i) * 3) % places));
      const auto room = cell.tensor(set, i);
      if (i < inputs) {
        const auto& bytes = one.inputs[static_cast<std::size_t>(i)];
        if (!bytes.empty()) std::memcpy(room.data(), bytes.data(), bytes.size());
      } else {
        const auto output = static_cast<std::size_t>(i - inputs);
        judge::fill_poison(plan_.outputs[output].dtype,
                           inputs_->poison_key(Phase::kTimed, number, output), room);
      }
    }
  }

  std::optional<std::string> check(sandbox::Cell& cell, int set, std::uint64_t number) {
    const Known& one = known(number);
    if (one.expected.size() != plan_.outputs.size())
      return "the oracle gives no answer for its inputs";
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      const auto output = cell.tensor(set, static_cast<int>(plan_.inputs.size() + i));
      const judge::StrictResult verdict =
          judge::compare_strict({.dtype = plan_.outputs[i].dtype,
                                 .shape = plan_.outputs[i].shape,
                                 .output = output,
                                 .native = one.expected[i].native,
                                 .exact = one.expected[i].exact,
                                 .poison = inputs_->poison_key(Phase::kTimed, number, i),
                                 .tolerance = workload_.tolerance});
      if (!verdict.is_passed()) {
        return fmt::format("output {} is wrong: {}, {} of {} numbers", i,
                           judge::to_string(verdict.reason), verdict.bad, verdict.total);
      }
    }
    return std::nullopt;
  }

  const VersusInput& input_;
  const harness::CasePlan& plan_;
  const problem::Workload& workload_;
  const harness::Oracle& oracle_;
  const VersusResult& builds_;
  std::optional<harness::CallInputs> inputs_;
  std::map<std::uint64_t, Known> known_;
  // Taken before the clock moves off them.
  const std::vector<int> processors_ =
      processors_of(std::max(input_.candidate.x_threads, input_.baseline.x_threads));
};

Result<sandbox::BuildResult> build_one(const VersusInput& input, const problem::Solution& solution,
                                       const char* name) {
  if (!solution.is_cpu_abi()) {
    return fail(
        Code::kUnsupported,
        fmt::format("{} ({}) is not written for the C ABI of CPU kernels", name, solution.name));
  }
  if (input.progress) input.progress(fmt::format("build {}", solution.name));
  KI_TRY(auto built, sandbox::build(input.host, harness::build_plan(solution)));
  if (built.outcome != sandbox::BuildOutcome::kBuilt) {
    return fail(Code::kInvalidArgument,
                fmt::format("{} ({}) does not build: {}\n{}", name, solution.name, built.reason,
                            built.log.substr(0, 2000)));
  }
  return built;
}

}  // namespace

Result<VersusResult> compare(const VersusInput& input) {
  VersusResult out;
  const harness::Oracle* oracle = harness::find_oracle(input.problem.definition.digest);
  if (oracle == nullptr) {
    return fail(Code::kUnsupported,
                fmt::format("no oracle of ours answers for {}", input.problem.definition.name));
  }
  KI_TRY(out.candidate_build, build_one(input, input.candidate, "the candidate"));
  KI_TRY(out.baseline_build, build_one(input, input.baseline, "the baseline"));
  for (const harness::CasePlan& plan : input.plan.cases) {
    const problem::Workload& workload = input.problem.workloads[plan.workload];
    if (input.progress) {
      input.progress(
          fmt::format("{}/{} {}", out.cases.size() + 1, input.plan.cases.size(), workload.uuid));
    }
    CaseVersus one(input, plan, workload, *oracle, out);
    KI_TRY(VersusCase result, one.run());
    out.cases.push_back(std::move(result));
  }
  std::vector<stats::Comparison> together;
  std::vector<double> ratios;
  for (const VersusCase& one : out.cases) {
    if (!one.judgement) continue;
    together.push_back(one.judgement->comparison);
    if (one.judgement->log_ratio) ratios.push_back(one.judgement->ratio());
  }
  stats::hold_simultaneously(together);
  std::size_t next = 0;
  for (VersusCase& one : out.cases) {
    if (one.judgement) one.judgement->comparison = together[next++];
  }
  if (!ratios.empty() && ratios.size() == out.cases.size()) {
    KI_TRY(out.ratio, stats::geometric_mean(ratios));
  }
  return out;
}

}  // namespace ki::versus
