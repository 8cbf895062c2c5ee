#include "ki/policy/ranking.h"
#include "ki/views/answer_json.h"
#include "ki/views/implementation_view.h"
#include "text_list.h"

namespace ki::views {
namespace {

void write_identity(json::Writer& w, const ImplementationView& view) {
  w.key("implementation")
      .begin_object()
      .member("id", view.id)
      .member("slug", view.named.slug)
      .member("name", view.named.name)
      .member("digest", view.digest);
  text_or_null(w, "revision", view.revision);
  instant_or_null(w, "createdAt", view.created_ms);
  w.key("supersededById").null().end_object().key("project").begin_object();
  w.member("name", view.project.name).member("slug", view.project.slug);
  text_or_null(w, "repositoryUrl", view.project_url);
  w.end_object().key("operation");
  write_json(w, view.operation);
  w.key("revisions").begin_array();
  for (const ImplementationView::Revision& revision : view.revisions) {
    w.begin_object().member("id", revision.id);
    text_or_null(w, "revision", revision.revision);
    w.end_object();
  }
  w.end_array();
}

void write_use(json::Writer& w, const ImplementationView& view) {
  w.key("usage").begin_object().key("install");
  if (view.install_kind.empty()) {
    w.null();
  } else {
    w.begin_object().member("kind", view.install_kind);
    text_or_null(w, "command", view.install_command);
    w.end_object();
  }
  w.key("invocationExample").null().key("requirements").begin_array();
  for (const KeyValue& need : view.requirements) {
    w.begin_object().member("name", need.key).member("constraint", need.value).end_object();
  }
  w.end_array().end_object().key("interface").begin_object();
  text_or_null(w, "language", view.interface.language);
  text_or_null(w, "framework", view.interface.framework);
  text_or_null(w, "symbol", view.interface.symbol);
  text_or_null(w, "sourcePath", view.interface.source_path);
  w.end_object().key("support").begin_object();
  text_list(w, "hardware", view.support.products);
  text_list(w, "measuredOn", view.support.measured_on);
  text_list(w, "architectures", view.support.architectures);
  text_list(w, "dtypes", view.support.dtypes);
  text_list(w, "layouts", view.support.layouts);
  text_list(w, "axes", view.support.axes);
  w.end_object();
}

void write_diff(json::Writer& w, const SourceDiff& diff) {
  w.key("diff")
      .begin_object()
      .member("previousSlug", diff.previous.slug)
      .member("previousName", diff.previous.name)
      .member("previousId", diff.previous_id)
      .member("added", diff.added)
      .member("deleted", diff.deleted)
      .key("lines")
      .begin_array();
  for (const SourceDiff::Line& line : diff.lines) {
    w.begin_object().member("kind", to_string(line.kind)).member("text", line.text).end_object();
  }
  w.end_array().member("linesTotal", diff.lines_total).end_object();
}

void write_source(json::Writer& w, const ImplementationView& view) {
  w.key("source").begin_object().member("available", view.source.is_available);
  text_or_null(w, "url", view.source.url);
  text_or_null(w, "commit", view.source.commit);
  text_or_null(w, "treeDigest", view.source.tree_digest);
  w.end_object().key("license").begin_object();
  text_or_null(w, "declared", view.licence.declared);
  text_or_null(w, "concluded", view.licence.concluded);
  text_or_null(w, "evidencePath", view.licence_evidence);
  w.end_object().key("sourceCode");
  if (!view.source_code) {
    w.null();
    return;
  }
  const ImplementationView::SourceCode& code = *view.source_code;
  w.begin_object();
  text_or_null(w, "fileName", code.file_name);
  w.member("language", code.language);
  text_or_null(w, "digest", code.digest);
  w.nullable("sizeBytes", code.size_bytes);
  text_or_null(w, "uri", code.uri);
  text_or_null(w, "license", code.licence);
  if (!code.content.empty()) w.member("content", code.content);
  if (code.diff) write_diff(w, *code.diff);
  w.end_object();
}

}  // namespace

std::string_view to_string(SourceDiff::Kind kind) {
  switch (kind) {
    case SourceDiff::Kind::kAdded:
      return "add";
    case SourceDiff::Kind::kDeleted:
      return "del";
    case SourceDiff::Kind::kContext:
      return "ctx";
    case SourceDiff::Kind::kGap:
      return "gap";
  }
  return "";
}

void write_json(json::Writer& w, const catalog::Snapshot& s, const ImplementationView& view,
                std::string_view next_cursor) {
  w.begin_object().member("illustrative", view.is_illustrative);
  write_identity(w, view);
  write_use(w, view);
  write_source(w, view);
  w.key("trust").begin_object();
  text_or_null(w, "evidence",
               view.evidence ? policy::to_string(*view.evidence) : std::string_view());
  w.member("summary", view.trust_summary);
  text_list(w, "notDeployableBecause", view.not_deployable_because);
  w.member("vendorable", view.is_vendorable).end_object();
  w.key("standing")
      .begin_object()
      .member("records", view.records)
      .member("runs", view.runs)
      .end_object();
  w.key("bestResults").begin_array();
  for (const resolve::Row& row : view.results) write_row(w, s, row);
  w.end_array().member("resultsTotal", view.results_total);
  text_or_null(w, "nextCursor", next_cursor);
  text_list(w, "limitations", view.limitations);
  w.key("provenance").begin_object().key("sources");
  write_json(w, view.sources);
  text_list(w, "authors", view.authors);
  instant_or_null(w, "importedAt", view.created_ms);
  w.end_object().key("manifest");
  if (view.manifest == nullptr) {
    w.null();
  } else {
    w.value(*view.manifest);
  }
  w.member("policyVersion", policy::kRankingV1)
      .member("catalogVersion", view.catalog_version)
      .end_object();
}

}  // namespace ki::views
