// The dossier of one run (spec 10 "Run"): the sections of the seed documents in their order.
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/cite.h"
#include "ki/display/labels.h"
#include "ki/display/names.h"
#include "ki/views/run_view.h"
#include "lookup.h"
#include "pages.h"
#include "parts.h"
#include "run_log.h"
#include "run_notes.h"

#include <array>

namespace ki::web {
namespace {

using views::RunView;

void heading(Html& h, const RunView& view) {
  h << "<div class=\"head\"><h1>Run " << text(display::title_id(view.id))
    << "</h1><p class=\"sub\">"
    << "<a" << href(operation_url(view.operation.slug)) << ">" << text(view.operation.name)
    << "</a> · " << text(view.workload.label) << " · " << text(view.citation.hardware)
    << " · <span class=\"id\">run " << text(display::short_run_id(view.id))
    << "</span></p><p class=\"tags\"><span class=\"status\">" << text(display::words(view.status))
    << "</span> ";
  evidence(h, view.evidence, view.evidence_note);
  if (view.lifecycle.is_stale)
    h << " <span class=\"status warn\">observed over 180 days ago</span>";
  h << "</p></div>\n";
}

void lifecycle(Html& h, const RunView& view) {
  if (const auto& retracted = view.lifecycle.retracted) {
    const auto at = parse_instant(retracted->at);
    h << "<div class=\"banner warn\" role=\"note\"><strong>Retracted"
      << " on ";
    if (at) {
      day(h, at->instant.ms);
    } else {
      h << text(retracted->at);
    }
    h << ".</strong> " << text(retracted->reason)
      << " The record stays readable; it has no rank and leads nothing.</div>\n";
  }
  if (!view.lifecycle.superseded_by_id.empty()) {
    h << "<div class=\"banner warn\" role=\"note\"><strong>Superseded.</strong> A correction "
         "replaces this record: <a"
      << href(Url::path({"runs", view.lifecycle.superseded_by_id})) << ">run "
      << text(display::short_run_id(view.lifecycle.superseded_by_id))
      << "</a>. This one has no rank.</div>\n";
  }
  if (!view.lifecycle.supersedes_id.empty()) {
    h << "<p class=\"banner\" role=\"note\">This record corrects <a"
      << href(Url::path({"runs", view.lifecycle.supersedes_id})) << ">run "
      << text(display::short_run_id(view.lifecycle.supersedes_id)) << "</a>.</p>\n";
  }
}

void primary(Html& h, const Snapshot& s, const RunView& view) {
  h << "<section class=\"answer\" aria-labelledby=\"primary\"><h2 id=\"primary\">Primary "
       "measurement</h2><div class=\"slots\"><div class=\"slot\">";
  if (view.primary) {
    readout(h, *view.primary);
  } else {
    h << "<p class=\"readout none\">No measurement</p>";
  }
  h << "<p class=\"rank\">" << text(view.rank_line) << "</p>";
  if (view.group.rank == 1 && view.group.size == 1) {
    h << "<p class=\"hint\">The only run in its group: nothing to be compared with yet.</p>";
  } else if (view.group.rank != 0) {
    h << "<p class=\"hint\">Rank among the runs indexed here, in order of reported values; not "
         "tested.</p>";
  }
  if (!view.group.head_run_id.empty() && view.group.head_run_id != view.id) {
    h << "<p><a class=\"more\""
      << href(Url::path({"compare"}).with("run", view.group.head_run_id).with("run", view.id))
      << ">Compare with #1 →</a></p>";
  }
  if (!view.source_native_line.empty()) {
    h << "<p class=\"native\">" << text(view.source_native_line) << "</p>";
    if (!view.source_native_notes.empty()) {
      h << "<details class=\"notes\" open><summary>What the source's words mean</summary><ul>";
      for (const std::string& note : view.source_native_notes) {
        h << "<li>" << text(note) << "</li>";
      }
      h << "</ul></details>";
    }
  }
  h << "</div><div class=\"slot\"><h3>Why believe it</h3><p>";
  evidence(h, view.evidence, view.evidence_note);
  h << " " << text(evidence_sentence(view.evidence)) << "</p><h3>Can it be used</h3><p>"
    << text(use_text(s, s.runs()[view.run].implementation)) << "</p>";
  if (!view.group.caveats.empty()) {
    h << "<h3>Caveats</h3><ul>";
    for (const std::string_view caveat : view.group.caveats) {
      h << "<li>" << text(caveat_sentence(caveat)) << "</li>";
    }
    h << "</ul>";
  }
  h << "</div></div></section>\n";
}

void identity(Html& h, const RunView& view) {
  h << "<section aria-labelledby=\"identity\"><h2 id=\"identity\">Identity</h2>";
  {
    Pairs pairs(h);
    pairs.add_link("implementation", implementation_url(view.implementation.slug),
                   view.implementation.name);
    pairs.add_link("project", project_url(view.project.slug), view.project.name);
    pairs.add("revision", display::revision(view.revision));
    pairs.add("workload", view.workload.label);
    pairs.add_copy("comparison key", display::short_key(view.group.comparison_key),
                   view.group.comparison_key, "Copy the comparison key");
    pairs.add("source", view.source.name);
    if (const auto url = Url::external(view.external_url); url && !view.external_id.empty()) {
      pairs.add_link("external id", *url, view.external_id);
    } else {
      pairs.add("external id", view.external_id);
    }
    pairs.add_copy("digest", display::short_digest(view.digest), view.digest, "Copy the digest");
  }
  h << "<details><summary>All identifiers in full</summary>";
  {
    Pairs pairs(h);
    const auto add = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      pairs.add_with(key,
                     [&](Html& out) { out << "<code class=\"id\">" << text(value) << "</code>"; });
    };
    add("run", view.id);
    add("run digest", view.digest);
    add("comparison key", view.group.comparison_key);
    add("operation digest", view.operation_digest);
    add("workload digest", view.workload.digest);
    add("implementation digest", view.implementation_digest);
    add("protocol digest", view.protocol_digest);
    add("environment digest", view.environment_digest);
    add("correctness key", view.correctness_key);
  }
  h << "</details></section>\n";
}

void workload(Html& h, const RunView& view) {
  h << "<section aria-labelledby=\"workload\"><h2 id=\"workload\">Workload</h2>";
  if (!view.workload.axes.empty()) {
    Pairs pairs(h);
    for (const auto& [name, value] : view.workload.axes) {
      pairs.add(name, display::count(value));
    }
  }
  if (!view.workload.tensors.empty()) {
    constexpr std::array<Table::Column, 4> kColumns = {
        {{"tensor", Table::Kind::kHeader}, {"dtype"}, {"shape"}, {"layout"}}};
    Table table(h, "Tensors of the workload", kColumns);
    for (const RunView::Tensor& tensor : view.workload.tensors) {
      table.row();
      table.cell() << text(tensor.name);
      table.cell() << text(tensor.dtype);
      table.cell() << "<span class=\"id\">" << text(tensor.shape) << "</span>";
      table.cell() << text(tensor.layout.empty() ? display::kMissing : tensor.layout);
    }
  }
  if (!view.workload.tolerance.empty()) {
    Pairs pairs(h);
    for (const views::KeyValue& item : view.workload.tolerance) {
      pairs.add(item.key == "comparator" ? "definition comparator" : item.key, item.value);
    }
  }
  h << "</section>\n";
}

void measurements(Html& h, const RunView& view) {
  h << "<section aria-labelledby=\"measurements\"><h2 id=\"measurements\">Measurements</h2>";
  if (view.measurements.empty()) {
    h << "<p>None: the run did not get as far as measuring.</p>";
  } else {
    Pairs pairs(h);
    for (const RunView::Measured& m : view.measurements) {
      std::string key(display::words(m.metric));
      if (!m.statistic.empty()) key += " · " + std::string(m.statistic);
      std::string value = display::primary_text(m.value, m.unit);
      if (m.samples) value += " · n = " + display::count(*m.samples);
      pairs.add(key, value);
    }
  }
  h << "</section>\n";
}

void key_values(Html& h, Markup id, Markup title, std::span<const views::KeyValue> list,
                Markup empty) {
  h << "<section aria-labelledby=\"" << id << "\"><h2 id=\"" << id << "\">" << title << "</h2>";
  if (list.empty()) {
    h << "<p>" << empty << "</p>";
  } else {
    Pairs pairs(h);
    for (const views::KeyValue& item : list) pairs.add(item.key, item.value);
  }
  h << "</section>\n";
}

std::string_view availability_text(RunView::Availability availability) {
  switch (availability) {
    case RunView::Availability::kPublic:
      return "stored here";
    case RunView::Availability::kUpstream:
      return "at its source";
    case RunView::Availability::kUnavailable:
      return "not available";
  }
  return {};
}

void artifacts(Html& h, const RunView& view) {
  h << "<section aria-labelledby=\"artifacts\"><h2 id=\"artifacts\">Artifacts</h2>";
  if (view.artifacts.empty()) {
    h << "<p>No artifacts published with this run.</p></section>\n";
    return;
  }
  constexpr std::array<Table::Column, 4> kColumns = {
      {{"role", Table::Kind::kHeader}, {"digest"}, {"media type"}, {"availability"}}};
  {
    Table table(h, "Artifacts of the run", kColumns);
    for (const RunView::Artifact& artifact : view.artifacts) {
      table.row();
      Html& role = table.cell();
      if (const auto url = Url::external(artifact.uri)) {
        named_link(role, *url, display::words(artifact.role));
      } else {
        role << text(display::words(artifact.role));
      }
      copyable(table.cell(), display::short_digest(artifact.digest), artifact.digest,
               "Copy the digest");
      table.cell() << text(artifact.media_type);
      table.cell() << text(availability_text(artifact.availability));
    }
  }
  h << "</section>\n";
}

void verification(Html& h, const RunView::Verification& one) {
  h << "<h3>" << text(one.is_verified ? one.label : std::string("Signed, not verified")) << "</h3>";
  if (!one.problem.empty())
    h << "<p>The statement is not believed: " << text(one.problem) << ".</p>";
  if (!one.clauses.empty()) {
    constexpr std::array<Table::Column, 3> kColumns = {
        {{"clause", Table::Kind::kHeader}, {"holds"}, {"what was found"}}};
    Table table(h, "Clauses of " + one.policy, kColumns);
    for (const RunView::Verification::Clause& clause : one.clauses) {
      table.row();
      table.cell() << text("(" + clause.letter + ")");
      table.cell() << (clause.holds ? Markup("yes") : Markup("no"));
      table.cell() << text(clause.text);
    }
  }
  for (const std::string& note : one.notes) h << "<p>" << text(note) << ".</p>";
  Pairs pairs(h);
  pairs.add("runner", one.owner);
  if (!one.key_id.empty()) {
    pairs.add_copy("signed by key", display::short_digest(one.key_id), one.key_id,
                   "Copy the key id");
  }
  pairs.add_copy("statement", display::short_digest(one.digest), one.digest,
                 "Copy the statement's digest");
  if (one.log_index) pairs.add("log entry", display::count(*one.log_index));
}

// What this index itself found out about the run, where it was rerun under control.
void verifications(Html& h, const RunView& view) {
  if (view.verifications.empty()) return;
  h << "<section aria-labelledby=\"verification\"><h2 id=\"verification\">Verification</h2>";
  for (const RunView::Verification& one : view.verifications) verification(h, one);
  h << "<p>Verified says that the runner built, judged and timed this source there. It does not "
       "say that the number repeats elsewhere. Check it: ";
  copy_line(h, "ki verify " + view.id, "Copy the command");
  h << "</p></section>\n";
}

void manifest(Html& h, const RunView& view) {
  std::string json;
  json::Writer w(json, json::Writer::Style::kIndented);
  w.begin_object()
      .member("run", *view.run_manifest)
      .member("protocol", *view.protocol_manifest)
      .member("environment", *view.environment_manifest)
      .end_object();
  h << "<section aria-labelledby=\"manifest\"><h2 id=\"manifest\">Canonical manifest</h2>"
       "<details><summary>Show manifest</summary><pre tabindex=\"0\" role=\"region\" "
       "aria-label=\"Canonical manifest as JSON\">"
    << text(json) << "</pre></details></section>\n";
}

void cite(Html& h, const Site& site, const RunView& view) {
  std::string line = display::citation_text(view.citation);
  line.resize(std::min(line.size(), line.rfind(" Accessed ")));
  const Url address = Url::path({"runs", view.digest, "cite"});
  h << "<section aria-labelledby=\"cite\"><h2 id=\"cite\">Cite this record (permalink, digest, "
       "access date)</h2><p class=\"cite\">"
    << text(line) << "</p><p class=\"act\"><a" << href(address)
    << ">Text with today's access date</a> · <a" << href(address.with("style", "bibtex"))
    << ">BibTeX</a> · <a" << href(address.with("style", "csl-json")) << ">CSL-JSON</a> · <a"
    << href(address.with("style", "ris")) << ">RIS</a> · <a" << href(address.with("style", "cff"))
    << ">CITATION.cff</a></p>";
  {
    Pairs pairs(h);
    const std::string permalink =
        Url::path({"runs", view.digest}).absolute(site.options.origin).text();
    const std::string pinned = Url::path({"runs", view.digest})
                                   .with("version", site.version)
                                   .absolute(site.options.origin)
                                   .text();
    pairs.add_with("permalink",
                   [&](Html& out) { copy_line(out, permalink, "Copy the permalink"); });
    pairs.add_with("as of this catalog version",
                   [&](Html& out) { copy_line(out, pinned, "Copy the pinned permalink"); });
  }
  h << "</section>\n";
}

void closing(Html& h, const RunView& view) {
  h << "<p class=\"closing\">Published ";
  if (view.published_at) {
    day(h, view.published_at->ms);
  } else {
    h << text(display::kMissing);
  }
  h << " · ";
  if (const auto url = Url::external(view.source_url)) {
    named_link(h, *url, view.source.name);
  } else {
    h << text(view.source.name);
  }
  if (!view.source_licence.empty()) h << " · " << text(view.source_licence);
  h << " · <a" << href(operation_url(view.operation.slug)) << ">All results for "
    << text(view.operation.name) << " →</a> · <a" << href(api({"runs", view.id}))
    << ">JSON</a></p>\n";
}

}  // namespace

http::Response run_page(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const std::string& id = request.parameter("id");
  const Index run = find_run(s, id);
  if (run == kNone) return not_found("RUN_NOT_FOUND", "No published run has this id or digest.");
  const auto made = views::run_view(s, *site.catalog.store, run,
                                    {.now = site.catalog.now, .public_url = site.options.origin});
  if (!made) return http::Response::of(made.error());
  const RunView& view = *made;
  static const sign::TrustList kNobody;
  const auto said =
      notes::read_notes(*site.catalog.store, s.seq(), view.id, Digest(s.runs()[run].digest),
                        site.catalog.trust ? *site.catalog.trust : kNobody);
  if (!said) return http::Response::of(said.error());

  std::string description = view.implementation.name + ", " + view.operation.name + ", " +
                            view.workload.label + " on " + view.citation.hardware;
  if (view.primary) {
    description += ": " + view.citation.value + " (" + view.citation.statistic + ")";
  }
  const PageHead head{.title = "Run " + display::title_id(view.id),
                      .description = description + ".",
                      .canonical = Url::path({"runs", view.id}),
                      .json = api({"runs", view.id}),
                      .card = Url::path({"cards", "runs", view.id + ".svg"}),
                      .command = "ki show run " + view.id,
                      .is_illustrative = view.is_illustrative};
  Page page(site, head);
  Html& h = page.html();
  h << "<article class=\"run\">";
  heading(h, view);
  lifecycle(h, view);
  primary(h, s, view);
  h << "<div class=\"columns\">";
  identity(h, view);
  h << "<section aria-labelledby=\"correctness\"><h2 id=\"correctness\">Correctness</h2><p>"
    << text(view.correctness_text) << "</p></section>\n";
  workload(h, view);
  measurements(h, view);
  key_values(h, "protocol", "Protocol", view.protocol, "The protocol states nothing.");
  key_values(h, "environment", "Environment", view.environment, "The environment states nothing.");
  artifacts(h, view);
  verifications(h, view);
  if (const auto logged = log_section(h, site, view); !logged)
    return http::Response::of(logged.error());
  notes_section(h, site, view, *said);
  h << "</div>";
  manifest(h, view);
  cite(h, site, view);
  report_section(h, site, view, *said);
  closing(h, view);
  h << "</article>";
  return std::move(page).finish();
}

http::Response cite_answer(const Site& site, const http::Request& request) {
  const Snapshot& s = site.snapshot();
  const Index run = find_run(s, request.parameter("id"));
  if (run == kNone) return not_found("RUN_NOT_FOUND", "No published run has this id or digest.");
  const auto made = views::run_view(s, *site.catalog.store, run,
                                    {.now = site.catalog.now, .public_url = site.options.origin});
  if (!made) return http::Response::of(made.error());
  struct Style {
    std::string_view name, type, file;
    std::string (*write)(const display::Citation&);
  };
  constexpr std::array<Style, 5> kStyles = {
      {{"text", "text/plain; charset=utf-8", "", display::citation_text},
       {"bibtex", "application/x-bibtex; charset=utf-8", "bib", display::citation_bibtex},
       {"csl-json", "application/vnd.citationstyles.csl+json", "json", display::citation_csl_json},
       {"ris", "application/x-research-info-systems; charset=utf-8", "ris", display::citation_ris},
       {"cff", "application/yaml; charset=utf-8", "cff", display::citation_cff}}};
  const std::string_view wanted = request.query("style").value_or("text");
  for (const Style& style : kStyles) {
    if (style.name != wanted) continue;
    http::Response response;
    response.content_type = style.type;
    response.body = style.write(made->citation);
    response.cache = http::Cache::kNoStore;
    return response;
  }
  return http::Response::of(http::Problem{
      .status = 400,
      .code = "INVALID_PARAMETER",
      .detail = "style is one of text, bibtex, csl-json, ris, cff.",
      .errors = {{.pointer = "?style", .code = "UNKNOWN_STYLE", .message = "unknown style"}}});
}

}  // namespace ki::web
