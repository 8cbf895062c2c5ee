#include "job_submit.h"

#include "catalog_keys.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/writer.h"
#include "problem.h"
#include "publish_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

namespace ki::cli {
namespace {

// A job that could not even be planned is refused before anybody waits for it.
Result<harness::RunPlan> whole_plan(const problem::Problem& problem,
                                    const harness::PlanOptions& options) {
  KI_TRY(const auto held_out, problem::held_out_axes(problem.folder));
  return harness::make_plan(problem, held_out, options);
}

std::string fresh_nonce() {
  std::random_device device;  // getrandom(2)
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace

std::filesystem::path queue_path(const std::filesystem::path& catalog) {
  return catalog.string() + ".queue";
}

Result<Digest> workloads_digest(const problem::Problem& problem) {
  std::string text;
  for (const problem::Workload& one : problem.workloads)
    text += problem::write_workload(one) + "\n";
  KI_TRY(const auto held_out, problem::held_out_axes(problem.folder));
  for (const auto& axes : held_out) {
    for (const problem::AxisValue& axis : axes)
      text += fmt::format("held out {}={}\n", axis.name, axis.value);
    text += "\n";
  }
  return Digest::of(text);
}

Result<std::chrono::seconds> parse_time(std::string_view option, const std::string& text) {
  std::size_t digits = 0;
  while (digits < text.size() && is_ascii_digit(text[digits])) ++digits;
  const std::string_view unit = std::string_view(text).substr(digits);
  const std::int64_t factor = unit.empty() || unit == "s" ? 1
                              : unit == "m"               ? 60
                              : unit == "h"               ? 3600
                              : unit == "d"               ? 86'400
                                                          : 0;
  if (digits == 0 || digits > 6 || factor == 0) {
    return fail(
        Code::kInvalidArgument,
        fmt::format("--{} is {}; expected a time such as 90s, 10m, 1h or 7d", option, quote(text)));
  }
  return std::chrono::seconds(std::stoll(text.substr(0, digits)) * factor);
}

Result<int> submit_job(const Context& context, const problem::Problem& problem,
                       problem::Solution solution, const JobRequest& request) {
  const Arguments& arguments = context.arguments();
  KI_TRY(harness::PlanOptions plan, plan_options(context));
  plan.cases = request.cases;
  KI_TRY(const std::int64_t threads, arguments.integer("threads", solution.x_threads, 1, 1024));
  solution.x_threads = static_cast<int>(threads);
  if (!plan.is_quick && plan.processes < 6) {
    return fail(Code::kInvalidArgument,
                "only a full run is published: at least 6 --processes, or --quick");
  }
  queue::Job job;
  KI_TRY(const harness::RunPlan whole, whole_plan(problem, plan));
  for (const harness::CasePlan& one : whole.cases)
    job.cases.push_back(problem.workloads[one.workload].uuid);
  const Instant now = context.now();
  UuidSource ids = new_ids();
  job.id = ids.next(now);
  job.created = now;
  KI_TRY(const auto life, parse_time("expires", arguments.value("expires").value_or("7d")));
  job.expires = Instant{now.ms + 1000 * life.count()};
  job.nonce = fresh_nonce();
  job.problem = problem.definition.name;
  std::error_code error;
  job.location = std::filesystem::absolute(problem.folder, error).lexically_normal().string();
  job.definition = problem.definition.digest;
  KI_TRY(job.workloads, workloads_digest(problem));
  const std::string text = solution.to_json();
  job.solution = Digest::of(text);
  job.protocol = std::string(harness::protocol_name(plan.cache));
  job.processes = whole.processes;
  job.threads = threads;
  job.is_quick = plan.is_quick;
  job.runner.host_class = arguments.value("host-class").value_or("any");
  job.runner.needs_full_isolation = arguments.has("full-isolation");
  KI_TRY(job.limits.attempts, arguments.integer("attempts", 3, 1, 1000));
  KI_TRY(const auto limit, parse_time("time-limit", arguments.value("time-limit").value_or("1h")));
  job.limits.seconds = limit.count();
  job.origin = request.origin;
  // Whatever the options said, the runner's reader is the judge.
  KI_TRY_VOID(queue::Job::read(job.to_json()));

  KI_TRY_VOID(prepare_signing(context));
  KI_TRY(OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(const auto runner, find_runner(*catalog.store, catalog.path));
  if (!runner) return fail(Code::kNotFound, "the catalog has no runner key; make one: ki key init");
  KI_TRY(const auto queue, queue::FileQueue::open(queue_path(catalog.path)));
  KI_TRY(const queue::JobRecord record,
         queue->submit(queue::sign_job(job, runner->key), text, now));
  if (context.is_json()) {
    std::string out;
    json::Writer w(out, json::Writer::Style::kIndented);
    w.begin_object().member("id", job.id.to_string()).member("job", job.digest().to_string());
    w.member("state", queue::to_string(record.state)).end_object();
    context.out(out + "\n");
  } else {
    context.out(
        fmt::format("{}  {} · {} · {}\n", job.id.to_string(), job.problem, solution.name,
                    display::count_noun(static_cast<std::int64_t>(job.cases.size()), "case")));
    context.err("queued; ki runner does it, ki job show says how it stands\n");
  }
  return kDone;
}

}  // namespace ki::cli
