#include "run_notes.h"

#include "frame.h"
#include "ki/base/text.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/display/format.h"
#include "ki/display/labels.h"
#include "ki/json/reader.h"
#include "lookup.h"
#include "parts.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ki::web {
namespace {

using notes::RunAttestation;
using notes::RunReport;
using notes::Signing;
using views::RunView;

struct Choice {
  std::string_view value;
  std::string_view label;
};
constexpr std::array<Choice, 4> kTypes = {{{"reproduced", "Reproduced"},
                                           {"could_not_reproduce", "Could not reproduce"},
                                           {"environment_note", "Note on the environment"},
                                           {"regression_observed", "Regression observed"}}};
constexpr std::array<Choice, 5> kReasons = {{{"incorrect_result", "Incorrect result"},
                                             {"wrong_attribution", "Wrong attribution"},
                                             {"license_issue", "Licence issue"},
                                             {"comparability", "Not comparable as stated"},
                                             {"other", "Something else"}}};
constexpr std::array<Choice, 3> kUnits = {{{"us", "µs"}, {"ns", "ns"}, {"ms", "ms"}}};

template <std::size_t N>
std::string_view label_of(const std::array<Choice, N>& choices, std::string_view value) {
  const auto found = std::ranges::find(choices, value, &Choice::value);
  return found == choices.end() ? value : found->label;
}

void day_of(Html& h, const std::string& instant) {
  if (const auto at = parse_instant(instant)) day(h, at->instant.ms);
}

// Words of somebody else: escaped, with their line breaks.
void words(Html& h, std::string_view body) {
  h << "<p>";
  bool is_first = true;
  for (const std::string_view line : split(body, '\n')) {
    if (!is_first) h << "<br>";
    is_first = false;
    h << text(line);
  }
  h << "</p>";
}

void evidence_link(Html& h, const std::string& address) {
  if (address.empty()) return;
  h << "<p class=\"small\">Evidence: ";
  if (const auto url = Url::external(address)) {
    h << "<a rel=\"nofollow ugc noreferrer\"" << href(*url) << ">" << text(address) << "</a>";
  } else {
    h << text(address);
  }
  h << "</p>";
}

void attestation(Html& h, const RunAttestation& one, const RunView& view) {
  h << "<li><p><strong>" << text(label_of(kTypes, one.attestation.type)) << "</strong> · ";
  day_of(h, one.created_at);
  switch (one.signing) {
    case Signing::kSigned:
      h << " · <span class=\"status\">signed by " << text(one.owner) << "</span> "
        << "<span class=\"small\">key " << text(one.key_id.substr(0, 16))
        << "…, trusted by this index as an attester; the signature was verified for this "
           "page</span>";
      break;
    case Signing::kNotBelieved:
      h << " · <span class=\"status warn\">signature no longer believed</span> <span "
           "class=\"small\">its key is not trusted by this index now</span>";
      break;
    case Signing::kUnsigned:
      h << " · <span class=\"status\">unsigned note</span>";
      break;
  }
  h << "</p>";
  if (one.hidden) {
    h << "<p>Hidden by the operator on ";
    day_of(h, one.hidden->at);
    h << ": " << text(one.hidden->reason) << "</p></li>";
    return;
  }
  words(h, one.attestation.body);
  if (one.attestation.observed_ns || !one.attestation.environment.empty()) {
    h << "<p class=\"small\">";
    if (one.attestation.observed_ns) {
      h << "Observed " << text(display::primary_text(*one.attestation.observed_ns, "ns"));
      if (view.primary && view.primary->unit == "ns" && view.primary->value > 0) {
        h << ", " << text(display::relative(one.attestation.observed_ns, view.primary->value))
          << " the recorded value";
      }
    }
    if (!one.attestation.environment.empty()) {
      if (one.attestation.observed_ns) h << " · ";
      h << text(one.attestation.environment);
    }
    h << "</p>";
  }
  evidence_link(h, one.attestation.evidence_url);
  h << "</li>";
}

// "2 reproduced, 1 could not reproduce".
std::string counts_of(const notes::RunNotes& notes) {
  std::string out;
  for (const Choice& type : kTypes) {
    const auto count = std::ranges::count_if(notes.attestations, [&](const RunAttestation& one) {
      return one.attestation.type == type.value && !one.hidden;
    });
    if (count == 0) continue;
    if (!out.empty()) out += ", ";
    out += display::count(count) + " " + ascii_lower(type.label);
  }
  return out;
}

template <std::size_t N>
void choices(Html& h, std::string_view id, std::string_view name, Markup label,
             const std::array<Choice, N>& list) {
  h << "<p><label" << attr("for", id) << ">" << label << "</label><select" << attr("id", id)
    << attr("name", name) << ">";
  for (const Choice& one : list) {
    h << "<option" << attr("value", one.value) << ">" << text(one.label) << "</option>";
  }
  h << "</select></p>";
}

void field(Html& h, std::string_view id, std::string_view name, Markup label,
           std::string_view max_length) {
  h << "<p><label" << attr("for", id) << ">" << label << "</label><input type=\"text\""
    << attr("id", id) << attr("name", name) << attr("maxlength", max_length)
    << " autocomplete=\"off\"></p>";
}

void long_field(Html& h, std::string_view id, std::string_view name, Markup label,
                std::string_view max_length) {
  h << "<p><label" << attr("for", id) << ">" << label << "</label><textarea" << attr("id", id)
    << attr("name", name) << attr("maxlength", max_length)
    << " rows=\"4\" required></textarea></p>";
}

void note_form(Html& h, const RunView& view) {
  h << "<details><summary>Write a note</summary><form class=\"say\" method=\"post\""
    << link("action", Url::path({"runs", view.id, "attestations"})) << ">";
  choices(h, "note-type", "type", "What", kTypes);
  long_field(h, "note-body", "body", "In words, up to 2,000 characters", "2000");
  field(h, "note-observed", "observed", "Value that you measured (optional)", "20");
  choices(h, "note-unit", "observedUnit", "Its unit", kUnits);
  field(h, "note-environment", "environmentSummary", "Where: GPU, driver, CUDA (optional)", "200");
  field(h, "note-url", "evidenceUrl", "https address of your evidence (optional)", "2000");
  h << "<p class=\"act\"><button type=\"submit\">Store the note</button></p></form></details>";
}

void report_form(Html& h, const RunView& view) {
  h << "<details><summary>Write a report</summary><form class=\"say\" method=\"post\""
    << link("action", Url::path({"runs", view.id, "reports"})) << ">";
  choices(h, "report-reason", "reason", "What is wrong", kReasons);
  long_field(h, "report-detail", "detail", "In words, up to 4,000 characters", "4000");
  field(h, "report-url", "evidenceUrl", "Address of your evidence (optional)", "2000");
  h << "<p class=\"act\"><button type=\"submit\">Store the report</button></p></form></details>";
}

notes::Takes takes(const Site& site) {
  return site.options.desk ? site.options.desk->takes() : notes::Takes::kNothing;
}

bool is_form(std::string_view content_type) {
  const std::string_view type = trim(content_type.substr(0, content_type.find(';')));
  return equals_ignoring_case(type, "application/x-www-form-urlencoded");
}

using File = std::expected<notes::Filed, http::Problem> (notes::Desk::*)(const notes::RunName&,
                                                                         const json::Value&,
                                                                         std::string_view);

http::Response file(const Site& site, const http::Request& request, File what, Markup title,
                    Markup sentence) {
  const Snapshot& s = site.snapshot();
  const Index run = find_run(s, request.parameter("id"));
  if (run == kNone) return not_found("RUN_NOT_FOUND", "No published run has this id or digest.");
  const auto refuse = [](int status, std::string_view code, std::string detail) {
    return http::Response::of(
        http::Problem{.status = status, .code = std::string(code), .detail = std::move(detail)});
  };
  if (!site.options.desk) {
    return refuse(403, "NOTES_NOT_TAKEN", "The operator of this index takes no notes.");
  }
  if (!is_form(request.header("content-type").value_or(""))) {
    return refuse(415, "UNSUPPORTED_MEDIA_TYPE",
                  "Send the form as application/x-www-form-urlencoded; JSON goes to /api/v1.");
  }
  if (request.body.size() > notes::kMaxRequestBytes) {
    return refuse(413, "PAYLOAD_TOO_LARGE", "The form is too large.");
  }
  const auto json = notes::json_of_form(request.body);
  if (!json) return refuse(400, "INVALID_FORM", json.error().message());
  const auto document = json::read_document(*json);
  if (!document) return refuse(400, "INVALID_FORM", document.error().message());
  const catalog::RunRow& row = s.runs()[run];
  const std::string id = Uuid{row.id}.to_string();
  const auto filed =
      (*site.options.desk.*what)({id, Digest(row.digest)}, document->root, request.client);
  if (!filed) return http::Response::of(filed.error());
  const PageHead head{.title = std::string(title.text()),
                      .description = "What was stored.",
                      .canonical = Url::path({"runs", id}),
                      .is_indexed = false};
  Page page(site, head);
  Html& h = page.html();
  h << "<article class=\"prose\"><h1>" << title << "</h1><p>" << sentence << " ";
  if (!filed->is_new) h << "The same words were there already, so nothing was added. ";
  h << "It is on the page of the run within a second, as an unsigned note.</p>";
  {
    Pairs pairs(h);
    pairs.add("id", filed->id);
  }
  h << "<p><a" << href(Url::path({"runs", id}).at("notes")) << ">Back to run "
    << text(display::short_run_id(id)) << "</a></p></article>";
  return std::move(page).finish(201, http::Cache::kNoStore);
}

}  // namespace

void notes_section(Html& h, const Site& site, const RunView& view, const notes::RunNotes& notes) {
  h << "<section aria-labelledby=\"notes\"><h2 id=\"notes\">Replications and notes</h2>";
  if (view.replications != 0) {
    h << "<p>" << text(display::count_noun(view.replications, "independent replication"))
      << " counted in the record.</p>";
  }
  if (notes.attestations.empty()) {
    h << "<p>No attestations yet.</p>";
  } else {
    h << "<p>" << text(counts_of(notes)) << ".</p><ul class=\"log\">";
    for (const RunAttestation& one : notes.attestations) attestation(h, one, view);
    h << "</ul>";
    if (notes.attestations_total > notes.attestations.size()) {
      h << "<p>The newest "
        << text(display::count(static_cast<std::int64_t>(notes.attestations.size()))) << " of "
        << text(display::count(static_cast<std::int64_t>(notes.attestations_total))) << ".</p>";
    }
  }
  h << "<p>Community attestations. They never change the evidence level; only a "
       "KernelIndex-controlled rerun does.</p><h3>Add a reproduction or note</h3>";
  switch (takes(site)) {
    case notes::Takes::kAnything:
      h << "<p>No account needed. What you write is public, stays with the run and is shown as an "
           "unsigned note; name and address are not kept.</p>";
      note_form(h, view);
      [[fallthrough]];
    case notes::Takes::kSigned:
      h << "<p>Signed, by a key that this index trusts: ";
      copy_line(h, "ki attest " + view.id + " --key KEY.pem --type reproduced --text TEXT",
                "Copy the ki line");
      h << "</p>";
      break;
    case notes::Takes::kNothing:
      h << "<p>The operator of this index does not take notes over the web.</p>";
      break;
  }
  h << "</section>\n";
}

void report_section(Html& h, const Site& site, const RunView& view, const notes::RunNotes& notes) {
  h << "<section aria-labelledby=\"report\"><h2 id=\"report\">Report an issue with this run</h2>";
  if (!notes.reports.empty()) {
    h << "<p>"
      << text(display::count_noun(static_cast<std::int64_t>(notes.open_reports), "open report"))
      << ", " << text(display::count(static_cast<std::int64_t>(notes.reports_total)))
      << " in all. Unsigned; not checked by anybody unless it says so.</p><ul class=\"log\">";
    for (const RunReport& one : notes.reports) {
      h << "<li><p><strong>" << text(label_of(kReasons, one.report.reason)) << "</strong> · ";
      day_of(h, one.created_at);
      h << " · <span class=\"status\">" << text(display::words(one.state))
        << "</span> · unsigned note</p>";
      words(h, one.report.detail);
      evidence_link(h, one.report.evidence_url);
      if (one.resolution) {
        h << "<p class=\"small\">" << text(one.resolution->actor) << ", ";
        day_of(h, one.resolution->at);
        h << ": " << text(one.resolution->reason) << "</p>";
      }
      h << "</li>";
    }
    h << "</ul>";
  }
  if (takes(site) == notes::Takes::kAnything) {
    h << "<p>Wrong result, attribution, licence or comparability: no account needed. What you "
         "write is public. A report changes nothing by itself; an accepted one leads to a "
         "retraction or a correction, which this page then shows.</p>";
    report_form(h, view);
  } else {
    h << "<p>Wrong result, attribution, licence or comparability: tell the operator of this index, "
         "or its source";
    if (const auto url = Url::external(view.source_url)) {
      h << ", ";
      named_link(h, *url, view.source.name);
    }
    h << ", and name the digest. A report changes nothing by itself; an accepted one leads to a "
         "retraction or a correction, which this page then shows.</p>";
  }
  h << "</section>\n";
}

http::Response file_attestation(const Site& site, const http::Request& request) {
  return file(site, request, &notes::Desk::attest, "Note stored", "Your note is stored.");
}

http::Response file_report(const Site& site, const http::Request& request) {
  return file(site, request, &notes::Desk::report, "Report stored", "Your report is stored.");
}

}  // namespace ki::web
