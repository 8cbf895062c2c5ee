// getOperation, getImplementation, getProject, getModel, getRun, citeRun, attestRun, reportRun,
// getManifest.
#include "answers.h"
#include "ki/display/cite.h"
#include "ki/json/canonical.h"
#include "ki/json/reader.h"
#include "ki/notes/run_notes.h"
#include "ki/views/find.h"
#include "ki/views/implementation_view.h"
#include "ki/views/model_view.h"
#include "ki/views/operation_view.h"
#include "ki/views/project_view.h"
#include "ki/views/run_view.h"

namespace ki::api {
namespace {

using catalog::Index;

// A run that was never published is nobody's business.
Result<Index> find_published_run(const Site& site, std::string_view id) {
  KI_TRY(const Index run, views::find_run(site.snapshot(), id));
  if ((site.snapshot().runs()[run].flags & catalog::run_flags::kPublished) == 0) {
    return fail(Code::kNotFound, "no run is " + std::string(id));
  }
  return run;
}

// A selector of part of a dossier that names nothing is a fault of the parameter.
Result<Index> selected(Result<Index> found, std::string_view parameter) {
  if (found) return found;
  Issue issue{.code = "INVALID_VALUE",
              .pointer = "?" + std::string(parameter),
              .message = found.error().message(),
              .fix = {}};
  return fail(Error(Code::kInvalidArgument, found.error().message(), {std::move(issue)}));
}

}  // namespace

Result<http::Response> show_operation(const Site& site, const Arguments& arguments) {
  const catalog::Snapshot& s = site.snapshot();
  KI_TRY(const Index operation, views::find_operation(s, arguments.text("operation")));
  views::OperationViewOptions options;
  options.now = site.now;
  options.records_limit = limit_of(arguments);
  options.workloads_limit = limit_of(arguments);
  options.implementations_limit = limit_of(arguments);
  if (const auto id = arguments.text("workload"); !id.empty()) {
    KI_TRY(options.workload, selected(views::find_workload(s, id), "workload"));
  }
  if (const auto key = arguments.text("cohort"); !key.empty()) {
    KI_TRY(options.cohort, selected(views::find_cohort(s, key), "cohort"));
  }
  KI_TRY(const auto view, views::operation_view(s, site.catalog->store(), operation, options));
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, s, view); });
}

Result<http::Response> show_implementation(const Site& site, const Arguments& arguments) {
  const catalog::Snapshot& s = site.snapshot();
  KI_TRY(const Index implementation,
         views::find_implementation(s, arguments.text("implementation")));
  KI_API_PAGE(offset, site, arguments);
  views::ImplementationViewOptions options;
  options.now = site.now;
  options.limit = limit_of(arguments);
  options.offset = offset;
  options.with_source = arguments.text("include") == "source";
  KI_TRY(const auto view,
         views::implementation_view(s, site.catalog->store(), implementation, options));
  const std::string next =
      cursor_after(site, arguments, offset, view.results.size(), view.results_total);
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, s, view, next); });
}

Result<http::Response> show_project(const Site& site, const Arguments& arguments) {
  const catalog::Snapshot& s = site.snapshot();
  KI_TRY(const Index project, views::find_project(s, arguments.text("project")));
  KI_API_PAGE(offset, site, arguments);
  views::ProjectViewOptions options;
  options.now = site.now;
  options.records_limit = limit_of(arguments);
  options.records_offset = offset;
  options.implementations_limit = limit_of(arguments);
  options.implementations_offset = offset;
  const auto view = views::project_view(site.catalog->ledger(), project, options);
  const std::string next =
      cursor_after(site, arguments, offset, limit_of(arguments),
                   std::max<std::size_t>(view.records_total, view.implementations_total));
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, s, view, next); });
}

Result<http::Response> show_model(const Site& site, const Arguments& arguments) {
  const catalog::Snapshot& s = site.snapshot();
  KI_TRY(const auto view, views::model_view(s, arguments.text("model"),
                                            {.gpu = arguments.text("gpu"), .now = site.now}));
  return json_answer(arguments, [&](json::Writer& w) { views::write_json(w, s, view); });
}

Result<http::Response> show_run(const Site& site, const Arguments& arguments) {
  KI_TRY(const Index run, find_published_run(site, arguments.text("run")));
  KI_TRY(const auto view, views::run_view(site.snapshot(), site.catalog->store(), run,
                                          {.now = site.now, .public_url = site.public_url}));
  static const sign::TrustList kNobody;
  KI_TRY(const auto notes, notes::read_notes(site.catalog->store(), site.snapshot().seq(), view.id,
                                             Digest(site.snapshot().runs()[run].digest),
                                             site.trust ? *site.trust : kNobody));
  return json_answer(arguments, [&](json::Writer& w) {
    views::write_json(w, view, [&](json::Writer& more) { notes::write_members(more, notes); });
  });
}

Result<http::Response> cite_run(const Site& site, const Arguments& arguments) {
  KI_TRY(const Index run, find_published_run(site, arguments.text("run")));
  KI_TRY(const auto view, views::run_view(site.snapshot(), site.catalog->store(), run,
                                          {.now = site.now, .public_url = site.public_url}));
  struct Style {
    std::string_view name;
    std::string_view heading;
    std::string (*write)(const display::Citation&);
  };
  constexpr Style kStyles[] = {{"text", "Text", display::citation_text},
                               {"bibtex", "BibTeX", display::citation_bibtex},
                               {"csl", "CSL-JSON", display::citation_csl_json},
                               {"ris", "RIS", display::citation_ris},
                               {"cff", "CITATION.cff", display::citation_cff}};
  const std::string_view wanted = arguments.text("style");
  std::string out;
  for (const auto& [name, heading, write] : kStyles) {
    if (wanted != "all" && wanted != name) continue;
    if (wanted == "all") out.append(out.empty() ? "# " : "\n# ").append(heading).append("\n");
    out += write(view.citation);
    if (!out.ends_with('\n')) out += '\n';
  }
  return http::Response::text(std::move(out), arguments.operation().cache);
}

namespace {

using File = std::expected<notes::Filed, http::Problem> (notes::Desk::*)(const notes::RunName&,
                                                                         const json::Value&,
                                                                         std::string_view);

Result<http::Response> file(const Site& site, const Arguments& arguments, File what) {
  KI_TRY(const Index run, find_published_run(site, arguments.text("run")));
  if (!site.desk) {
    return http::Response::of(http::Problem{.status = 403,
                                            .code = "NOTES_NOT_TAKEN",
                                            .detail = "the operator of this index takes no notes"});
  }
  const catalog::RunRow& row = site.snapshot().runs()[run];
  const auto filed = (*site.desk.*what)({Uuid{row.id}.to_string(), Digest(row.digest)},
                                        *arguments.body(), arguments.client());
  if (!filed) return http::Response::of(filed.error());
  http::Response response = json_answer(arguments, [&](json::Writer& w) {
    w.begin_object()
        .member("filed", true)
        .member("id", filed->id)
        .member("runId", filed->run_id)
        .member("new", filed->is_new);
    for (const auto& [name, text] :
         {std::pair<std::string_view, std::string_view>{"keyId", filed->key_id},
          {"owner", filed->owner}}) {
      w.key(name);
      if (text.empty()) {
        w.null();
      } else {
        w.value(text);
      }
    }
    w.end_object();
  });
  response.status = 201;
  return response;
}

}  // namespace

Result<http::Response> attest_run(const Site& site, const Arguments& arguments) {
  return file(site, arguments, &notes::Desk::attest);
}

Result<http::Response> report_run(const Site& site, const Arguments& arguments) {
  return file(site, arguments, &notes::Desk::report);
}

Result<http::Response> show_manifest(const Site& site, const Arguments& arguments) {
  KI_TRY(const Digest digest, Digest::parse(arguments.text("digest")));
  // Each table, and the member that holds the manifest.
  constexpr std::pair<catalog::Table, std::string_view> kPlaces[] = {
      {catalog::Table::kBenchmarkRuns, "run"},  {catalog::Table::kImplementations, "manifest"},
      {catalog::Table::kWorkloads, "manifest"}, {catalog::Table::kOperations, "manifest"},
      {catalog::Table::kDocuments, "manifest"}, {catalog::Table::kServingRuns, "manifest"}};
  for (const auto& [table, member] : kPlaces) {
    KI_TRY(const auto entry, site.catalog->store().find_digest(table, digest));
    if (!entry || entry->seq > site.snapshot().seq()) continue;
    KI_TRY(const json::Document row,
           json::read_document(entry->body, {.max_bytes = std::size_t{64} << 20}));
    const json::Value* manifest = row.root.find(member);
    const json::Value* published = row.root.find("publishedAt");
    if (manifest == nullptr || (published != nullptr && published->is_null())) continue;
    http::Response response =
        http::Response::json(json::canonical(*manifest), arguments.operation().cache);
    response.etag = digest.to_string();
    return response;
  }
  return fail(Code::kNotFound, "no manifest has the digest " + digest.to_string());
}

}  // namespace ki::api
