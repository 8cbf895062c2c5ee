#include "ki/importers/review_report.h"

#include "ki/json/writer.h"

namespace ki::importers {
namespace {

void write_counts(json::Writer& w, std::string_view name,
                  const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  w.key(name).begin_object();
  for (const auto& [what, count] : counts) w.member(what, count);
  w.end_object();
}

void write_texts(json::Writer& w, std::string_view name, const std::vector<std::string>& texts) {
  w.key(name).begin_array();
  for (const std::string& text : texts) w.value(text);
  w.end_array();
}

}  // namespace

std::string ReviewReport::to_json() const {
  std::string out;
  json::Writer w(out, json::Writer::Style::kIndented);
  w.begin_object();
  w.member("source", source).member("parserVersion", parser_version);
  write_counts(w, "discovered", discovered);
  w.member("selectedSubmissions", selected_submissions);
  write_counts(w, "skippedSubmissions", skipped_submissions);
  write_counts(w, "operationsByFamily", operations_by_family);
  w.key("proposed").begin_array();
  for (const Proposed& p : proposed) {
    w.begin_object().member("entity", p.entity).member("name", p.name).member("digest", p.digest);
    w.member("action", p.exists ? "exists" : "insert").end_object();
  }
  w.end_array().key("ambiguities").begin_array();
  for (const Ambiguity& a : ambiguities)
    w.begin_object().member("code", a.code).member("text", a.text).end_object();
  w.end_array().key("issues").begin_array();
  for (const ReviewIssue& i : issues) {
    w.begin_object()
        .member("locator", i.locator)
        .member("item", i.item)
        .member("problem", i.problem)
        .end_object();
  }
  w.end_array();
  write_texts(w, "driftWarnings", drift_warnings);
  write_texts(w, "licenseWarnings", license_warnings);
  w.member("plan", plan).end_object();
  out += '\n';
  return out;
}

}  // namespace ki::importers
