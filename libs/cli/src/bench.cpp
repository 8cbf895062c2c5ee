// `ki bench`: two solutions of a problem against each other, in pairs.
#include "command.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/display/table.h"
#include "ki/json/writer.h"
#include "ki/machine/lock.h"
#include "ki/machine/snapshot.h"
#include "ki/versus/versus.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using stats::Verdict;
using versus::VersusCase;
using versus::VersusResult;

constexpr int kInconclusive = 4;

// A solution of the problem's own folder by its name, or a file.
fs::path solution_path(const fs::path& problem, const std::string& text) {
  const fs::path own = problem / "solutions" / text / "solution.json";
  std::error_code error;
  if (text.find('/') == std::string::npos && fs::exists(own, error)) return own;
  return fs::is_directory(text, error) ? fs::path(text) / "solution.json" : fs::path(text);
}

std::uint64_t fresh_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 20) ^ device();
}

std::string words_of(const VersusCase& one) {
  if (!one.failure.empty()) return one.failure;
  const measure::RejectionCount& count = one.judgement->rejections;
  if (count.total > 0 && count.accepted == 0) {
    const auto worst = std::ranges::max_element(count.by_cause) - count.by_cause.begin();
    return fmt::format("every round was rejected, most for {}",
                       measure::to_string(static_cast<measure::RejectCause>(worst)));
  }
  const auto& comparison = one.judgement->comparison;
  return comparison.reasons.empty() ? std::string() : comparison.reasons.front().text;
}

std::string axes_text(const VersusCase& one) {
  std::string out;
  for (const auto& axis : one.axes)
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", axis.name, axis.value);
  return out.empty() ? one.uuid : out;
}

int exit_code_of(const VersusResult& result) {
  bool is_decided = true;
  for (const VersusCase& one : result.cases) {
    if (!one.failure.empty()) return kDidNotPass;
    const Verdict verdict = one.judgement->comparison.verdict;
    is_decided = is_decided && (verdict == Verdict::kFaster || verdict == Verdict::kSlower ||
                                verdict == Verdict::kEquivalent);
  }
  return is_decided ? kDone : kInconclusive;
}

void write_case(json::Writer& w, const VersusCase& one) {
  w.begin_object().member("case", one.uuid);
  w.key("axes").begin_object();
  for (const auto& axis : one.axes) w.member(axis.name, axis.value);
  w.end_object();
  w.key("failure");
  one.failure.empty() ? w.null() : w.value(one.failure);
  if (one.judgement) {
    const auto& judged = *one.judgement;
    w.member("verdict", stats::to_string(judged.comparison.verdict));
    w.key("reasons").begin_array();
    for (const auto& reason : judged.comparison.reasons) {
      w.begin_object()
          .member("code", stats::to_string(reason.code))
          .member("text", reason.text)
          .end_object();
    }
    w.end_array();
    w.nullable("p", judged.comparison.p);
    w.nullable("equivalenceP", judged.comparison.equivalence_p);
    if (judged.log_ratio) {
      const auto interval = judged.ratio_interval();
      w.member("ratio", judged.ratio());
      w.key("ratio95").begin_array().value(interval.low).value(interval.high).end_array();
      w.member("intervalMethod", measure::to_string(judged.log_ratio->method));
      w.member("candidateNs", judged.candidate_median_ns)
          .member("baselineNs", judged.baseline_median_ns);
    }
    w.member("callsPerSample", one.run.calls_per_sample).member("emptyCallNs", one.run.empty_ns);
    w.member("isolation", sandbox::to_string(one.run.isolation));
    w.member("healthy", judged.rejections.is_healthy());
    w.key("rejected").begin_object();
    for (std::size_t cause = 0; cause < measure::kRejectCauses; ++cause) {
      w.member(measure::to_string(static_cast<measure::RejectCause>(cause)),
               judged.rejections.by_cause[cause]);
    }
    w.end_object();
    w.key("rounds").begin_array();
    for (const measure::Round& round : one.run.rounds) {
      w.begin_object()
          .member("process", round.process)
          .member("candidateFirst", round.candidate_first);
      w.member("candidateNs", round.candidate_ns).member("baselineNs", round.baseline_ns);
      w.key("rejected");
      round.rejected ? w.value(measure::to_string(*round.rejected)) : w.null();
      w.end_object();
    }
    w.end_array();
  }
  w.end_object();
}

std::string as_json(const problem::Problem& problem, const problem::Solution& candidate,
                    const problem::Solution& baseline, const harness::RunPlan& plan,
                    const VersusResult& result, std::uint64_t seed, std::string_view host_class) {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object()
      .member("protocol", "ki_pair_v1")
      .member("cache", harness::protocol_name(plan.cache));
  w.member("problem", problem.definition.name)
      .member("definition", problem.definition.digest.to_string());
  w.member("candidate", candidate.name).member("candidateDigest", candidate.digest().to_string());
  w.member("baseline", baseline.name).member("baselineDigest", baseline.digest().to_string());
  w.member("seed", std::to_string(seed)).member("hostClass", host_class);
  w.member("compiler", result.candidate_build.compiler.version);
  w.key("geometricMeanRatio");
  result.ratio > 0 ? w.value(result.ratio) : w.null();
  w.key("cases").begin_array();
  for (const VersusCase& one : result.cases) write_case(w, one);
  w.end_array().end_object();
  return out + "\n";
}

void print_table(const Context& context, const problem::Solution& candidate,
                 const problem::Solution& baseline, const VersusResult& result) {
  using display::Align;
  display::Table table({{"case", Align::kLeft, 40},
                        {candidate.name, Align::kRight},
                        {baseline.name, Align::kRight},
                        {"ratio", Align::kRight},
                        {"95 %", Align::kRight},
                        {"rounds", Align::kRight},
                        {"verdict"},
                        {"", Align::kLeft, 70}});
  bool is_unhealthy = false;
  for (const VersusCase& one : result.cases) {
    if (!one.judgement || !one.judgement->log_ratio) {
      const std::string rounds = one.judgement
                                     ? fmt::format("{}/{}", one.judgement->rejections.accepted,
                                                   one.judgement->rejections.total)
                                     : std::string();
      table.add({axes_text(one), "", "", "", "", rounds, one.judgement ? "insufficient" : "failed",
                 words_of(one)});
      is_unhealthy = is_unhealthy || one.judgement.has_value();
      continue;
    }
    const auto& judged = *one.judgement;
    const auto interval = judged.ratio_interval();
    is_unhealthy = is_unhealthy || !judged.rejections.is_healthy();
    table.add({axes_text(one), display::latency_text(judged.candidate_median_ns),
               display::latency_text(judged.baseline_median_ns),
               fmt::format("{:.3f}", judged.ratio()),
               fmt::format("{:.3f}–{:.3f}", interval.low, interval.high),
               fmt::format("{}/{}", judged.rejections.accepted, judged.rejections.total),
               std::string(stats::to_string(judged.comparison.verdict)), words_of(one)});
  }
  context.out(table.render());
  if (result.ratio > 0 && result.cases.size() > 1) {
    context.out(fmt::format("geometric mean of the ratios: {:.3f}\n", result.ratio));
  }
  context.out(fmt::format("Ratios are {} over {}, from pairs; below 1 the former is faster.\n",
                          candidate.name, baseline.name));
  if (is_unhealthy) {
    context.out(
        "Over a fifth of the rounds of a case was rejected: this machine is busy. See ki doctor, "
        "or try more --rounds.\n");
  }
}

}  // namespace

Result<int> run_bench(Context& context) {
  const Arguments& arguments = context.arguments();
  if (context.operands().size() != 2)
    return context.usage("bench which problem's folder, and which solution?");
  const auto other = arguments.value("vs");
  if (!other) return context.usage("bench needs --vs B: the solution to compare with");
  const fs::path folder = context.operands()[0];
  KI_TRY(const problem::Problem problem, problem::load_problem(folder, problem::Mode::kStrict));
  const auto load = [&](const std::string& name) {
    return problem::load_solution(solution_path(folder, name), problem.definition,
                                  problem::Mode::kStrict);
  };
  KI_TRY(const problem::Solution candidate, load(context.operands()[1]));
  KI_TRY(const problem::Solution baseline, load(*other));
  KI_TRY(const std::int64_t rounds, arguments.integer("rounds", 40, 2, 10'000));
  KI_TRY(const std::int64_t processes, arguments.integer("processes", 3, 1, 64));
  KI_TRY(const std::int64_t given, arguments.integer("seed", -1, 0, std::int64_t{1} << 52));
  const std::uint64_t seed =
      arguments.has("seed") ? static_cast<std::uint64_t>(given) : fresh_seed();
  harness::PlanOptions options;
  options.cases = arguments.values("case");
  if (arguments.has("hot")) options.cache = harness::Cache::kHot;
  KI_TRY(const harness::RunPlan plan, harness::make_plan(problem, {}, options));
  KI_TRY(const auto lock, machine::MeasuringLock::acquire("ki bench"));
  KI_TRY(const sandbox::Host host, sandbox::Host::open());
  const bool has_progress = context.environment().is_err_terminal && !context.is_json();
  KI_TRY(const VersusResult result,
         versus::compare({.problem = problem,
                          .candidate = candidate,
                          .baseline = baseline,
                          .plan = plan,
                          .host = host,
                          .key = judge::RunKey::of_seed(seed),
                          .rounds = static_cast<int>(rounds + rounds % 2),
                          .processes = static_cast<int>(processes),
                          .progress =
                              [&](const std::string& what) {
                                if (has_progress) context.err(what + "\n");
                              },
                          .cancel = context.environment().cancel}));
  const std::string_view host_class =
      machine::to_string(machine::host_class_of(machine::take_snapshot()));
  if (context.is_json()) {
    context.out(as_json(problem, candidate, baseline, plan, result, seed, host_class));
  } else {
    print_table(context, candidate, baseline, result);
  }
  return exit_code_of(result);
}

}  // namespace ki::cli
