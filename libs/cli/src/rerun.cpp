// rerun: an implementation or a run of the catalog, built, judged and timed again on this machine,
// signed and logged.
#include "command.h"
#include "document.h"
#include "job_submit.h"
#include "ki/base/text.h"
#include "ki/harness/publication.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/problem/directory.h"
#include "problem.h"
#include "publish_run.h"
#include "reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ki::cli {
namespace {

namespace fs = std::filesystem;

// What is to be run again, and where it was found.
struct Target {
  problem::Problem problem;
  problem::Solution solution;
  std::vector<std::string> cases;  // empty: all
  std::string origin;              // "the solution kept with run 0199...", "problems/x/solutions/y"
};

Result<fs::path> problems_folder(const Context& context) {
  const fs::path folder = context.arguments().value("problems").value_or("problems");
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    return fail(Code::kNotFound,
                fmt::format("there is no folder '{}'; name the folder of problems: --problems DIR",
                            folder.string()));
  }
  return folder;
}

Result<problem::Problem> problem_of(const fs::path& folder, const std::string& definition) {
  auto problem = problem::load_problem(folder / definition, problem::Mode::kStrict);
  if (!problem) {
    return fail(std::move(problem).error().within(
        fmt::format("the solution is for problem {}", quote(definition))));
  }
  return problem;
}

// The solution that a run was made from, where it was kept.
Result<std::optional<problem::Solution>> solution_of_run(const catalog::Snapshot& snapshot,
                                                         catalog::Store& store,
                                                         std::string_view run) {
  std::optional<std::string> artifact;
  KI_TRY_VOID(store.read_prefix(catalog::Table::kRunArtifacts, fmt::format("{} ", run),
                                snapshot.seq(),
                                [&](const catalog::Entry& entry) -> Result<catalog::Step> {
                                  KI_TRY(const json::Document row, json::read_document(entry.body));
                                  if (text_at(row.root, "role") != harness::kSolutionRole)
                                    return catalog::Step::kGoOn;
                                  artifact = text_at(row.root, "artifactId");
                                  return catalog::Step::kStop;
                                }));
  if (!artifact) return std::nullopt;
  KI_TRY(const auto stored, store.find(catalog::Table::kArtifacts, *artifact, snapshot.seq()));
  if (!stored) return fail(Code::kCorrupt, "an artifact of the run is missing; run ki fsck");
  KI_TRY(const json::Document row,
         json::read_document(stored->body, {.max_bytes = std::size_t{64} << 20}));
  auto reading = problem::read_solution(text_at(row.root, "content"));
  if (!reading.value) {
    std::string why;
    for (const auto& finding : reading.findings) why += "\n  " + finding.issue.to_string();
    return fail(Code::kCorrupt, "the solution that is kept with the run is not readable:" + why);
  }
  return std::move(reading.value);
}

// A solution of the problems folder whose entry file is what the implementation names as source.
Result<std::optional<Target>> target_in_folder(const fs::path& problems,
                                               std::string_view source_digest) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const fs::directory_entry& problem : fs::directory_iterator(problems, error)) {
    for (const fs::directory_entry& solution :
         fs::directory_iterator(problem.path() / "solutions", error)) {
      if (fs::exists(solution.path() / "solution.json", error))
        files.push_back(solution.path() / "solution.json");
    }
    error.clear();
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path().parent_path().parent_path();
    auto problem = problem::load_problem(folder, problem::Mode::kStrict);
    if (!problem) continue;
    auto solution = problem::load_solution(file, problem->definition, problem::Mode::kStrict);
    if (!solution) continue;
    const auto entry =
        std::ranges::find(solution->sources, solution->entry_file, &problem::SourceFile::path);
    if (entry == solution->sources.end() || Digest::of(entry->content).to_string() != source_digest)
      continue;
    return Target{*std::move(problem), *std::move(solution), {}, file.parent_path().string()};
  }
  return std::nullopt;
}

// The case of the problem that has the sizes of a workload's manifest.
std::vector<std::string> cases_of(const problem::Problem& problem, const json::Value& workload) {
  const json::Value* axes = at(workload, "spec.axes");
  if (text_at(workload, "kind") != "WorkloadCase" || axes == nullptr || !axes->is_object())
    return {};
  for (const problem::Workload& one : problem.workloads) {
    const bool is_same = one.axes.size() == axes->members().size() &&
                         std::ranges::all_of(one.axes, [&](const problem::AxisValue& axis) {
                           const json::Value* value = axes->find(ascii_lower(axis.name));
                           return value != nullptr && value->integer() == axis.value;
                         });
    if (is_same) return {one.uuid};
  }
  return {};
}

std::unexpected<Error> nothing_to_build(std::string_view what) {
  return fail(
      Code::kUnsupported,
      fmt::format("{} has no source that this runner can build: it reruns C and C++ solutions for "
                  "the C ABI that are kept with a run or lie below --problems DIR",
                  what));
}

Result<Target> target_of_run(const Context& context, const OpenCatalog& catalog, Reader& reader,
                             const json::Value& run) {
  const std::string id(text_at(run, "run.id"));
  KI_TRY(const fs::path problems, problems_folder(context));
  KI_TRY(const json::Document workload,
         reader.read("getManifest", {{"digest", std::string(text_at(run, "workload.digest"))}}));
  KI_TRY(auto solution, solution_of_run(*catalog.snapshot(), *catalog.store, id));
  if (solution) {
    KI_TRY(problem::Problem problem, problem_of(problems, solution->definition));
    auto cases = cases_of(problem, workload.root);
    return Target{std::move(problem), *std::move(solution), std::move(cases),
                  fmt::format("the solution kept with run {}", id)};
  }
  KI_TRY(
      const json::Document implementation,
      reader.read("getManifest", {{"digest", std::string(text_at(run, "implementation.digest"))}}));
  KI_TRY(auto found,
         target_in_folder(problems, text_at(implementation.root, "spec.source.contentDigest")));
  if (!found) return nothing_to_build(fmt::format("run {}", id));
  found->cases = cases_of(found->problem, workload.root);
  return *std::move(found);
}

Result<Target> target_of_implementation(const Context& context, const OpenCatalog& catalog,
                                        Reader& reader, const json::Value& dossier) {
  const std::string digest(text_at(dossier, "implementation.digest"));
  const std::string name(text_at(dossier, "implementation.slug"));
  KI_TRY(const fs::path problems, problems_folder(context));
  const auto snapshot = catalog.snapshot();
  KI_TRY(const Digest parsed, Digest::parse(digest));
  const catalog::Index index = snapshot->find_implementation(parsed);
  if (index != catalog::kNone) {
    for (const catalog::Index run : snapshot->runs_of_implementation(index)) {
      const std::string id = Uuid{snapshot->runs()[run].id}.to_string();
      KI_TRY(auto solution, solution_of_run(*snapshot, *catalog.store, id));
      if (!solution) continue;
      KI_TRY(problem::Problem problem, problem_of(problems, solution->definition));
      return Target{std::move(problem),
                    *std::move(solution),
                    {},
                    fmt::format("the solution kept with run {}", id)};
    }
  }
  KI_TRY(const json::Document manifest, reader.read("getManifest", {{"digest", digest}}));
  KI_TRY(auto found,
         target_in_folder(problems, text_at(manifest.root, "spec.source.contentDigest")));
  if (!found) return nothing_to_build(fmt::format("implementation {}", name));
  return *std::move(found);
}

Result<Target> find_target(const Context& context) {
  KI_TRY(const OpenCatalog catalog, context.open_catalog(Context::Access::kRead));
  KI_TRY(Reader reader, Reader::open(context));
  if (const auto group = context.arguments().value("record")) {
    KI_TRY(const Digest key, Digest::parse(*group));
    const auto snapshot = catalog.snapshot();
    const auto cohorts = snapshot->cohorts();
    const auto found = std::ranges::find_if(
        cohorts, [&](const catalog::CohortRow& cohort) { return Digest(cohort.key) == key; });
    if (found == cohorts.end())
      return fail(Code::kNotFound, fmt::format("there is no comparison group {}", *group));
    const auto runs =
        snapshot->runs_of_cohort(static_cast<catalog::Index>(found - cohorts.begin()));
    if (found->ranked == 0)
      return fail(Code::kNotFound, fmt::format("group {} has no ranked run", *group));
    const std::string id = Uuid{snapshot->runs()[runs.front()].id}.to_string();
    KI_TRY(const json::Document run, reader.read("getRun", {{"run", id}}));
    return target_of_run(context, catalog, reader, run.root);
  }
  const std::string& what = context.operands().front();
  auto run = reader.read("getRun", {{"run", what}});
  if (run) return target_of_run(context, catalog, reader, run->root);
  auto implementation = reader.read("getImplementation", {{"implementation", what}});
  if (implementation) {
    return target_of_implementation(context, catalog, reader, implementation->root);
  }
  if (implementation.error().code() != Code::kNotFound)
    return fail(std::move(implementation).error());
  return fail(Code::kNotFound,
              fmt::format("the catalog has neither a run nor an implementation {}; ki search finds "
                          "implementations, ki runs lists runs",
                          quote(what)));
}

}  // namespace

Result<int> run_rerun(Context& context) {
  const bool has_record = context.arguments().has("record");
  if (context.operands().size() != (has_record ? 0U : 1U))
    return context.usage("rerun which implementation or run?");
  KI_TRY(Target target, find_target(context));
  std::vector<std::string> cases = context.arguments().values("case");
  if (cases.empty()) cases = target.cases;
  if (!context.is_json() && !context.arguments().has("jsonl")) {
    context.err(fmt::format("rerun of {}: {}\n", target.solution.name, target.origin));
  }
  if (context.arguments().has("enqueue")) {
    return submit_job(context, target.problem, std::move(target.solution),
                      {.cases = std::move(cases), .origin = target.origin});
  }
  const bool is_dry = context.arguments().has("dry-run");
  if (!is_dry) KI_TRY_VOID(prepare_signing(context));
  return judge_and_time(
      context, target.problem, std::move(target.solution),
      {.cases = std::move(cases), .is_published = !is_dry, .must_be_verified = !is_dry});
}

}  // namespace ki::cli
