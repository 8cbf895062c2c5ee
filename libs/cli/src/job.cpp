// ki job: submit, list, show and cancel the jobs of a catalog.
#include "command.h"
#include "document.h"
#include "job_submit.h"
#include "ki/base/text.h"
#include "ki/display/format.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

using queue::JobRecord;

Result<std::unique_ptr<queue::FileQueue>> open_queue(const Context& context) {
  const std::filesystem::path folder = queue_path(context.catalog_path());
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) {
    return fail(Code::kNotFound, "no job was ever queued here; make one: ki rerun RUN --enqueue");
  }
  return queue::FileQueue::open(folder);
}

// By id or by the beginning of one.
Result<JobRecord> find_job(const Context& context, queue::Queue& queue) {
  if (context.operands().size() != 2) return context.usage("which job?");
  const std::string& name = context.operands()[1];
  if (const auto id = Uuid::parse(name)) return queue.find(*id, context.now());
  KI_TRY(const queue::QueueListing listing, queue.list(context.now()));
  const JobRecord* found = nullptr;
  for (const JobRecord& one : listing.jobs) {
    if (name.size() < 4 || !one.job.id.to_string().starts_with(name)) continue;
    if (found != nullptr)
      return fail(Code::kInvalidArgument, fmt::format("{} begins several ids", quote(name)));
    found = &one;
  }
  if (found == nullptr) return fail(Code::kNotFound, fmt::format("there is no job {}", name));
  return *found;
}

Result<int> submit(Context& context) {
  if (context.operands().size() != 2) return context.usage("submit which problem's folder?");
  const auto file = context.arguments().value("solution");
  if (!file) return context.usage("submit needs --solution FILE");
  KI_TRY(const problem::Problem problem,
         problem::load_problem(context.operands()[1], problem::Mode::kStrict));
  KI_TRY(problem::Solution solution,
         problem::load_solution(*file, problem.definition, problem::Mode::kStrict));
  return submit_job(context, problem, std::move(solution),
                    {.cases = context.arguments().values("case"), .origin = *file});
}

Result<int> list(Context& context) {
  if (context.operands().size() != 1) return context.usage("list takes no operands");
  KI_TRY(const auto queue, open_queue(context));
  KI_TRY(const queue::QueueListing all, queue->list(context.now()));
  const auto state = context.arguments().value("state");
  Listing listing("jobs", {{"id", "job"},
                           {"state", "state"},
                           {"problem", "problem"},
                           {"results", "results", display::Align::kRight},
                           {"cases", "cases", display::Align::kRight},
                           {"attempts", "attempts", display::Align::kRight},
                           {"submittedAt", "submitted"},
                           {"message", "note", display::Align::kLeft, 60}});
  for (const JobRecord& one : all.jobs) {
    if (state && *state != queue::to_string(one.state)) continue;
    listing.add(
        {text_cell(one.job.id.to_string()), text_cell(queue::to_string(one.state)),
         text_cell(one.job.problem), count_cell(static_cast<std::int64_t>(one.results.size())),
         count_cell(static_cast<std::int64_t>(one.job.cases.size())), count_cell(one.attempts),
         text_cell(one.submitted.to_string()), text_cell(one.message)});
  }
  std::string footer = display::count_noun(static_cast<std::int64_t>(listing.size()), "job");
  for (const std::string& id : all.damaged)
    footer += fmt::format("\nthe file of job {} is damaged", id);
  listing.set_footer(footer);
  context.print(listing);
  return all.damaged.empty() ? kDone : kDidNotPass;
}

Result<std::string> job_json(const JobRecord& record) {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object().member("id", record.job.id.to_string());
  w.member("state", queue::to_string(record.state)).member("message", record.message);
  w.member("attempts", record.attempts).member("leases", record.leases);
  w.member("cancelAsked", record.is_cancel_asked);
  w.member("ignoredResults", record.ignored_results);
  w.member("submittedAt", record.submitted.to_string());
  w.member("changedAt", record.changed.to_string());
  w.member("digest", record.job.digest().to_string());
  KI_TRY(const json::Document job, json::read_document(record.job.to_json()));
  w.key("job").value(job.root).key("lease");
  if (record.lease) {
    w.begin_object().member("runner", record.lease->holder.name);
    w.member("process", record.lease->holder.pid).member("until", record.lease->until.to_string());
    w.member("publishing", record.lease->is_sealed).end_object();
  } else {
    w.null();
  }
  w.key("results").begin_array();
  for (const queue::CaseOutcome& one : record.results) {
    KI_TRY(const json::Document result, json::read_document(one.text));
    w.begin_object().member("case", one.workload).key("result").value(result.root).end_object();
  }
  w.end_array().key("events").begin_array();
  for (const queue::Event& one : record.events)
    w.begin_object().member("at", one.at.to_string()).member("what", one.what).end_object();
  w.end_array().end_object();
  return out + "\n";
}

Result<int> show(Context& context) {
  KI_TRY(const auto queue, open_queue(context));
  KI_TRY(const JobRecord record, find_job(context, *queue));
  if (context.is_json()) {
    KI_TRY(const std::string text, job_json(record));
    context.out(text);
    return kDone;
  }
  const queue::Job& job = record.job;
  std::string text = fmt::format("job {}: {}", job.id.to_string(), queue::to_string(record.state));
  if (!record.message.empty()) text += ": " + record.message;
  text += fmt::format("\n  problem   {} ({})\n  solution  {} ({})\n", job.problem,
                      shortened(job.definition, 19), job.origin, shortened(job.solution, 19));
  text += fmt::format("  plan      {}, {}, {}{}\n", job.protocol,
                      display::count_noun(job.processes, "process", "processes"),
                      display::count_noun(job.threads, "thread"),
                      job.is_quick ? ", quick: nothing is published" : "");
  text += fmt::format("  limits    {} of {} attempts, {} s each, expires {}\n", record.attempts,
                      job.limits.attempts, job.limits.seconds, job.expires.to_string());
  if (record.lease) {
    text += fmt::format("  runner    {} (process {}){}\n", record.lease->holder.name,
                        record.lease->holder.pid, record.lease->is_sealed ? ", publishing" : "");
  }
  for (const std::string& name : job.cases) {
    text += fmt::format("  case {}: ", name);
    const queue::CaseOutcome* outcome = record.result_of(name);
    if (outcome == nullptr) {
      text += "no result yet\n";
      continue;
    }
    KI_TRY(const json::Document result, json::read_document(outcome->text));
    text += text_at(result.root, "status");
    const json::Value* latency = at(result.root, "latencyNs");
    if (latency != nullptr && latency->is_number()) {
      const display::Readout readout = display::latency(latency->number());
      text += fmt::format(", {} {}", readout.value, readout.unit);
    }
    const std::string_view run = text_at(result.root, "runId");
    if (!run.empty()) text += fmt::format(", ki show run {}", run);
    text += '\n';
  }
  if (record.ignored_results > 0)
    text += fmt::format("  {} ignored\n",
                        display::count_noun(record.ignored_results, "late or second result"));
  for (const queue::Event& one : record.events)
    text += fmt::format("  {}  {}\n", one.at.to_string(), one.what);
  context.out(text);
  return kDone;
}

Result<int> cancel(Context& context) {
  KI_TRY(const auto queue, open_queue(context));
  KI_TRY(const JobRecord record, find_job(context, *queue));
  KI_TRY(const JobRecord after,
         queue->cancel(record.job.id,
                       context.arguments().value("reason").value_or("cancelled by hand"),
                       context.now()));
  if (context.is_json()) {
    KI_TRY(const std::string text, job_json(after));
    context.out(text);
  } else {
    context.out(fmt::format("job {}: {}\n", after.job.id.to_string(),
                            after.state == queue::State::kLeased ? "its runner was asked to stop"
                                                                 : queue::to_string(after.state)));
  }
  return kDone;
}

}  // namespace

Result<int> run_job(Context& context) {
  if (context.operands().empty()) return context.usage("what about jobs?");
  const std::string& verb = context.operands().front();
  if (verb == "submit") return submit(context);
  if (verb == "list") return list(context);
  if (verb == "show") return show(context);
  if (verb == "cancel") return cancel(context);
  return context.usage(fmt::format("{} is not something that job can do", quote(verb)));
}

}  // namespace ki::cli
