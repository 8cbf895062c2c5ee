#include "job_executor.h"

#include "document.h"
#include "job_submit.h"
#include "ki/base/text.h"
#include "ki/catalog/store.h"
#include "ki/harness/publication.h"
#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "ki/rerun/statement.h"
#include "problem.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

namespace fs = std::filesystem;
using queue::Attempt;
using queue::CaseOutcome;
using queue::Ending;
using queue::Job;

// {"latencyNs","runId","status"}.
CaseOutcome outcome_of(std::string name, std::string_view status, std::optional<double> latency_ns,
                       const std::string& run) {
  std::string text;
  json::Writer w(text);
  w.begin_object().nullable("latencyNs", latency_ns).key("runId");
  if (run.empty()) {
    w.null();
  } else {
    w.value(run);
  }
  w.member("status", status).end_object();
  return {std::move(name), std::move(text)};
}

// The problem, when it is still what the job names.
Result<problem::Problem> problem_of(const Context& context, const Job& job) {
  std::string why;
  const fs::path problems = context.arguments().value("problems").value_or("problems");
  for (const fs::path& folder : {fs::path(job.location), problems / job.problem}) {
    auto problem = problem::load_problem(folder, problem::Mode::kStrict);
    if (!problem) {
      why += fmt::format("; '{}': {}", folder.string(), problem.error().message());
      continue;
    }
    KI_TRY(const Digest workloads, workloads_digest(*problem));
    if (problem->definition.digest == job.definition && workloads == job.workloads) return problem;
    why += fmt::format("; '{}' is another problem than the job names", folder.string());
  }
  return fail(Code::kInvalidArgument,
              fmt::format("the problem {} is not at hand{}", job.problem, why));
}

// Whether a stored statement is about a run of the job, and names the record of one case.
std::optional<rerun::ControlledRerun> statement_for(std::string_view body, const Digest& job) {
  const auto row = json::read_document(body, {.max_bytes = body.size() + 1});
  if (!row) return std::nullopt;
  const auto envelope = sign::read_envelope(text_at(row->root, "envelope"));
  if (!envelope || envelope->payload_type != sign::kInTotoType) return std::nullopt;
  const auto statement = sign::Statement::parse(envelope->payload);
  if (!statement) return std::nullopt;
  auto rerun = rerun::ControlledRerun::read(*statement);
  if (!rerun || rerun->job != job || rerun->evidence.size() != 1) return std::nullopt;
  return *std::move(rerun);
}

// The outcome that a run's record shows.
Result<std::optional<CaseOutcome>> outcome_of_run(catalog::Store& store, std::uint64_t seq,
                                                  const std::string& run) {
  std::optional<CaseOutcome> out;
  KI_TRY_VOID(store.read_prefix(
      catalog::Table::kRunArtifacts, run + " ", seq,
      [&](const catalog::Entry& entry) -> Result<catalog::Step> {
        KI_TRY(const json::Document row, json::read_document(entry.body));
        if (text_at(row.root, "role") != harness::kRecordRole) return catalog::Step::kGoOn;
        KI_TRY(const auto stored,
               store.find(catalog::Table::kArtifacts, text_at(row.root, "artifactId"), seq));
        if (!stored) return fail(Code::kCorrupt, "an artifact of a run is missing; run ki fsck");
        const json::Limits limits{.max_bytes = std::size_t{256} << 20};
        KI_TRY(const json::Document artifact, json::read_document(stored->body, limits));
        KI_TRY(const json::Document record,
               json::read_document(text_at(artifact.root, "content"), limits));
        const json::Value* cases = record.root.find("cases");
        if (cases == nullptr || !cases->is_array() || cases->items().size() != 1)
          return catalog::Step::kStop;
        const json::Value& one = cases->items().front();
        const json::Value* median = at(one, "timing.medianNs");
        out = outcome_of(std::string(text_at(one, "case")), text_at(one, "strict.status"),
                         median != nullptr && median->is_number()
                             ? std::optional<double>(median->number())
                             : std::nullopt,
                         run);
        return catalog::Step::kStop;
      }));
  return out;
}

}  // namespace

Result<std::optional<Attempt>> CatalogExecutor::find_published(const Job& job) {
  if (job.is_quick) return std::nullopt;
  KI_TRY(const OpenCatalog catalog, context_.open_catalog(Context::Access::kRead));
  const std::uint64_t seq = catalog.snapshot()->seq();
  const Digest digest = job.digest();
  std::vector<std::string> runs;
  KI_TRY_VOID(catalog.store->read_prefix(catalog::Table::kAttestations, "", seq,
                                         [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                           if (statement_for(entry.body, digest)) {
                                             runs.emplace_back(split(entry.key, ' ').front());
                                           }
                                           return catalog::Step::kGoOn;
                                         }));
  if (runs.empty()) return std::nullopt;
  // Ids grow in the order of publication: the runs of cases come before that of a suite.
  std::ranges::sort(runs);
  Attempt out;
  for (const std::string& run : runs) {
    KI_TRY(auto outcome, outcome_of_run(*catalog.store, seq, run));
    if (outcome && std::ranges::find(out.results, outcome->workload, &CaseOutcome::workload) ==
                       out.results.end())
      out.results.push_back(*std::move(outcome));
  }
  return out;
}

Result<Attempt> CatalogExecutor::execute(const Job& job, const std::string& solution_text,
                                         const std::atomic<bool>& cancel,
                                         const std::function<Result<void>()>& seal) {
  KI_TRY(const problem::Problem problem, problem_of(context_, job));
  auto reading = problem::read_solution(solution_text);
  if (!reading.value) return fail(Code::kInvalidArgument, "the job's solution is not readable");
  harness::PlanOptions plan;
  plan.cache = job.protocol == "ki_hot_v1" ? harness::Cache::kHot : harness::Cache::kCold;
  plan.processes = static_cast<int>(job.processes);
  plan.is_quick = job.is_quick;
  const fs::path work = work_ / job.id.to_string();
  std::error_code error;
  fs::create_directories(work, error);
  fs::permissions(work, fs::perms::owner_all, error);

  Attempt out{.ending = Ending::kCancelled, .message = "stopped"};
  KI_TRY_VOID(judge_and_time(
      context_, problem, *std::move(reading.value),
      {.cases = job.cases,
       .is_published = !job.is_quick,
       .plan = plan,
       .job = job.digest(),
       .cancel = &cancel,
       .state_folder = work,
       .has_lock = true,
       .before_publishing = seal,
       .on_end = [&](const harness::RunResult& result, const std::vector<std::string>& runs) {
         if (result.was_cancelled) return;
         out = {};
         for (std::size_t i = 0; i < result.cases.size(); ++i) {
           const harness::CaseResult& one = result.cases[i];
           out.results.push_back(
               outcome_of(one.uuid, problem::to_string(one.strict.status),
                          one.timing ? std::optional<double>(one.timing->median) : std::nullopt,
                          i < runs.size() ? runs[i] : std::string()));
         }
       }}));
  return out;
}

void CatalogExecutor::remove_work(const queue::QueueListing& listing) const {
  std::error_code error;
  for (const queue::JobRecord& one : listing.jobs) {
    if (queue::is_final(one.state)) fs::remove_all(work_ / one.job.id.to_string(), error);
  }
}

}  // namespace ki::cli
