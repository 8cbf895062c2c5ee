#include "ki/views/project_view.h"

#include "ki/display/names.h"
#include "ki/policy/ranking.h"
#include "project_moves.h"
#include "tally.h"
#include "text_list.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ki::views {
namespace {

using catalog::NameId;
using catalog::Snapshot;

// The run that is placed best: rank, then the larger group.
Index best_placed(const Snapshot& s, Index implementation) {
  Index best = kNone;
  const auto key = [&](Index run) {
    const auto& row = s.runs()[run];
    return std::tuple(row.rank, ~s.cohorts()[row.cohort].ranked, row.id);
  };
  for (const Index run : s.runs_of_implementation(implementation)) {
    if (best == kNone || key(run) < key(best)) best = run;
  }
  return best;
}

ProjectView::Implementation describe(const Snapshot& s, Index index) {
  const auto& row = s.implementations()[index];
  ProjectView::Implementation item;
  item.implementation = index;
  item.named = named_implementation(s, index);
  item.operation = named_operation(s, row.operation);
  item.revision = s.text(row.revision);
  item.runs = row.eligible_runs;
  item.best_run = best_placed(s, index);
  item.is_source_available = row.source_available != 0;
  item.is_installable = row.installable != 0;
  item.licence = licence_of(s, index);
  std::uint8_t evidence = 0;
  for (const Index run : s.runs_of_implementation(index)) {
    evidence = std::max(evidence, s.runs()[run].evidence);
  }
  if (evidence != 0) item.evidence = static_cast<policy::EvidenceLevel>(evidence);
  return item;
}

// What the runs of the implementations say: GPUs by runs, sources, the newest observation.
void add_runs(const Snapshot& s, std::span<const Index> implementations, ProjectView& view) {
  std::map<NameId, std::uint32_t> gpus;
  std::vector<Index> one_of_source;  // a run of each source
  SmallSet licences;
  for (const Index implementation : implementations) {
    const auto& code = s.implementations()[implementation];
    if (code.license_concluded != 0) licences.add(code.license_concluded);
    view.runs += code.eligible_runs;
    for (const Index run : s.runs_of_implementation(implementation)) {
      const auto& row = s.runs()[run];
      ++gpus[s.environments()[s.cohorts()[row.cohort].environment].product];
      view.last_observed_ms = std::max(view.last_observed_ms, row.observed_ms);
      const auto is_same = [&](Index other) { return s.runs()[other].source == row.source; };
      if (std::ranges::none_of(one_of_source, is_same)) one_of_source.push_back(run);
    }
  }
  std::vector<std::pair<std::uint32_t, std::string_view>> ordered;
  ordered.reserve(gpus.size());
  for (const auto& [product, runs] : gpus) ordered.emplace_back(runs, s.name(product));
  std::ranges::sort(ordered, [](const auto& a, const auto& b) {
    return std::tie(b.first, a.second) < std::tie(a.first, b.second);
  });
  for (const auto& [runs, gpu] : ordered) view.hardware.push_back(gpu);
  for (const NameId id : licences.ids()) view.licences.push_back(s.name(id));
  std::ranges::sort(view.licences);
  view.sources = sources_of(s, one_of_source);
  view.is_illustrative = is_illustrative(s, one_of_source);
}

}  // namespace

ProjectView project_view(const RecordLedger& ledger, Index project,
                         const ProjectViewOptions& options) {
  const Snapshot& s = ledger.snapshot();
  const auto& row = s.projects()[project];
  ProjectView view;
  view.project = project;
  view.catalog_version = s.seq();
  view.now = options.now;
  view.id = id_text(row.id);
  view.slug = s.text(row.slug);
  view.name = s.text(row.name);
  view.kind = s.name(row.kind);
  view.url = s.text(row.url);
  std::vector<Index> implementations;
  for (Index i = 0; i < s.implementations().size(); ++i) {
    if (s.implementations()[i].project == project) implementations.push_back(i);
  }
  view.implementations_total = static_cast<std::uint32_t>(implementations.size());
  add_runs(s, implementations, view);
  const ProjectMoves moves = project_moves(ledger, options.policy, options.now)[project];
  view.gained = moves.gained;
  view.lost = moves.lost;
  RecordOptions records;
  records.policy = options.policy;
  records.project = project;
  records.with_sourceless = true;
  records.with_baselines = true;
  records.offset = options.records_offset;
  records.limit = options.records_limit;
  view.records = list_records(ledger, records, options.now);
  view.records_total = static_cast<std::uint32_t>(view.records.total);
  std::ranges::sort(implementations, [&](Index a, Index b) {
    const auto& x = s.implementations()[a];
    const auto& y = s.implementations()[b];
    if (x.eligible_runs != y.eligible_runs) return x.eligible_runs > y.eligible_runs;
    return std::pair(s.text(x.slug), a) < std::pair(s.text(y.slug), b);
  });
  const std::size_t begin = std::min(options.implementations_offset, implementations.size());
  const std::size_t end =
      begin + std::min(options.implementations_limit, implementations.size() - begin);
  for (std::size_t i = begin; i < end; ++i) {
    view.implementations.push_back(describe(s, implementations[i]));
  }
  return view;
}

void write_json(json::Writer& w, const Snapshot& s, const ProjectView& view,
                std::string_view next_cursor) {
  w.begin_object()
      .member("illustrative", view.is_illustrative)
      .key("project")
      .begin_object()
      .member("id", view.id)
      .member("slug", view.slug)
      .member("name", view.name)
      .member("kind", view.kind);
  text_or_null(w, "repositoryUrl", view.url);
  text_list(w, "licenses", view.licences);
  w.end_object()
      .key("stats")
      .begin_object()
      .member("implementations", view.implementations_total)
      .member("runs", view.runs)
      .member("records", view.records_total)
      .member("gained30d", view.gained)
      .member("lost30d", view.lost);
  text_list(w, "hardware", view.hardware);
  instant_or_null(w, "lastObservedAt", view.last_observed_ms);
  w.end_object().key("records").begin_array();
  for (const RecordItem& item : view.records.items) write_json(w, view.records, item);
  w.end_array()
      .member("recordsTotal", view.records_total)
      .member("recordsOffset", view.records.options.offset)
      .key("implementations")
      .begin_array();
  for (const ProjectView::Implementation& item : view.implementations) {
    w.begin_object()
        .member("slug", item.named.slug)
        .member("name", item.named.name)
        .key("operation");
    write_json(w, item.operation);
    text_or_null(w, "revision", display::revision(item.revision));
    text_or_null(w, "evidence",
                 item.evidence ? policy::to_string(*item.evidence) : std::string_view());
    w.member("runs", item.runs).key("best");
    if (item.best_run == kNone) {
      w.null();
    } else {
      const auto& run = s.runs()[item.best_run];
      w.begin_object()
          .member("runId", id_text(run.id))
          .member("runDigest", digest_text(run.digest))
          .key("primary");
      write_json(w, primary_of(s, item.best_run));
      w.member("rank", run.rank)
          .member("cohortSize", s.cohorts()[run.cohort].ranked)
          .member("comparisonKey", digest_text(s.cohorts()[run.cohort].key))
          .end_object();
    }
    w.member("sourceAvailable", item.is_source_available)
        .member("installable", item.is_installable)
        .key("license");
    write_json(w, item.licence);
    w.end_object();
  }
  w.end_array().member("implementationsTotal", view.implementations_total);
  text_or_null(w, "nextCursor", next_cursor);
  w.key("sources");
  write_json(w, view.sources);
  w.member("policyVersion", policy::kRankingV1)
      .member("catalogVersion", view.catalog_version)
      .member("generatedAt", view.now.to_string())
      .end_object();
}

}  // namespace ki::views
