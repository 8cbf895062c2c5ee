#include "ki/harness/publication.h"

#include "ki/base/text.h"
#include "ki/io/file.h"
#include "ki/json/reader.h"
#include "ki/manifest/validator.h"
#include "ki/stats/geometric_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ki::harness {
namespace {

using json::Writer;
using problem::Status;

constexpr std::string_view kProject = "ki-kernels";
constexpr std::string_view kComparator = "ki_strict_v1";
constexpr int kLeastProcesses = 6;

// A manifest under construction, and its digest when it is done.
class Manifest {
 public:
  Manifest(std::string_view kind, std::string_view name, std::string_view title = {}) {
    w_.begin_object().member("apiVersion", "kernelindex.dev/v1alpha1").member("kind", kind);
    w_.key("metadata").begin_object().member("name", name);
    if (!title.empty()) w_.member("title", title);
    w_.end_object().key("spec").begin_object();
  }
  Writer& spec() { return w_; }
  std::string done() {
    w_.end_object().end_object();
    return std::move(text_);
  }

 private:
  std::string text_;
  Writer w_{text_};
};

Result<Digest> digest_of(const std::string& manifest) {
  manifest::Validator validator(manifest::Profile::kStrict);
  KI_TRY(const manifest::ValidManifest valid, validator.read(manifest, manifest::TextForm::kJson));
  return valid.digest;
}

// Axis and argument names as manifests have them.
std::string token(std::string_view name) { return ascii_lower(name); }

std::string case_manifest(const problem::Problem& problem, const problem::Workload& workload,
                          const CasePlan& plan, const std::string& operation) {
  Manifest m("WorkloadCase", kebab(fmt::format("{}-{}", problem.definition.name, workload.uuid)),
             fmt::format("{} · {}", problem.definition.name, workload.uuid));
  Writer& w = m.spec();
  w.member("operationSpecDigest", operation).key("axes").begin_object();
  for (const auto& axis : workload.axes) w.member(token(axis.name), axis.value);
  w.end_object().key("tensors").begin_object();
  for (const problem::ResolvedArgument& input : plan.inputs) {
    if (input.shape.empty()) continue;
    w.key(token(input.name)).begin_object().key("shape").begin_array();
    for (const std::int64_t size : input.shape) w.value(size);
    w.end_array().member("dtype", problem::manifest_token(input.dtype));
    const bool is_fixed =
        std::holds_alternative<problem::SafetensorsInput>(workload.input(input.name));
    w.key("data").begin_object().member("generator", is_fixed ? "safetensors" : "ki_philox_v1");
    w.end_object().end_object();
  }
  w.end_object();
  bool has_scalars = false;
  for (const problem::ResolvedArgument& input : plan.inputs) {
    const auto* scalar = std::get_if<problem::ScalarInput>(&workload.input(input.name));
    if (scalar == nullptr || !input.is_scalar) continue;
    if (!has_scalars) w.key("scalars").begin_object();
    has_scalars = true;
    w.key(token(input.name)).begin_object();
    w.member("dtype", problem::manifest_token(input.dtype)).key("value");
    w.value(std::visit([](auto value) { return static_cast<double>(value); }, scalar->value));
    w.end_object();
  }
  if (has_scalars) w.end_object();
  w.key("correctness").begin_object().member("comparator", kComparator);
  w.member("maxAbsoluteError", workload.tolerance.max_atol);
  w.member("maxRelativeError", workload.tolerance.max_rtol);
  w.member("requiredMatchedRatio", workload.tolerance.required_matched_ratio);
  w.member("nanPolicy", "reject");
  w.member("infinityPolicy", workload.tolerance.allow_negative_inf ? "exact_match" : "reject");
  w.end_object();
  return m.done();
}

std::string suite_manifest(const problem::Problem& problem, const std::string& operation) {
  Manifest m("WorkloadSuite", kebab(problem.definition.name + "-ki-suite"),
             fmt::format("{}: the cases of this index", problem.definition.name));
  Writer& w = m.spec();
  w.member("operationSpecDigest", operation).key("cases").begin_array();
  for (const problem::Workload& workload : problem.workloads) {
    w.begin_object().member("externalId", workload.uuid).key("axes").begin_object();
    for (const auto& axis : workload.axes) w.member(token(axis.name), axis.value);
    w.end_object().end_object();
  }
  w.end_array().key("correctness").begin_object().member("comparator", kComparator);
  w.member("description", "Each case under the tolerance of its own manifest, by ki_strict_v1.");
  w.end_object().key("aggregation").begin_object();
  w.member("metric", "latency").member("statistic", "geometric_mean").end_object();
  return m.done();
}

std::string project_manifest(std::string_view author) {
  Manifest m("SoftwareProject", kebab(author));
  m.spec().member("name", author).member("kind", author == kProject ? "library" : "individual");
  return m.done();
}

std::string implementation_manifest(const problem::Problem& problem,
                                    const problem::Solution& solution,
                                    const std::string& operation) {
  Manifest m("ImplementationRevision", kebab(solution.name), solution.name);
  Writer& w = m.spec();
  const Digest digest = solution.digest();
  w.key("projectRevision").begin_object().member("version", digest.hex().substr(0, 12));
  w.member("treeDigest", digest.to_string()).end_object();
  w.key("operation").begin_object().member("specDigest", operation).end_object();
  w.key("callable").begin_object().member("language", solution.languages.front());
  w.member("path", solution.entry_file).member("symbol", solution.entry_symbol);
  w.member("interface", solution.binding).end_object();
  w.key("support")
      .begin_object()
      .key("hardwareArchitectures")
      .begin_array()
      .value("x86_64")
      .end_array();
  std::vector<std::string> dtypes;
  for (const auto& input : problem.definition.inputs)
    dtypes.emplace_back(problem::manifest_token(input.dtype));
  std::ranges::sort(dtypes);
  dtypes.erase(std::ranges::unique(dtypes).begin(), dtypes.end());
  w.key("dtypes").begin_array();
  for (const std::string& dtype : dtypes) w.value(dtype);
  w.end_array().end_object();
  const auto entry =
      std::ranges::find(solution.sources, solution.entry_file, &problem::SourceFile::path);
  if (entry != solution.sources.end()) {
    w.key("source").begin_object().member("contentDigest", Digest::of(entry->content).to_string());
    w.member("fileName", entry->path);
    w.member("sizeBytes", entry->content.size()).end_object();
  }
  w.key("licensing").begin_object().end_object();
  return m.done();
}

std::string protocol_manifest(const RunResult& run, const MachineName& name, int threads) {
  const CasePlan& plan = run.plan.cases.front();
  Manifest m("BenchmarkProtocol", kebab(fmt::format("ki-{}", protocol_name(run.plan.cache))),
             fmt::format("ki {}", protocol_name(run.plan.cache)));
  Writer& w = m.spec();
  w.key("harness").begin_object().member("name", "ki").member("version", name.version).end_object();
  w.key("measurement").begin_object().member("timer", "monotonic_raw");
  // Which side waits how is part of what a number means.
  w.member("synchronization", "shared_memory_doorbell").member("compileIncluded", false);
  w.member("setupIncluded", true).member("warmupIterations", plan.warmup_calls);
  w.member("warmupDuration",
           std::chrono::duration_cast<std::chrono::nanoseconds>(plan.warmup).count());
  w.member("measuredIterations", run.plan.processes * plan.samples);
  w.member("samples", run.plan.processes * plan.samples);
  w.member("inputRegeneration", "per_invocation");
  w.member("outlierPolicy",
           "A sample is rejected by telemetry alone: a run-queue delay over max(20 us, 1 % of the "
           "planned window), a migration, a major fault, or a cell that had gone to sleep.");
  w.member("primaryStatistic", "median").end_object();
  w.key("correctness").begin_object();
  w.member("reference", "native oracle in binary64 and in the definition's types");
  w.member("comparator", kComparator).end_object();
  w.key("devicePolicy").begin_object().member("clocksLocked", false).end_object();
  w.key("comparability").begin_object().member("family", protocol_name(run.plan.cache));
  w.member("notes", fmt::format("{} fresh processes, {} thread{}; the interval is the wider of a "
                                "hierarchical bootstrap and Student's t on the process medians",
                                run.plan.processes, threads, threads == 1 ? "" : "s"));
  w.end_object();
  return m.done();
}

std::string environment_manifest(const RunResult& run, const Machine& machine, int threads) {
  Manifest m("ExecutionEnvironment",
             kebab(fmt::format("{}-{}", machine.product, machine.form_factor)));
  Writer& w = m.spec();
  w.key("hardware").begin_object().member("vendor", machine.vendor);
  w.member("product", machine.product).member("architecture", machine.architecture);
  w.member("formFactor", machine.form_factor).member("memoryBytes", machine.memory_bytes);
  w.member("count", machine.cpu_count).end_object();
  w.key("software").begin_object().member("operatingSystem", machine.operating_system);
  w.member("kernel", machine.kernel).member("compiler", run.build.compiler.version);
  w.key("libraries").begin_object().member("ki_governor", machine.governor);
  w.member("ki_isolation", sandbox::to_string(run.isolation.level));
  w.member("ki_machine_flags", Digest::of(run.build.compiler.machine_flags).to_string());
  w.member("ki_smt", machine.smt).member("ki_thp", machine.thp);
  w.member("ki_threads", std::to_string(threads)).member("libc", machine.libc);
  w.end_object().end_object();
  w.key("settings").begin_object().member("clocksLocked", machine.form_factor == "bare_locked");
  w.end_object();
  return m.done();
}

std::int64_t whole(double ns) { return static_cast<std::int64_t>(std::llround(ns)); }

struct RunParts {
  std::string implementation, workload, protocol, environment;
  Instant observed;
};

void begin_run(Writer& w, const RunParts& parts, std::string_view status) {
  w.member("implementationDigest", parts.implementation).member("workloadDigest", parts.workload);
  w.member("protocolDigest", parts.protocol).member("environmentDigest", parts.environment);
  w.member("status", status);
}

std::string run_manifest(const CaseResult& one, const RunParts& parts, const Digest& evidence,
                         std::string_view name) {
  Manifest m("BenchmarkRun", name);
  Writer& w = m.spec();
  begin_run(w, parts, problem::run_status(one.strict.status, one.strict.reason));
  const bool is_compared = one.worst && (one.strict.status == Status::kPassed ||
                                         one.strict.status == Status::kIncorrectNumerical);
  if (is_compared) {
    w.key("correctness").begin_object().member("comparator", kComparator);
    w.member("maximumAbsoluteError", one.worst->max_absolute_error);
    w.member("maximumRelativeError", one.worst->max_relative_error);
    w.member("matchedRatio", one.worst->matched_ratio).end_object();
  }
  const std::string uri = "ki:" + evidence.to_string();
  if (one.timing) {
    const Timing& t = *one.timing;
    w.key("timing").begin_object().member("primaryStatistic", "median");
    w.member("samples", t.rejections.accepted).key("latencyNs").begin_object();
    w.member("median", whole(t.median)).member("mean", whole(t.mean)).member("p05", whole(t.p05));
    w.member("p95", whole(t.p95)).member("minimum", whole(t.minimum));
    w.member("maximum", whole(t.maximum))
        .member("mad", whole(t.mad))
        .key("confidence95")
        .begin_array();
    w.value(static_cast<std::int64_t>(std::floor(t.low)))
        .value(static_cast<std::int64_t>(std::ceil(t.high)));
    w.end_array().end_object();
    w.key("rawSamples").begin_object().member("uri", uri).member("digest", evidence.to_string());
    w.end_object().end_object();
  }
  w.key("evidence").begin_object().key("logs").begin_object();
  w.member("uri", uri).member("digest", evidence.to_string()).end_object().end_object();
  w.member("observedAt", parts.observed.to_string());
  return m.done();
}

// Of all cases together: only when each passed, and over every case of the suite.
Result<std::string> suite_run_manifest(const RunResult& run, const RunParts& parts,
                                       std::string_view name) {
  std::vector<double> medians;
  std::uint64_t samples = 0;
  for (const CaseResult& one : run.cases) {
    medians.push_back(one.timing->median);
    samples += one.timing->rejections.accepted;
  }
  KI_TRY(const double mean, stats::geometric_mean(medians));
  Manifest m("BenchmarkRun", name);
  Writer& w = m.spec();
  begin_run(w, parts, "passed");
  w.key("measurements").begin_array().begin_object().member("metric", "latency");
  w.member("unit", "ns").member("statistic", "geometric_mean").member("value", mean);
  w.member("sampleCount", samples).end_object().end_array();
  w.member("observedAt", parts.observed.to_string());
  return m.done();
}

// The operation that bounds.json names: the published one where the source published it.
Result<std::string> operation_digest(const problem::Problem& problem, const Digest& own) {
  const auto text = io::read_file(problem.folder / "bounds.json");
  if (!text) return own.to_string();
  KI_TRY(const json::Document document, json::read_document(*text));
  const json::Value* named = document.root.find("operation");
  if (named == nullptr || !named->is_string()) return own.to_string();
  KI_TRY(const Digest digest, Digest::parse(named->string()));
  return digest.to_string();
}

Result<void> check_publishable(const RunResult& run, bool is_seeded) {
  const auto refuse = [](std::string why) { return fail(Code::kInvalidArgument, std::move(why)); };
  if (run.was_cancelled) return refuse("the run was stopped before its end; --resume it first");
  if (run.plan.is_quick)
    return refuse("a run with --quick is for development and is not published");
  if (is_seeded)
    return refuse("a run with --seed has inputs that everyone knows and is not published");
  if (run.plan.processes < kLeastProcesses) {
    return refuse(fmt::format("{} processes; a published interval needs {}", run.plan.processes,
                              kLeastProcesses));
  }
  if (run.cases.empty()) return refuse("the run has no case");
  return {};
}

// What was built, whole, so that the run can be made again from the catalog alone.
publish::BundleArtifact solution_artifact(const problem::Solution& solution) {
  std::string text = solution.to_json();
  const Digest digest = Digest::of(text);
  return {.content_digest = digest,
          .role = std::string(kSolutionRole),
          .kind = "source",
          .media_type = "application/json",
          .size_bytes = text.size(),
          .storage = "inline",
          .uri = "ki:" + digest.to_string(),
          .content = std::move(text),
          .license = {}};
}

}  // namespace

Result<publish::Bundle> publication_of(const RunResult& run, const problem::Problem& problem,
                                       const problem::Solution& solution, const judge::RunKey& key,
                                       bool is_seeded, const Machine& machine,
                                       const MachineName& name, Instant observed) {
  KI_TRY_VOID(check_publishable(run, is_seeded));
  publish::Bundle out;
  out.source = {.slug = "ki-runs", .kind = "benchmark", .name = "Runs of this index", .policy = {}};
  const std::string project = kebab(solution.author);
  out.projects.push_back({project_manifest(solution.author), project, {}});

  KI_TRY(std::string own_operation, problem::operation_manifest(problem.definition));
  KI_TRY(const Digest own_digest, digest_of(own_operation));
  KI_TRY(const std::string operation, operation_digest(problem, own_digest));
  if (operation == own_digest.to_string()) {
    out.operations.push_back({std::move(own_operation),
                              kebab(problem.definition.name),
                              {ascii_lower(problem.definition.name)},
                              {},
                              {}});
  }
  const std::string implementation = implementation_manifest(problem, solution, operation);
  KI_TRY(const Digest implementation_digest, digest_of(implementation));
  publish::BundleImplementation stored{
      .manifest = implementation,
      .slug = kebab(fmt::format("{}-{}", solution.name, solution.digest().hex().substr(0, 8))),
      .project_slug = project,
      .external_id = {},
      .artifacts = {}};
  for (const problem::SourceFile& file : solution.sources) {
    stored.artifacts.push_back({.content_digest = Digest::of(file.content),
                                .role = "source",
                                .kind = "source",
                                .media_type = "text/plain",
                                .size_bytes = file.content.size(),
                                .storage = "inline",
                                .uri = {},
                                .content = file.content,
                                .license = {}});
  }
  out.implementations.push_back(std::move(stored));

  const std::string protocol = protocol_manifest(run, name, solution.x_threads);
  const std::string environment = environment_manifest(run, machine, solution.x_threads);
  KI_TRY(const Digest protocol_digest, digest_of(protocol));
  KI_TRY(const Digest environment_digest, digest_of(environment));
  RunParts parts{implementation_digest.to_string(), "", protocol_digest.to_string(),
                 environment_digest.to_string(), observed};

  for (const CaseResult& one : run.cases) {
    const auto plan = std::ranges::find_if(run.plan.cases, [&](const CasePlan& p) {
      return problem.workloads[p.workload].uuid == one.uuid;
    });
    KI_CHECK(plan != run.plan.cases.end());
    const std::string workload =
        case_manifest(problem, problem.workloads[plan->workload], *plan, operation);
    KI_TRY(const Digest workload_digest, digest_of(workload));
    out.workloads.push_back({workload, {}});
    parts.workload = workload_digest.to_string();
    // The record of the case with what the whole run knows: build, isolation, revealed key.
    RunResult alone = run;
    alone.cases = {one};
    const std::string evidence = result_json(alone, key, name, observed.to_string());
    const Digest evidence_digest = Digest::of(evidence);
    publish::BundleRun entry{
        .manifest = run_manifest(one, parts, evidence_digest,
                                 kebab(fmt::format("{}-{}", solution.name, one.uuid))),
        .protocol = protocol,
        .environment = environment,
        .external_id = {},
        .artifacts = {}};
    entry.artifacts.push_back({.content_digest = evidence_digest,
                               .role = std::string(kRecordRole),
                               .kind = "log",
                               .media_type = "application/json",
                               .size_bytes = evidence.size(),
                               .storage = "inline",
                               .uri = "ki:" + evidence_digest.to_string(),
                               .content = evidence,
                               .license = {}});
    entry.artifacts.push_back(solution_artifact(solution));
    out.runs.push_back(std::move(entry));
  }
  std::vector<publish::BundleArtifact> records;
  for (const publish::BundleRun& one : out.runs) {
    for (const publish::BundleArtifact& artifact : one.artifacts) {
      if (artifact.role == kRecordRole) records.push_back(artifact);
    }
  }
  const bool is_whole = run.cases.size() == problem.workloads.size() &&
                        std::ranges::all_of(run.cases, [](const CaseResult& one) {
                          return one.strict.status == Status::kPassed && one.timing.has_value();
                        });
  if (is_whole) {
    const std::string suite = suite_manifest(problem, operation);
    KI_TRY(const Digest suite_digest, digest_of(suite));
    out.workloads.push_back({suite, {}});
    parts.workload = suite_digest.to_string();
    KI_TRY(std::string manifest, suite_run_manifest(run, parts, kebab(solution.name + "-suite")));
    records.push_back(solution_artifact(solution));
    out.runs.push_back({std::move(manifest), protocol, environment, {}, std::move(records)});
  }
  return out;
}

}  // namespace ki::harness
