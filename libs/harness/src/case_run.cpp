#include "case_run.h"

#include "ki/base/check.h"
#include "ki/digest/sha256.h"
#include "ki/judge/poison.h"
#include "ki/measure/batch.h"
#include "ki/measure/caches.h"
#include "ki/stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

namespace ki::harness {
namespace {

using judge::Family;
using judge::Phase;
using judge::Reason;
using problem::Status;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostCalls = 64;
constexpr int kEmptyRings = 20;
constexpr std::uint64_t kRightBefore = 20;  // harness 14 section 8, M05
constexpr std::uint64_t kUntouched = 2;
constexpr double kSlowCallNs = 50e6;  // above it ten samples a process are enough
constexpr std::chrono::milliseconds kMostSampling{1'000};
constexpr std::uint64_t kPerturbedRound = 1'000'000;
constexpr int kMostAttempts = 5;  // times the samples wanted

std::string_view name_of(Reason reason) { return judge::to_string(reason); }

Digest digest_of(const std::vector<std::vector<std::byte>>& parts) {
  Sha256 hash;
  for (const auto& part : parts)
    hash.update({reinterpret_cast<const char*>(part.data()), part.size()});
  return hash.finish();
}

}  // namespace

sandbox::TensorPlan tensor_of(const problem::ResolvedArgument& argument) {
  sandbox::TensorPlan out;
  out.dtype = static_cast<std::int32_t>(argument.is_scalar ? problem::scalar_type(argument.dtype)
                                                           : argument.dtype);
  out.shape = argument.shape;
  // In memory a packed tensor has half the numbers in its last dimension.
  if (argument.dtype == problem::Dtype::kF4E2m1x2 && !out.shape.empty()) out.shape.back() /= 2;
  out.bytes = static_cast<std::uint64_t>(argument.bytes);
  return out;
}

std::vector<int> cell_processors(int threads) {
  const int cpus = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<int> out;
  for (int i = 0; i < std::min(threads, cpus); ++i) out.push_back(cpus - 1 - i);
  return out;
}

void CaseRun::flag(std::string_view name) {
  if (std::ranges::find(result_.flags, name) == result_.flags.end())
    result_.flags.emplace_back(name);
}

bool CaseRun::is_cancelled() {
  was_cancelled_ = was_cancelled_ || (input_.cancel != nullptr && input_.cancel->load()) ||
                   (input_.deadline && Clock::now() >= *input_.deadline);
  return was_cancelled_;
}

// The first thing that goes wrong decides; both verdicts where it is no matter of comparing.
void CaseRun::end(Status status, std::string reason, std::string detail) {
  if (result_.strict.status == Status::kPassed) result_.strict = {status, reason, detail};
  if (status != Status::kIncorrectNumerical && !is_compatible_over_) {
    result_.compatible = {status, std::move(reason), std::move(detail)};
    is_compatible_over_ = true;
  }
}

void CaseRun::end_by(const sandbox::Ending& ending) {
  switch (ending.cause) {
    case sandbox::EndCause::kTimeout:
    case sandbox::EndCause::kCpuLimit:
      return end(Status::kTimeout, "call_timeout", ending.text);
    case sandbox::EndCause::kExited:
      return end(Status::kRuntimeError, "early_exit", ending.text);
    default:
      return end(Status::kRuntimeError, ending.reason(), ending.text);
  }
}

Result<sandbox::Cell> CaseRun::start(int sets) {
  sandbox::CellPlan plan;
  plan.object = object_;
  plan.entry = input_.solution.entry_symbol;
  for (const auto& input : plan_.inputs) plan.inputs.push_back(tensor_of(input));
  for (const auto& output : plan_.outputs) plan.outputs.push_back(tensor_of(output));
  plan.sets = sets;
  plan.threads = input_.solution.x_threads;
  plan.cpus = cell_processors(plan.threads);
  return sandbox::Cell::start(input_.host, plan);
}

Result<CaseRun::Checked> CaseRun::check(const Call& call, const InputBytes& inputs,
                                        std::vector<std::vector<std::byte>> outputs) {
  std::vector<std::span<const std::byte>> data;
  for (const auto& one : inputs) data.emplace_back(one);
  KI_TRY(expected_, oracle_.compute({plan_.axes, plan_.inputs, plan_.outputs, data}));
  Checked out;
  CallFact fact{
      .phase = call.phase, .family = call.family, .process = call.process, .round = call.round};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const problem::ResolvedArgument& output = plan_.outputs[i];
    std::optional<std::uint64_t> poison;
    if (call.fill == Fill::kPoison) poison = inputs_->poison_key(call.phase, call.poison_round, i);
    const judge::StrictCase one{.dtype = output.dtype,
                                .shape = output.shape,
                                .output = outputs[i],
                                .native = expected_[i].native,
                                .exact = expected_[i].exact,
                                .poison = poison,
                                .tolerance = workload_.tolerance};
    judge::StrictResult verdict = judge::compare_strict(one);
    out.unwritten += verdict.unwritten == verdict.total && verdict.total > 0 ? 1 : 0;
    out.is_strict_passed = out.is_strict_passed && verdict.is_passed();
    if (fact.reason == Reason::kNone) fact.reason = verdict.reason;
    if (verdict.is_weak_tolerance) flag("weak_tolerance");
    if (verdict.is_precision_downgrade) flag("precision_downgrade");
    const bool is_worse = !result_.worst || (result_.worst->is_passed() && !verdict.is_passed()) ||
                          (result_.worst->is_passed() == verdict.is_passed() &&
                           verdict.max_absolute_error > result_.worst->max_absolute_error);
    if (is_worse) result_.worst = verdict;
    out.strict.push_back(std::move(verdict));
  }
  fact.inputs = digest_of(inputs);
  fact.outputs = digest_of(outputs);
  result_.calls.push_back(fact);
  out.outputs = std::move(outputs);
  return out;
}

// The binary64 reference must accept what the reference makes in the definition's own types;
// otherwise no kernel can be judged by these inputs.
Result<bool> CaseRun::is_reference_fit(Phase phase, std::uint64_t round, Family family) {
  const InputBytes inputs = inputs_->draw(phase, round, family);
  std::vector<std::span<const std::byte>> data;
  for (const auto& one : inputs) data.emplace_back(one);
  KI_TRY(const auto expected, oracle_.compute({plan_.axes, plan_.inputs, plan_.outputs, data}));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const problem::ResolvedArgument& output = plan_.outputs[i];
    if (!judge::compare_strict({output.dtype,
                                output.shape,
                                expected[i].native,
                                expected[i].native,
                                expected[i].exact,
                                {},
                                workload_.tolerance})
             .is_passed())
      return false;
  }
  return true;
}

Result<std::optional<std::vector<CaseRun::Checked>>> CaseRun::ring(sandbox::Cell& cell,
                                                                   const std::vector<Call>& calls,
                                                                   bool is_timed,
                                                                   sandbox::CallReport& report) {
  std::vector<InputBytes> inputs;
  const int input_count = static_cast<int>(plan_.inputs.size());
  const int output_count = static_cast<int>(plan_.outputs.size());
  for (std::size_t s = 0; s < calls.size(); ++s) {
    const Call& call = calls[s];
    const int set = static_cast<int>(s);
    inputs.push_back(inputs_->draw(call.phase, call.round, call.family));
    for (int i = 0; i < input_count + output_count; ++i) {
      const std::size_t slack = cell.slack(i);
      std::size_t offset = 0;
      if (call.place == Place::kEnd) {
        offset = slack;
      } else if (call.place == Place::kAligned) {
        const std::size_t places = std::min<std::size_t>(slack, 4095) / 64 + 1;
        offset = 64 * ((call.round * 7 + static_cast<std::size_t>(i) * 3 + s) % places);
      }
      cell.place(set, i, offset);
    }
    for (int i = 0; i < input_count; ++i) {
      const auto& bytes = inputs.back()[static_cast<std::size_t>(i)];
      if (!bytes.empty()) std::memcpy(cell.tensor(set, i).data(), bytes.data(), bytes.size());
    }
    for (int i = 0; i < output_count; ++i) {
      const std::span<std::byte> room = cell.tensor(set, input_count + i);
      const auto index = static_cast<std::size_t>(i);
      if (call.fill == Fill::kZero) {
        std::ranges::fill(room, std::byte{0});
      } else {
        judge::fill_poison(plan_.outputs[index].dtype,
                           inputs_->poison_key(call.phase, call.poison_round, index), room);
      }
    }
  }
  sandbox::RingOptions options;
  options.count = static_cast<int>(calls.size());
  options.deadline = plan_.call_deadline * options.count;
  options.waiting = waiting();
  if (input_.plan.cache == Cache::kCold) {
    options.before_thaw = [&] { measure::flush_cell(cell, 0, options.count); };
  }
  report = cell.ring(options);
  for (const std::string& call : report.denied) {
    if (std::ranges::find(result_.denied, call) == result_.denied.end())
      result_.denied.push_back(call);
    flag("denied_calls");
  }
  if (report.ending) {
    end_by(*report.ending);
    return std::nullopt;
  }
  if (report.late_write) {
    end(Status::kRewardHack, "late_write",
        "an output changed after the call had returned and the clock had stopped");
    return std::nullopt;
  }
  if (!report.broken_canaries.empty()) {
    end(Status::kRuntimeError, "oob",
        fmt::format("bytes beside tensor {} were changed", report.broken_canaries.front()));
    return std::nullopt;
  }
  for (const sandbox::InsideStamp& stamp : report.calls) {
    if (stamp.mxcsr_changed) flag("fp_env_modified");
    if (stamp.result == 0) continue;
    end(Status::kRuntimeError, stamp.result == 1 ? "unsupported" : "nonzero_rc",
        fmt::format("the entry point returned {}", stamp.result));
    return std::nullopt;
  }
  std::vector<Checked> out;
  for (std::size_t s = 0; s < calls.size(); ++s) {
    std::vector<std::vector<std::byte>> outputs;
    for (int i = 0; i < output_count; ++i) {
      const auto room = cell.tensor(static_cast<int>(s), input_count + i);
      outputs.emplace_back(room.begin(), room.end());
    }
    KI_TRY(Checked checked, check(calls[s], inputs[s], std::move(outputs)));
    if (!checked.is_strict_passed && is_timed) timed_untouched_ += checked.unwritten > 0 ? 1 : 0;
    if (checked.is_strict_passed) ++judged_right_;
    if (calls[s].phase == Phase::kPublic && calls[s].fill == Fill::kZero)
      judge_compatibly(calls[s], checked, expected_);
    out.push_back(std::move(checked));
  }
  return out;
}

void CaseRun::judge_compatibly(const Call& call, const Checked& checked,
                               const std::vector<OracleOutput>& expected) {
  if (is_compatible_over_) return;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const problem::ResolvedArgument& output = plan_.outputs[i];
    const auto got = judge::compare_compatible({output.dtype, output.shape, checked.outputs[i]},
                                               {output.dtype, output.shape, expected[i].native},
                                               workload_.tolerance);
    result_.compatible_summary.add(got);
    if (got.is_passed) continue;
    result_.compatible = {Status::kIncorrectNumerical,
                          got.has_nan       ? "nan"
                          : got.has_inf     ? "inf"
                          : got.is_over_cap ? "cap"
                                            : "tolerance",
                          fmt::format("round {}: {} of {} numbers are out of tolerance",
                                      call.round + 1, got.bad, got.total)};
    is_compatible_over_ = true;
    return;
  }
}

Result<void> CaseRun::judge_process() {
  KI_TRY(sandbox::Cell cell, start(1));
  if (cell.ending()) {
    end_by(*cell.ending());
    result_.log = cell.log();
    return {};
  }
  const auto fail_strictly = [&](const Checked& checked, std::string_view where) {
    for (const judge::StrictResult& verdict : checked.strict) {
      if (verdict.is_passed()) continue;
      const Status status = verdict.reason == Reason::kInvalidReference
                                ? Status::kInvalidReference
                                : Status::kIncorrectNumerical;
      end(status, std::string(name_of(verdict.reason)),
          fmt::format("{}: {} of {} numbers are wrong, {} were never written", where, verdict.bad,
                      verdict.total, verdict.unwritten));
      return;
    }
  };
  sandbox::CallReport report;
  double fastest = 1e18;
  std::uint64_t order = 0;
  const auto call_once = [&](const Call& call) -> Result<std::optional<Checked>> {
    Call placed = call;
    const std::array<Place, 4> places = {Place::kAligned, Place::kEnd, Place::kStart, Place::kEnd};
    placed.place = places[order++ % places.size()];
    KI_TRY(auto checked, ring(cell, {placed}, false, report));
    if (!checked) return std::nullopt;
    fastest = std::min(fastest, static_cast<double>(report.elapsed_ns));
    return std::optional<Checked>(std::move(checked->front()));
  };
  KI_TRY(const bool is_fit, is_reference_fit(Phase::kPublic, 0, Family::kBase));
  if (!is_fit) {
    end(Status::kInvalidReference, "reference_imprecise",
        "the reference in the definition's types does not pass against binary64");
    return {};
  }
  // Like the original: zeroed outputs, the same rounds. Its verdict goes on where ours has ended.
  for (int round = 0; round < plan_.public_rounds && !is_cancelled(); ++round) {
    KI_TRY(const auto checked, call_once({.phase = Phase::kPublic,
                                          .round = static_cast<std::uint64_t>(round),
                                          .fill = Fill::kZero}));
    if (!checked) break;
    if (!checked->is_strict_passed && !is_over()) {
      // With garbage in the outputs the same inputs tell what was never written from what is wrong.
      KI_TRY(const auto again, call_once({.phase = Phase::kPublic,
                                          .round = static_cast<std::uint64_t>(round),
                                          .poison_round = static_cast<std::uint64_t>(round)}));
      if (!again) break;
      fail_strictly(again->is_strict_passed ? *checked : *again,
                    fmt::format("public round {}", round + 1));
    }
    if (is_over() && is_compatible_over_) break;
  }
  for (int round = 0; round < plan_.hidden_rounds && !is_over() && !is_cancelled(); ++round) {
    const auto index = static_cast<std::uint64_t>(round);
    Family family = judge::kFamilies[index % judge::kFamilies.size()];
    KI_TRY(const bool is_usable, is_reference_fit(Phase::kHidden, index, family));
    if (!is_usable) family = Family::kBase;
    KI_TRY(const auto checked,
           call_once(
               {.phase = Phase::kHidden, .family = family, .round = index, .poison_round = index}));
    if (!checked) break;
    if (checked->is_strict_passed) continue;
    // Right when the outputs were zero before, wrong when they held garbage: it reads them.
    KI_TRY(const auto zeroed,
           call_once(
               {.phase = Phase::kHidden, .family = family, .round = index, .fill = Fill::kZero}));
    if (!zeroed) break;
    if (zeroed->is_strict_passed) {
      flag("depends_on_output_init");
      end(Status::kIncorrectNumerical, "depends_on_output_init",
          fmt::format("hidden round {}: right when the outputs held zeros, wrong with garbage",
                      round + 1));
      break;
    }
    fail_strictly(*checked,
                  fmt::format("hidden round {} ({})", round + 1, judge::to_string(family)));
  }
  if (!is_over() && !is_cancelled()) {
    // The same inputs three times: the same garbage twice, then other garbage.
    std::vector<Checked> repeats;
    for (const std::uint64_t poison : {0U, 0U, 1000U}) {
      KI_TRY(auto checked,
             call_once({.phase = Phase::kHidden, .round = 0, .poison_round = poison}));
      if (!checked) break;
      repeats.push_back(*std::move(checked));
    }
    if (repeats.size() == 3) {
      for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
        const auto verdict =
            judge::compare_repeats({repeats[0].outputs[i], repeats[1].outputs[i],
                                    repeats[2].outputs[i], repeats[2].strict[i].is_passed()});
        if (!verdict.is_deterministic) flag("nondeterministic");
        if (verdict.depends_on_output_init) {
          flag("depends_on_output_init");
          end(Status::kIncorrectNumerical, "depends_on_output_init",
              "the same inputs give other numbers when the outputs held other garbage");
        }
      }
      for (const Checked& one : repeats) {
        if (!one.is_strict_passed) fail_strictly(one, "repeated call");
      }
      first_outputs_ = std::move(repeats[0].outputs);
      // Right after them the same inputs but for the last tile: an answer that was kept by a
      // fingerprint of the inputs is the answer to others.
      if (!is_over()) {
        KI_TRY(const auto perturbed, call_once({.phase = Phase::kHidden,
                                                .family = Family::kLastTile,
                                                .round = kPerturbedRound,
                                                .poison_round = kPerturbedRound}));
        if (perturbed && !perturbed->is_strict_passed)
          fail_strictly(*perturbed, "the same inputs but for the last tile");
      }
    }
  }
  call_ns_ = fastest;
  if (!is_over() && !ring_empty(cell)) return {};
  for (const std::string& object : cell.loaded_objects()) {
    const std::string name = object.substr(object.find_last_of('/') + 1);
    const bool is_runtime = name.starts_with("libc.") || name.starts_with("libm.") ||
                            name.starts_with("ld-linux") || name.starts_with("libstdc++") ||
                            name.starts_with("libgcc_s") || name.starts_with("libgomp") ||
                            name.starts_with("libmvec") || name.starts_with("libpthread") ||
                            name == "object.so" /* the candidate itself */ ||
                            name.starts_with('[') || name.empty();
    if (!is_runtime) flag("uses_library");
  }
  result_.log = cell.log();
  return {};
}

Result<void> CaseRun::timing_process(std::uint32_t process) {
  const std::uint32_t count = calls_a_sample_;
  KI_TRY(sandbox::Cell cell, start(static_cast<int>(count)));
  if (cell.ending()) {
    end_by(*cell.ending());
    return {};
  }
  std::uint64_t round = static_cast<std::uint64_t>(process) << 32;
  sandbox::CallReport report;
  const auto calls_of = [&](Phase phase) {
    std::vector<Call> calls(count);
    for (Call& call : calls) {
      call = {.phase = phase, .process = process, .round = round, .poison_round = round};
      ++round;
    }
    return calls;
  };
  // What the timed calls say of the outputs; also whether the call before was right.
  const auto judge_ring = [&](const std::vector<Checked>& checked) {
    for (const Checked& one : checked) {
      if (one.is_strict_passed) continue;
      if (judged_right_ >= kRightBefore && one.unwritten > 0) {
        if (timed_untouched_ < kUntouched) continue;  // seen once: look at the next
        end(Status::kRewardHack, "phase_divergence",
            fmt::format("{} calls were right, then {} left their outputs untouched", judged_right_,
                        timed_untouched_));
        return;
      }
      const auto bad =
          std::ranges::find_if(one.strict, [](const auto& v) { return !v.is_passed(); });
      end(Status::kIncorrectNumerical, std::string(name_of(bad->reason)),
          fmt::format("a timed call: {} of {} numbers are wrong, {} were never written", bad->bad,
                      bad->total, bad->unwritten));
      return;
    }
  };
  // First the inputs of hidden round 0 once more: another process must give the same numbers.
  if (process == 1 && !first_outputs_.empty()) {
    KI_TRY(const auto checked,
           ring(cell, {{.phase = Phase::kHidden, .process = process}}, true, report));
    if (!checked) return {};
    if (checked->front().outputs != first_outputs_) flag("nondeterministic");
    judge_ring(*checked);
  }
  if (!ring_empty(cell)) return {};
  const auto warm_from = Clock::now();
  for (int i = 0; (i < plan_.warmup_calls || Clock::now() - warm_from < plan_.warmup) &&
                  !is_over() && !is_cancelled();
       ++i) {
    KI_TRY(const auto checked, ring(cell, calls_of(Phase::kWarmup), true, report));
    if (!checked) return {};
    judge_ring(*checked);
  }
  const int least = call_ns_ > kSlowCallNs ? std::min(plan_.samples, 10) : plan_.samples;
  const auto limit =
      measure::DelayLimit::of_planned_window(static_cast<std::uint64_t>(call_ns_ * count));
  const auto from = Clock::now();
  double measured_ns = 0;
  int accepted = 0;
  const auto wants_more = [&](int taken) {
    // A busy machine spoils samples; that many more are taken, and no more than that.
    if (accepted < least) return taken < kMostAttempts * least;
    return std::chrono::duration<double, std::nano>(measured_ns) < plan_.sampling &&
           Clock::now() - from < kMostSampling && !input_.plan.is_quick;
  };
  for (int i = 0; !is_over() && !is_cancelled() && wants_more(i); ++i) {
    KI_TRY(const auto checked, ring(cell, calls_of(Phase::kTimed), true, report));
    if (!checked) return {};
    Sample sample;
    sample.process = process;
    sample.elapsed_ns = report.elapsed_ns;
    for (const auto& stamp : report.calls) sample.inside_ticks += stamp.ticks;
    sample.rejected = measure::rejection(
        {.run_queue_ns = report.after.wait_ns - report.before.wait_ns,
         .migrations =
             static_cast<std::uint32_t>(report.after.migrations - report.before.migrations),
         .major_faults =
             static_cast<std::uint32_t>(report.after.major_faults - report.before.major_faults),
         .was_rearmed = report.was_rearmed},
        limit);
    measured_ns += static_cast<double>(report.elapsed_ns);
    judge_ring(*checked);
    // Every accepted sample belongs to calls that were checked and right.
    const bool are_right =
        std::ranges::all_of(*checked, [](const Checked& c) { return c.is_strict_passed; });
    if (!are_right) continue;
    result_.samples.push_back(sample);
    accepted += sample.rejected ? 0 : 1;
  }
  // A single untouched call is no proof of anything but a wrong answer.
  if (!is_over() && timed_untouched_ > 0) {
    end(Status::kIncorrectNumerical, "partial_write", "a timed call left its outputs untouched");
  }
  if (result_.log.empty()) result_.log = cell.log();
  return {};
}

// The cost of a ring without a call, some times. False when the case is over.
bool CaseRun::ring_empty(sandbox::Cell& cell) {
  for (int i = 0; i < kEmptyRings; ++i) {
    sandbox::RingOptions empty;
    empty.is_empty = true;
    empty.waiting = waiting();
    const auto answer = cell.ring(empty);
    if (answer.ending) {
      end_by(*answer.ending);
      return false;
    }
    if (!answer.was_rearmed) empty_ns_.push_back(static_cast<double>(answer.elapsed_ns));
  }
  return true;
}

sandbox::Waiting CaseRun::waiting() const {
  const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
  return input_.solution.x_threads < cpus ? sandbox::Waiting::kSpin : sandbox::Waiting::kSleep;
}

measure::EmptyCall CaseRun::empty_call() const {
  const bool is_known = !empty_ns_.empty();
  return {.median_ns = is_known ? stats::median(empty_ns_) : 0,
          .deviation_ns =
              is_known ? stats::kMadToSigma * stats::median_absolute_deviation(empty_ns_) : 0,
          .resolution_ns = 1,
          .is_spinning = waiting() == sandbox::Waiting::kSpin};
}

Result<CaseResult> CaseRun::run() {
  result_.uuid = workload_.uuid;
  result_.axes = plan_.axes;
  result_.bytes = plan_.bytes;
  auto inputs = CallInputs::open(input_.problem, plan_, workload_, oracle_, input_.key);
  if (!inputs) {
    end(Status::kRuntimeError, "inputs_unavailable", inputs.error().to_string());
    return std::move(result_);
  }
  inputs_ = *std::move(inputs);
  if (inputs_->are_constant()) flag("constant_inputs");
  tell_(fmt::format("judge {}", workload_.uuid));
  KI_TRY_VOID(judge_process());
  if (!is_over() && !is_cancelled()) {
    calls_a_sample_ = static_cast<std::uint32_t>(
        measure::calls_per_sample(std::max(call_ns_, 1.0), empty_call(), kMostCalls));
    for (int process = 1; process <= input_.plan.processes && !is_over() && !is_cancelled();
         ++process) {
      tell_(fmt::format("time {} · process {} of {}", workload_.uuid, process,
                        input_.plan.processes));
      KI_TRY_VOID(timing_process(static_cast<std::uint32_t>(process)));
    }
  }
  if (!is_over() && !was_cancelled_) {
    const double empty = empty_ns_.empty() ? 0 : stats::median(empty_ns_);
    // The bootstrap's seed follows from the run's key, so that a record can be recomputed.
    const std::uint64_t seed =
        judge::stream_key(input_.key, workload_.uuid, Phase::kTimed, 0, "bootstrap");
    result_.timing = timing_of(result_.samples, calls_a_sample_, empty, seed);
    if (!result_.timing) {
      std::string causes;
      for (std::size_t i = 0; i < measure::kRejectCauses; ++i) {
        const auto cause = static_cast<measure::RejectCause>(i);
        const auto count = std::ranges::count_if(
            result_.samples, [&](const Sample& one) { return one.rejected == cause; });
        if (count > 0) causes += fmt::format(", {} {}", count, measure::to_string(cause));
      }
      end(Status::kRuntimeError, "timing_failed",
          fmt::format("none of {} samples was accepted{}", result_.samples.size(), causes));
    } else if (!result_.timing->rejections.is_healthy()) {
      flag("unhealthy");
    }
  }
  return std::move(result_);
}

Result<Verdict> CaseRun::run_held_out() {
  auto inputs = CallInputs::open(input_.problem, plan_, workload_, oracle_, input_.key);
  if (!inputs)
    return Verdict{Status::kRuntimeError, "inputs_unavailable", inputs.error().to_string()};
  inputs_ = *std::move(inputs);
  KI_TRY(sandbox::Cell cell, start(1));
  if (cell.ending()) {
    end_by(*cell.ending());
    return result_.strict;
  }
  sandbox::CallReport report;
  KI_TRY(const auto checked, ring(cell, {{.phase = Phase::kHidden}}, false, report));
  if (!checked || checked->front().is_strict_passed) return result_.strict;
  std::string sizes;
  for (const auto& axis : plan_.axes) sizes += fmt::format(" {}={}", axis.name, axis.value);
  return Verdict{Status::kIncorrectNumerical, "held_out",
                 fmt::format("wrong at a size that is not published:{}", sizes)};
}

}  // namespace ki::harness
