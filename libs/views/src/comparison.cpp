#include "ki/views/comparison.h"

#include "ki/catalog/run_status.h"
#include "ki/policy/evidence.h"
#include "ki/policy/ranking.h"
#include "ki/resolve/describe.h"
#include "ki/views/parts.h"
#include "text_list.h"

namespace ki::views {
namespace {

using catalog::Snapshot;

void write_run(json::Writer& w, const Snapshot& s, const resolve::ComparedRun& compared) {
  const auto& run = s.runs()[compared.run];
  const auto& cohort = s.cohorts()[run.cohort];
  const auto& code = s.implementations()[run.implementation];
  w.begin_object()
      .member("runId", id_text(run.id))
      .member("digest", digest_text(run.digest))
      .key("implementation");
  write_json(w, named_implementation(s, run.implementation));
  w.key("project");
  write_json(w, named_project(s, code.project));
  w.key("operation");
  write_json(w, named_operation(s, cohort.operation));
  w.member("workloadLabel", resolve::workload_label(s, run.workload))
      .member("hardware", s.name(s.environments()[cohort.environment].product))
      .key("primary");
  write_json(w, primary_of(s, compared.run));
  w.member("evidence", policy::to_string(static_cast<policy::EvidenceLevel>(run.evidence)))
      .member("status", catalog::kRunStatusNames[run.status])
      .member("comparisonKey", digest_text(cohort.key))
      .key("rank");
  if (compared.rank == 0) {
    w.null();
  } else {
    w.value(compared.rank);
  }
  w.member("tiedWithPrevious", compared.is_tied_with_previous)
      .member("eligible", compared.ineligible.empty());
  text_list(w, "ineligibleReasons", compared.ineligible);
  w.key("license");
  write_json(w, licence_of(s, run.implementation));
  write_install(w, s, run.implementation);
  w.member("sourceAvailable", code.source_available != 0)
      .member("observedAt", Instant{run.observed_ms}.to_string())
      .end_object();
}

}  // namespace

void write_json(json::Writer& w, const Snapshot& s, const resolve::Comparison& comparison) {
  std::vector<Index> runs;
  runs.reserve(comparison.runs.size());
  for (const resolve::ComparedRun& compared : comparison.runs) runs.push_back(compared.run);
  w.begin_object().member("illustrative", is_illustrative(s, runs)).key("runs").begin_array();
  for (const resolve::ComparedRun& compared : comparison.runs) write_run(w, s, compared);
  w.end_array().member("comparable", comparison.is_comparable);
  const bool has_key = comparison.comparison_key.has_value();
  text_or_null(w, "profile",
               !has_key                      ? std::string_view()
               : comparison.is_source_native ? "source_native"
                                             : "strict_exact");
  text_or_null(w, "comparisonKey", has_key ? comparison.comparison_key->to_string() : "");
  w.key("fields").begin_array();
  for (const resolve::ComparedField& field : comparison.fields) {
    w.begin_object().member("field", field.field).member("material", field.is_material);
    text_list(w, "values", field.values);
    w.member("differs", field.differs).end_object();
  }
  w.end_array();
  text_or_null(w, "firstMaterialMismatch",
               comparison.first_material_mismatch
                   ? comparison.fields[*comparison.first_material_mismatch].field
                   : std::string_view());
  w.member("explanation", comparison.explanation);
  text_list(w, "missingIds", comparison.missing);
  w.member("policyVersion", policy::kRankingV1).member("catalogVersion", s.seq()).end_object();
}

}  // namespace ki::views
