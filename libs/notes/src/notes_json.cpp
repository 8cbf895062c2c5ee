#include "ki/notes/run_notes.h"

namespace ki::notes {
namespace {

void text_or_null(json::Writer& w, std::string_view name, std::string_view text) {
  w.key(name);
  if (text.empty()) {
    w.null();
  } else {
    w.value(text);
  }
}

void write_decision(json::Writer& w, std::string_view name,
                    const std::optional<Decision>& decision) {
  w.key(name);
  if (!decision) {
    w.null();
    return;
  }
  w.begin_object()
      .member("at", decision->at)
      .member("actor", decision->actor)
      .member("reason", decision->reason)
      .end_object();
}

}  // namespace

std::string_view to_string(Signing signing) {
  switch (signing) {
    case Signing::kUnsigned:
      return "unsigned";
    case Signing::kSigned:
      return "signed";
    case Signing::kNotBelieved:
      break;
  }
  return "not_believed";
}

void write_members(json::Writer& w, const RunNotes& notes) {
  w.key("attestations").begin_array();
  for (const RunAttestation& one : notes.attestations) {
    w.begin_object().member("id", one.id).member("type", one.attestation.type);
    text_or_null(w, "body", one.attestation.body);
    text_or_null(w, "evidenceUrl", one.attestation.evidence_url);
    w.nullable("observedNs", one.attestation.observed_ns);
    text_or_null(w, "environmentSummary", one.attestation.environment);
    w.member("createdAt", one.created_at).member("signing", to_string(one.signing));
    text_or_null(w, "keyId", one.key_id);
    text_or_null(w, "owner", one.owner);
    write_decision(w, "hidden", one.hidden);
    w.end_object();
  }
  w.end_array().member("attestationsTotal", notes.attestations_total).key("reports").begin_array();
  for (const RunReport& one : notes.reports) {
    w.begin_object()
        .member("id", one.id)
        .member("reason", one.report.reason)
        .member("detail", one.report.detail);
    text_or_null(w, "evidenceUrl", one.report.evidence_url);
    w.member("createdAt", one.created_at).member("state", one.state);
    write_decision(w, "resolution", one.resolution);
    w.end_object();
  }
  w.end_array()
      .member("reportsTotal", notes.reports_total)
      .member("openReports", notes.open_reports);
}

}  // namespace ki::notes
