// One case of a run: the judging process, then the timing processes.
#pragma once

#include "ki/harness/call_inputs.h"
#include "ki/harness/oracle.h"
#include "ki/harness/run.h"
#include "ki/measure/batch.h"
#include "ki/sandbox/cell.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ki::harness {

// The processors of a cell of that many threads: the last ones, so that the first is left to the
// clock.
std::vector<int> cell_processors(int threads);

class CaseRun {
 public:
  CaseRun(const RunInput& input, const CasePlan& plan, const problem::Workload& workload,
          const Oracle& oracle, const std::string& object, std::function<void(std::string)> tell)
      : input_(input),
        plan_(plan),
        workload_(workload),
        oracle_(oracle),
        object_(object),
        tell_(std::move(tell)) {}

  Result<CaseResult> run();
  // One hidden round at a size that is not published. A solution may say that it does not do it.
  Result<Verdict> run_held_out();
  bool was_cancelled() const { return was_cancelled_; }

 private:
  enum class Fill : std::uint8_t { kZero, kPoison };
  enum class Place : std::uint8_t { kStart, kEnd, kAligned };
  struct Call {
    judge::Phase phase = judge::Phase::kPublic;
    judge::Family family = judge::Family::kBase;
    std::uint32_t process = 0;
    std::uint64_t round = 0;         // of the inputs
    std::uint64_t poison_round = 0;  // of the poison
    Fill fill = Fill::kPoison;
    Place place = Place::kAligned;
  };
  // What a checked call came to. `outputs` are the bytes as they were when the clock stopped.
  struct Checked {
    std::vector<std::vector<std::byte>> outputs;
    std::vector<judge::StrictResult> strict;
    bool is_strict_passed = true;
    bool is_reference_fit = true;  // the native path of the oracle passes against the exact one
    std::uint64_t unwritten = 0;
  };

  Result<sandbox::Cell> start(int sets);
  Result<void> judge_process();
  Result<void> timing_process(std::uint32_t process);
  // One ring of `calls`, one a set, each filled and checked. Nothing when the case is over.
  Result<std::optional<std::vector<Checked>>> ring(sandbox::Cell& cell,
                                                   const std::vector<Call>& calls, bool is_timed,
                                                   sandbox::CallReport& report);
  Result<Checked> check(const Call& call, const InputBytes& inputs,
                        std::vector<std::vector<std::byte>> outputs);
  void judge_compatibly(const Call& call, const Checked& checked,
                        const std::vector<OracleOutput>& expected);
  Result<bool> is_reference_fit(judge::Phase phase, std::uint64_t round, judge::Family family);

  bool is_over() const { return result_.strict.status != problem::Status::kPassed; }
  void end(problem::Status status, std::string reason, std::string detail);
  void end_by(const sandbox::Ending& ending);
  void flag(std::string_view name);
  bool is_cancelled();
  bool ring_empty(sandbox::Cell& cell);
  sandbox::Waiting waiting() const;
  measure::EmptyCall empty_call() const;

  const RunInput& input_;
  const CasePlan& plan_;
  const problem::Workload& workload_;
  const Oracle& oracle_;
  const std::string& object_;
  std::function<void(std::string)> tell_;
  std::optional<CallInputs> inputs_;
  std::vector<OracleOutput> expected_;  // of the call checked last
  CaseResult result_;
  bool was_cancelled_ = false;
  bool is_compatible_over_ = false;
  std::uint64_t judged_right_ = 0;     // calls that were right before timing began
  std::uint64_t timed_untouched_ = 0;  // timed calls that left every poisoned element as it was
  double call_ns_ = 0;                 // of a call, from the judging process
  std::uint32_t calls_a_sample_ = 1;
  std::vector<double> empty_ns_;
  std::vector<std::vector<std::byte>> first_outputs_;  // hidden round 0, for a fresh process
};

}  // namespace ki::harness
