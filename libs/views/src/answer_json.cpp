#include "ki/views/answer_json.h"

#include "ki/display/names.h"
#include "ki/resolve/describe.h"
#include "ki/views/parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace ki::views {
namespace {

using catalog::Snapshot;
using json::Writer;
using resolve::Answer;
using resolve::Row;

void write_operation(Writer& w, const Snapshot& s, Index operation) {
  if (operation == kNone) {
    w.null();
    return;
  }
  const auto& row = s.operations()[operation];
  w.begin_object()
      .member("name", resolve::operation_name(s, operation))
      .member("slug", s.text(row.slug))
      .member("digest", digest_text(row.digest))
      .end_object();
}

void write_mismatches(Writer& w, const Row& row) {
  w.key("mismatches").begin_array();
  for (const resolve::Mismatch& m : row.mismatches) {
    w.begin_object()
        .member("field", m.field)
        .member("requested", m.requested)
        .member("observed", m.observed)
        .end_object();
  }
  w.end_array();
}

void write_caveats(Writer& w, const Row& row) {
  w.key("caveats").begin_array();
  for (unsigned i = 0; i <= static_cast<unsigned>(resolve::Caveat::kUnranked); ++i) {
    const auto caveat = static_cast<resolve::Caveat>(i);
    if (row.has(caveat)) w.value(to_string(caveat));
  }
  w.end_array();
}

void write_cohort(Writer& w, const Snapshot& s, Index cohort) {
  if (cohort == kNone) {
    w.null();
    return;
  }
  const auto& row = s.cohorts()[cohort];
  w.begin_object()
      .member("comparisonKey", digest_text(row.key))
      .member("profile", row.is_source_native != 0 ? "source_native" : "strict_exact")
      .member("ranked", row.ranked);
  w.key("facts").begin_array();
  for (const resolve::CohortFact& fact : resolve::cohort_facts(s, cohort)) {
    w.begin_object().member("key", fact.key).member("value", fact.value).end_object();
  }
  w.end_array().end_object();
}

void write_cohort_options(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("cohortOptions").begin_array();
  for (const resolve::CohortOption& option : answer.cohort_options) {
    w.begin_object()
        .member("comparisonKey", digest_text(s.cohorts()[option.cohort].key))
        .member("label", option.label)
        .member("runs", option.runs)
        .member("matching", option.matching);
    w.key("differs").begin_array();
    for (const resolve::Fact& fact : option.differs) {
      w.begin_object().member("key", fact.key).member("value", fact.value).end_object();
    }
    w.end_array().key("head");
    write_run_ref(w, s, option.head);
    w.end_object();
  }
  w.end_array();
}

void write_selected(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("selected");
  if (answer.selected.workload == kNone) {
    w.null();
    return;
  }
  const auto& workload = s.workloads()[answer.selected.workload];
  w.begin_object()
      .member("workloadId", id_text(workload.id))
      .member("workloadDigest", digest_text(workload.digest))
      .member("label", resolve::workload_label(s, answer.selected.workload))
      .member("reason", to_string(answer.selected.because))
      .end_object();
}

// `has_protocol`: also the protocol, which other groups state once.
void write_row_of(Writer& w, const Snapshot& s, const Row& row, bool has_protocol) {
  const auto& implementation = s.implementations()[row.implementation];
  const auto& project = s.projects()[implementation.project];
  const bool has_run = row.run != kNone;
  w.begin_object();
  text_or_null(w, "runId", has_run ? id_text(s.runs()[row.run].id) : std::string());
  text_or_null(w, "runDigest", has_run ? digest_text(s.runs()[row.run].digest) : std::string());
  w.key("implementation")
      .begin_object()
      .member("name", resolve::implementation_name(s, row.implementation))
      .member("slug", s.text(implementation.slug))
      .member("digest", digest_text(implementation.digest))
      .end_object();
  write_install(w, s, row.implementation);
  w.key("project")
      .begin_object()
      .member("name", s.text(project.name))
      .member("slug", s.text(project.slug))
      .end_object();
  text_or_null(w, "revision", display::revision(s.text(implementation.revision)));
  w.key("operation");
  write_operation(w, s, row.operation);
  w.member("workloadSummary", row.workload == kNone
                                  ? resolve::operation_dtype_label(s, row.operation)
                                  : resolve::workload_summary(s, row.workload));
  w.key("hardware");
  if (row.environment == kNone) {
    w.null();
  } else {
    const auto& environment = s.environments()[row.environment];
    w.begin_object().member("model", s.name(environment.product));
    text_or_null(w, "architecture", s.name(environment.display_architecture));
    w.end_object();
  }
  text_or_null(w, "framework", s.name(implementation.framework));
  text_or_null(w, "language", s.name(implementation.language));
  w.key("primary");
  write_json(w, has_run ? primary_of(s, row.run) : std::nullopt);
  w.key("solScore");
  if (has_run && !std::isnan(s.runs()[row.run].sol_score)) {
    w.value(s.runs()[row.run].sol_score);
  } else {
    w.null();
  }
  w.member("baseline", row.is_baseline);
  text_or_null(w, "evidence", row.evidence ? policy::to_string(*row.evidence) : std::string_view());
  text_or_null(w, "evidenceNote", evidence_note(s, row.run));
  w.member("match", to_string(row.match)).member("whyRanked", to_string(row.why));
  write_mismatches(w, row);
  w.key("rank");
  if (row.rank == 0) {
    w.null();
  } else {
    w.value(row.rank);
  }
  w.member("tiedWithPrevious", row.is_tied_with_previous).key("cohortSize");
  if (row.cohort_size == 0) {
    w.null();
  } else {
    w.value(row.cohort_size);
  }
  text_or_null(w, "comparisonKey",
               row.cohort == kNone ? std::string() : digest_text(s.cohorts()[row.cohort].key));
  if (has_protocol && row.cohort != kNone) {
    w.member("protocol", resolve::protocol_text(s, s.cohorts()[row.cohort].protocol));
  }
  w.member("sourceAvailable", implementation.source_available != 0)
      .member("installable", implementation.installable != 0);
  w.key("license").begin_object();
  text_or_null(w, "declared", s.name(implementation.license_declared));
  text_or_null(w, "concluded", s.name(implementation.license_concluded));
  w.end_object();
  instant_or_null(w, "lastTestedAt", has_run ? s.runs()[row.run].observed_ms : 0);
  instant_or_null(w, "indexedAt", has_run ? s.runs()[row.run].published_ms : 0);
  w.member("stale", row.is_stale);
  write_caveats(w, row);
  w.end_object();
}

void write_groups(Writer& w, const Snapshot& s, const Answer& answer) {
  constexpr std::array kKinds = {resolve::GroupKind::kExact, resolve::GroupKind::kCompatible,
                                 resolve::GroupKind::kSupportedUnmeasured,
                                 resolve::GroupKind::kReported};
  w.key("groups").begin_object();
  for (const auto kind : kKinds) {
    w.key(to_string(kind)).begin_array();
    for (const Row& row : answer.group(kind).rows) {
      write_row_of(w, s, row, kind == resolve::GroupKind::kReported);
    }
    w.end_array();
  }
  w.end_object();
  w.key("totals").begin_object();
  for (const auto kind : kKinds) w.member(to_string(kind), answer.group(kind).total);
  w.end_object();
  w.key("overflow").begin_object();
  for (const auto kind : kKinds) w.member(to_string(kind), answer.group(kind).overflow());
  w.end_object();
}

void write_policy(Writer& w, const Answer& answer) {
  const resolve::AppliedPolicy& policy = answer.policy;
  w.key("policy").begin_object().member("ranking", policy.ranking);
  w.key("minimumTrust");
  if (policy.minimum_trust) {
    w.value(query::to_string(*policy.minimum_trust));
  } else {
    w.null();
  }
  w.nullable("license", policy.license);
  w.key("allowedLicenses").begin_array();
  for (const std::string& license : policy.allowed_licenses) w.value(license);
  w.end_array()
      .member("sourceRequired", policy.require_source)
      .member("installableRequired", policy.require_installable)
      .nullable("maxAgeDays", policy.max_age_days);
  w.key("hidden").begin_object();
  for (std::size_t i = 0; i < resolve::kHiddenReasons; ++i) {
    std::uint32_t total = 0;
    for (const resolve::Group& group : answer.groups) total += group.hidden_by[i];
    w.member(to_string(static_cast<resolve::Hidden>(i)), total);
  }
  w.end_object().end_object();
}

void write_facets(Writer& w, const Answer& answer) {
  w.key("facets").begin_array();
  for (const query::Facet& facet : answer.facets) {
    w.begin_object()
        .member("token", facet.token)
        .member("field", facet.field)
        .member("display", facet.display)
        .end_object();
  }
  w.end_array();
}

void write_issues(Writer& w, const Answer& answer) {
  w.key("issues").begin_array();
  for (const query::Issue& issue : answer.issues) {
    w.begin_object()
        .member("token", issue.token)
        .member("code", issue.code)
        .nullable("hint", issue.hint);
    text_or_null(w, "path", issue.path);
    w.member("message", issue.message)
        .member("refused", issue.severity == query::Severity::kRefused)
        .end_object();
  }
  w.end_array().key("corrections").begin_array();
  for (const resolve::Correction& correction : answer.corrections) {
    w.begin_object()
        .member("typed", correction.typed)
        .member("readAs", correction.read_as)
        .end_object();
  }
  w.end_array();
}

void write_side(Writer& w, const Snapshot& s, std::string_view key,
                const std::optional<resolve::NearestSide>& side) {
  w.key(key);
  if (!side) {
    w.null();
    return;
  }
  w.begin_object()
      .member("workloadId", id_text(s.workloads()[side->workload].id))
      .member("label", resolve::workload_label(s, side->workload))
      .member("value", side->value)
      .member("runs", side->runs);
  w.key("head");
  write_run_ref(w, s, side->head);
  text_or_null(w, "comparisonKey",
               side->cohort == kNone ? std::string() : digest_text(s.cohorts()[side->cohort].key));
  text_or_null(w, "query", side->query);
  w.end_object();
}

void write_matches(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("matches");
  if (!answer.chooser) {
    w.null();
    return;
  }
  const resolve::Chooser& chooser = *answer.chooser;
  w.begin_object()
      .member("total", chooser.total)
      .member("offset", chooser.offset)
      .member("withEvidence", chooser.with_evidence)
      .member("misfits", chooser.misfits);
  text_or_null(w, "facetLabel", chooser.facet_label);
  w.key("rows").begin_array();
  for (const resolve::ChooserRow& row : chooser.rows) {
    const auto& op = s.operations()[row.operation];
    w.begin_object()
        .member("name", resolve::operation_name(s, row.operation))
        .member("slug", s.text(op.slug))
        .member("family", s.name(op.family))
        .member("runs", op.eligible_runs)
        .member("why", to_string(row.reason));
    text_or_null(w, "axisMisfit", row.axis_misfit);
    text_or_null(w, "query", row.query);
    if (chooser.has_facets) {
      w.member("matching", row.matching).member("withSource", row.with_source).key("best");
      write_run_ref(w, s, row.best);
    }
    w.end_object();
  }
  w.end_array().end_object();
}

void write_nearest(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("nearest");
  if (!answer.nearest) {
    w.null();
    return;
  }
  w.begin_object()
      .member("axis", answer.nearest->axis)
      .member("requested", answer.nearest->requested);
  write_side(w, s, "below", answer.nearest->below);
  write_side(w, s, "above", answer.nearest->above);
  w.end_object();
}

// Where else to look: families when nothing was found, other operations.
void write_related(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("families").begin_array();
  for (const resolve::FamilyHint& family : answer.families) {
    w.begin_object()
        .member("family", s.name(family.family))
        .member("operations", family.operations)
        .member("runs", family.runs)
        .end_object();
  }
  w.end_array().key("related").begin_array();
  for (const Index operation : answer.related) write_operation(w, s, operation);
  w.end_array();
}

void write_excluded(Writer& w, const Snapshot& s, const Answer& answer) {
  w.key("excluded").begin_array();
  for (const resolve::Excluded& excluded : answer.excluded) {
    w.begin_object()
        .member("runId", id_text(s.runs()[excluded.run].id))
        .key("reasons")
        .begin_array();
    for (const std::string_view reason : excluded.reasons) w.value(reason);
    w.end_array().end_object();
  }
  w.end_array().member("excludedTotal", answer.excluded_total);
}

void optional_row(Writer& w, const Snapshot& s, std::string_view key,
                  const std::optional<Row>& row) {
  w.key(key);
  if (row) {
    write_row(w, s, *row);
  } else {
    w.null();
  }
}

}  // namespace

void write_row(Writer& w, const Snapshot& s, const Row& row) { write_row_of(w, s, row, false); }

void write_answer(Writer& w, const Snapshot& s, const Answer& answer,
                  const AnswerContext& context) {
  const auto is_wanted = [&](std::string_view part) {
    return context.include.empty() ||
           std::ranges::find(context.include, part) != context.include.end();
  };
  w.begin_object();
  text_or_null(w, "query", context.query);
  w.member("interpretation", resolve::interpretation(s, answer))
      .member("mode", to_string(answer.mode));
  w.key("operation");
  write_operation(w, s, answer.operation);
  w.key("operationReason");
  if (answer.operation == kNone) {
    w.null();
  } else {
    w.value(to_string(answer.operation_reason));
  }
  w.member("policyVersion", answer.policy.ranking).member("catalogVersion", answer.catalog_seq);
  if (is_wanted("policy")) write_policy(w, answer);
  if (is_wanted("facets")) write_facets(w, answer);
  if (is_wanted("issues")) write_issues(w, answer);
  if (is_wanted("selected")) write_selected(w, s, answer);
  w.key("cohort");
  write_cohort(w, s, answer.selected.cohort);
  if (is_wanted("cohortOptions")) write_cohort_options(w, s, answer);
  optional_row(w, s, "bestVerified", answer.best_verified);
  optional_row(w, s, "bestDeployable", answer.best_deployable);
  write_groups(w, s, answer);
  text_or_null(w, "nextCursor", context.next_cursor);
  if (is_wanted("matches")) write_matches(w, s, answer);
  if (is_wanted("nearest")) write_nearest(w, s, answer);
  if (is_wanted("related")) write_related(w, s, answer);
  if (is_wanted("excluded")) write_excluded(w, s, answer);
  if (is_wanted("sources")) {
    w.key("sources").begin_array();
    for (const Index source : answer.sources) write_json(w, source_of(s, source));
    w.end_array();
  }
  w.member("generatedAt", context.generated_at.to_string()).end_object();
}

}  // namespace ki::views
