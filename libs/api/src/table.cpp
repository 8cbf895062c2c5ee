// The table of operations.
#include "answers.h"
#include "ki/resolve/resolver.h"

#include <algorithm>

namespace ki::api {
namespace {

using Place = Parameter::Place;
using Type = Parameter::Type;
using http::Cache;
using http::Method;

Parameter path(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .place = Place::kPath};
}
Parameter text(std::string_view name, std::string_view placeholder, std::string_view help,
               std::size_t max_length = 200, std::string_view option = {}) {
  return {.name = name,
          .help = help,
          .max_length = max_length,
          .option = option,
          .placeholder = placeholder};
}
Parameter choice(std::string_view name, std::string_view help,
                 std::vector<std::string_view> choices) {
  return {.name = name, .help = help, .type = Type::kChoice, .choices = std::move(choices)};
}
Parameter flag(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .type = Type::kFlag};
}
Parameter since(std::string_view help) {
  return {.name = "since", .help = help, .type = Type::kInstant};
}
Parameter cursor() {
  return text("cursor", "TEXT", "where the page before ended: its nextCursor", 200);
}
Parameter limit(std::int64_t otherwise = 50, std::int64_t high = 200) {
  return {.name = "limit",
          .help = "rows to show",
          .type = Type::kInteger,
          .low = 1,
          .high = high,
          .otherwise = otherwise};
}
Parameter record_policy() {
  return choice("policy",
                "which changes of leader count: breaks are of another project and by 0.5 % or "
                "more, ranking-v1 shows every leader event",
                {"breaks", "ranking-v1"});
}

const std::vector<Operation>& table() {
  static const std::vector<Operation> kTable = {
      // ---- resolve
      {.id = "search",
       .summary = "Find operations and the fastest kernels of a workload",
       .tag = "resolve",
       .path = "/search",
       .parameters = {text("q", "QUERY", "words and filters such as gpu:B200, dtype:bf16, m=4096",
                           500),
                      text("cohort", "KEY", "comparison key of the group to lead with", 200,
                           "group"),
                      cursor(), limit(resolve::kPageSize, resolve::kMaxPageSize)},
       .answer = "Answer",
       .cache = Cache::kShort,
       .problems = {"INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "search", .operand = "q"},
       .run = search},
      {.id = "resolveKernel",
       .summary = "Answer an exact request; what cannot be understood is refused",
       .tag = "resolve",
       .method = Method::kPost,
       .path = "/resolve/kernel",
       .body = "ResolveRequest",
       .answer = "Answer",
       .cache = Cache::kUnset,
       .problems = {"INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "resolve", .operand = "body"},
       .run = resolve_kernel},
      {.id = "resolveKernelBatch",
       .summary = "Answer 1 to 20 exact requests at once",
       .tag = "resolve",
       .method = Method::kPost,
       .path = "/resolve/kernel/batch",
       .body = "BatchRequest",
       .answer = "BatchAnswer",
       .cache = Cache::kUnset,
       .command = {.command = "resolve", .operand = "body"},
       .run = resolve_batch},
      {.id = "compareRuns",
       .summary = "Whether 2 to 8 runs may be compared, and the first key that differs",
       .tag = "resolve",
       .method = Method::kPost,
       .path = "/compare",
       .body = "CompareRequest",
       .answer = "Comparison",
       .cache = Cache::kUnset,
       .command = {.command = "compare", .operand = "body"},
       .run = compare_runs},
      // ---- catalog
      {.id = "listOperations",
       .summary = "List operations",
       .tag = "catalog",
       .path = "/operations",
       .parameters = {text("family", "NAME", "only this family", 100),
                      text("tag", "TAG", "only with this tag"),
                      choice("sort", "by eligible runs, latest observation or name",
                             {"runs", "active", "az"}),
                      cursor(), limit()},
       .answer = "OperationList",
       .problems = {"INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "operations"},
       .run = list_operations},
      {.id = "getOperation",
       .summary = "Everything about one operation, with the ranking of one comparison group",
       .tag = "catalog",
       .path = "/operations/{operation}",
       .parameters = {path("operation", "slug, id or digest"),
                      text("workload", "ID", "id or digest of the workload to show", 100),
                      text("cohort", "KEY", "comparison key of the group to show", 200, "group"),
                      limit()},
       .answer = "OperationDossier",
       .problems = {"OPERATION_NOT_FOUND"},
       .may_block = true,
       .command = {.command = "show", .verb = "operation", .operand = "operation"},
       .run = show_operation},
      {.id = "getImplementation",
       .summary = "Everything about one implementation",
       .tag = "catalog",
       .path = "/implementations/{implementation}",
       .parameters =
           {path("implementation", "slug (its newest revision), id or digest"),
            choice("include",
                   "source: also its source file, and what changed since the previous submission",
                   {"nothing", "source"}),
            cursor(), limit()},
       .answer = "ImplementationDossier",
       .problems = {"IMPLEMENTATION_NOT_FOUND", "INVALID_CURSOR", "CURSOR_EXPIRED"},
       .may_block = true,
       .command = {.command = "show", .verb = "implementation", .operand = "implementation"},
       .run = show_implementation},
      {.id = "listProjects",
       .summary = "List projects and authors",
       .tag = "catalog",
       .path = "/projects",
       .parameters = {text("kind", "KIND", "library, individual or vendor", 50),
                      flag("all", "also without eligible runs"),
                      choice("sort", "by eligible runs, records held, records gained or name",
                             {"presence", "records", "gained", "az"}),
                      record_policy(), cursor(), limit()},
       .answer = "ProjectList",
       .problems = {"INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "projects"},
       .run = list_projects},
      {.id = "getProject",
       .summary = "Everything about one project or author",
       .tag = "catalog",
       .path = "/projects/{project}",
       .parameters = {path("project", "slug"), cursor(), limit()},
       .answer = "ProjectDossier",
       .problems = {"PROJECT_NOT_FOUND", "INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "show", .verb = "project", .operand = "project"},
       .run = show_project},
      {.id = "getModel",
       .summary = "What leads each operation of a model on one GPU, and what nobody measured there",
       .tag = "catalog",
       .path = "/models/{model}",
       .parameters = {path("model", "slug"),
                      text("gpu", "GPU", "the GPU to show; without it the one with most runs")},
       .answer = "ModelDossier",
       .problems = {"MODEL_NOT_FOUND"},
       .command = {.command = "show", .verb = "model", .operand = "model"},
       .run = show_model},
      {.id = "listRuns",
       .summary = "List published runs, newest observed first",
       .tag = "catalog",
       .path = "/runs",
       .parameters = {text("operation", "SLUG", "only of this operation"),
                      text("hardware", "GPU", "only on this GPU"),
                      text("source", "SLUG", "only from this source"),
                      text("status", "STATUS", "only with this status", 50),
                      since("observed at or after this date or instant"), cursor(), limit()},
       .answer = "RunList",
       .cache = Cache::kShort,
       .problems = {"OPERATION_NOT_FOUND", "INVALID_CURSOR"},
       .command = {.command = "runs"},
       .run = list_runs},
      {.id = "getRun",
       .summary = "Everything about one run; retracted and superseded ones say so",
       .tag = "catalog",
       .path = "/runs/{run}",
       .parameters = {path("run", "id, digest, or the first characters of either")},
       .answer = "RunDossier",
       .cache = Cache::kRevalidate,
       .problems = {"RUN_NOT_FOUND"},
       .may_block = true,
       .command = {.command = "show", .verb = "run", .operand = "run"},
       .run = show_run},
      {.id = "citeRun",
       .summary = "A citation of a run, with permalink, digest and the date of access",
       .tag = "catalog",
       .path = "/runs/{run}/cite",
       .parameters = {path("run", "id, digest, or the first characters of either"),
                      choice("style", "form of the citation",
                             {"text", "bibtex", "csl", "ris", "cff", "all"})},
       .media_type = "text/plain",
       .cache = Cache::kNoStore,
       .problems = {"RUN_NOT_FOUND"},
       .may_block = true,
       .command = {.command = "show", .verb = "run", .operand = "run"},
       .run = cite_run},
      {.id = "attestRun",
       .summary = "Say that a run was reproduced or not, or add a note; signed as a DSSE envelope",
       .tag = "notes",
       .method = Method::kPost,
       .path = "/runs/{run}/attestations",
       .parameters = {path("run", "id, digest, or the first characters of either")},
       .body = "AttestationRequest",
       .answer = "Filed",
       .cache = Cache::kNoStore,
       .problems = {"RUN_NOT_FOUND", "NOTES_NOT_TAKEN", "UNTRUSTED_KEY", "INVALID_ATTESTATION",
                    "INVALID_SIGNATURE", "QUOTA_EXCEEDED"},
       .may_block = true,
       .is_write = true,
       .command = {.command = "attest", .operand = "run"},
       .run = attest_run},
      {.id = "reportRun",
       .summary = "Report that something is wrong with a run; needs no account",
       .tag = "notes",
       .method = Method::kPost,
       .path = "/runs/{run}/reports",
       .parameters = {path("run", "id, digest, or the first characters of either")},
       .body = "ReportRequest",
       .answer = "Filed",
       .cache = Cache::kNoStore,
       .problems = {"RUN_NOT_FOUND", "NOTES_NOT_TAKEN", "INVALID_REPORT", "QUOTA_EXCEEDED"},
       .may_block = true,
       .is_write = true,
       .command = {.command = "report", .operand = "run"},
       .run = report_run},
      {.id = "getManifest",
       .summary = "The canonical manifest of a digest; its bytes never change",
       .tag = "catalog",
       .path = "/manifests/{digest}",
       .parameters = {path("digest",
                           "of a run, implementation, workload or operation, or of the "
                           "stored text of a protocol or environment")},
       .answer = "Manifest",
       .cache = Cache::kImmutable,
       .problems = {"MANIFEST_NOT_FOUND"},
       .may_block = true,
       .command = {.command = "show", .verb = "manifest", .operand = "digest"},
       .run = show_manifest},
      // ---- records
      {.id = "listRecords",
       .summary = "Who leads each comparison group, and since when",
       .tag = "records",
       .path = "/records",
       .parameters = {text("q", "WORDS",
                           "words that must all occur in names of operation, "
                           "workload, hardware or a leader"),
                      text("operation", "SLUG", "only of this operation"),
                      text("project", "SLUG", "only led by this project"),
                      text("hardware", "GPU", "only on this GPU"),
                      since("leader since this date or instant, or later"),
                      flag("verified", "only verified leaders"),
                      flag("all",
                           "also leaders without source, and baselines that nobody has "
                           "beaten"),
                      choice("view", "holders, holders after a change, or every change",
                             {"current", "broken", "history"}),
                      choice("sort", "order of the holders",
                             {"contested", "date", "improvement", "leads", "operation"}),
                      record_policy(), cursor(), limit(25)},
       .answer = "RecordList",
       .cache = Cache::kShort,
       .problems = {"NOT_FOUND", "INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "records", .operand = "q"},
       .run = list_records},
      {.id = "listRanks",
       .summary = "The rank of every run (ranking-v1), or rank bounds of every implementation "
                  "(ranking-v2)",
       .tag = "records",
       .path = "/ranks",
       .parameters = {choice("policy",
                             "ranking-v1 is the order of reported values, not tested; ranking-v2 "
                             "gives bounds of the rank, and nobody wins without uncertainty",
                             {"ranking-v1", "ranking-v2"}),
                      text("cohort", "KEY", "only this comparison group", 200, "group"), cursor(),
                      limit(50, 1000)},
       .answer = "RankList",
       .problems = {"NOT_FOUND", "INVALID_CURSOR", "CURSOR_EXPIRED"},
       .command = {.command = "ranks"},
       .run = list_ranks},
      {.id = "listChanges",
       .summary = "What is new: records that fell, imports and corrections",
       .tag = "records",
       .path = "/feed",
       .parameters = {since("after this date or instant; without it the last 30 days"),
                      record_policy(), cursor(), limit(50, 300)},
       .answer = "Feed",
       .cache = Cache::kShort,
       .problems = {"INVALID_CURSOR", "CURSOR_EXPIRED"},
       .may_block = true,
       .command = {.command = "changes"},
       .run = list_changes},
      // ---- sources
      {.id = "listHardware",
       .summary = "List the GPUs that runs were measured on",
       .tag = "sources",
       .path = "/hardware",
       .answer = "HardwareList",
       .may_block = true,
       .command = {.command = "hardware"},
       .run = list_hardware},
      {.id = "listModels",
       .summary = "List the models that operations were taken from, and served models",
       .tag = "sources",
       .path = "/models",
       .answer = "ModelList",
       .command = {.command = "models"},
       .run = list_models},
      {.id = "listSources",
       .summary = "List the sources that runs come from",
       .tag = "sources",
       .path = "/sources",
       .answer = "SourceList",
       .may_block = true,
       .command = {.command = "sources"},
       .run = list_sources},
      {.id = "getCoverage",
       .summary = "What is measured of the families and GPUs that people ask for first, and gaps",
       .tag = "sources",
       .path = "/coverage",
       .answer = "Coverage",
       .may_block = true,
       .command = {.command = "coverage"},
       .run = show_coverage},
      {.id = "getStats",
       .summary = "Counts of the catalog",
       .tag = "sources",
       .path = "/stats",
       .answer = "Stats",
       .command = {.command = "stats"},
       .run = show_stats},
  };
  return kTable;
}

}  // namespace

std::span<const Operation> operations() { return table(); }

const Operation* find_operation(std::string_view id) {
  const auto found = std::ranges::find(operations(), id, &Operation::id);
  return found == operations().end() ? nullptr : &*found;
}

Result<Instant> edition_time(const views::CatalogVersion& catalog, Instant now) {
  constexpr std::int64_t kDayMs = 86'400'000;
  KI_TRY(const Instant committed, catalog.committed_at());
  const std::int64_t day = now.ms - (now.ms % kDayMs + kDayMs) % kDayMs;
  return Instant{std::max(day, committed.ms)};
}

}  // namespace ki::api
