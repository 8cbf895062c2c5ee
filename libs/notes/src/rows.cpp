#include "rows.h"

#include "ki/json/writer.h"

namespace ki::notes {
namespace {

// Members are written in canonical order.
void text_or_null(json::Writer& w, std::string_view name, std::string_view text) {
  w.key(name);
  if (text.empty()) {
    w.null();
  } else {
    w.value(text);
  }
}

}  // namespace

std::string_view text_of(const json::Value& row, std::string_view member) {
  const json::Value* value = row.find(member);
  return value != nullptr && value->is_string() ? value->string() : std::string_view();
}

std::string attestation_row(const Uuid& id, const RunName& run, const Attestation& attestation,
                            Instant now) {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("body", attestation.body).member("createdAt", now.to_string());
  w.key("envelope").null();
  text_or_null(w, "environmentSummary", attestation.environment);
  text_or_null(w, "evidenceUrl", attestation.evidence_url);
  w.key("hidden").null().member("id", id.to_string()).key("keyId").null();
  w.member("kind", attestation.type)
      .nullable("observedNs", attestation.observed_ns)
      .member("runDigest", run.digest.to_string())
      .member("runId", run.id)
      .end_object();
  return out;
}

std::string signed_row(const Uuid& id, const RunName& run, std::string_view type,
                       std::string_view envelope, std::string_view key_id, Instant now) {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("createdAt", now.to_string()).member("envelope", envelope);
  w.key("hidden").null();
  w.member("id", id.to_string())
      .member("keyId", key_id)
      .member("kind", type)
      .member("runDigest", run.digest.to_string())
      .member("runId", run.id)
      .end_object();
  return out;
}

std::string report_row(const Uuid& id, const RunName& run, const Report& report, Instant now) {
  std::string out;
  json::Writer w(out);
  w.begin_object().member("createdAt", now.to_string()).member("detail", report.detail);
  text_or_null(w, "evidenceUrl", report.evidence_url);
  w.member("id", id.to_string()).member("reason", report.reason).key("resolution").null();
  w.member("state", "open")
      .member("targetDigest", run.digest.to_string())
      .member("targetId", run.id)
      .member("targetKind", "run")
      .end_object();
  return out;
}

}  // namespace ki::notes
