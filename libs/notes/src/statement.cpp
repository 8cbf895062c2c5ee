#include "ki/notes/statement.h"

#include "ki/json/reader.h"
#include "ki/json/writer.h"
#include "rows.h"

#include <fmt/format.h>

namespace ki::notes {
namespace {

constexpr std::string_view kSubject = "run";

std::unexpected<Error> wrong(std::string message) {
  return fail(Code::kInvalidArgument, "signed attestation: " + message);
}

}  // namespace

sign::Statement SignedAttestation::to_statement() const {
  sign::Statement statement;
  statement.subjects = {{std::string(kSubject), run}};
  statement.predicate_type = kPredicateType;
  json::Writer w(statement.predicate);  // members in canonical order
  w.begin_object().member("body", attestation.body);
  if (!attestation.environment.empty()) w.member("environmentSummary", attestation.environment);
  if (!attestation.evidence_url.empty()) w.member("evidenceUrl", attestation.evidence_url);
  if (attestation.observed_ns) w.member("observedNs", *attestation.observed_ns);
  w.member("signedAt", signed_at.to_string()).member("type", attestation.type).end_object();
  return statement;
}

Result<SignedAttestation> SignedAttestation::read(const sign::Statement& statement) {
  if (statement.predicate_type != kPredicateType) {
    return wrong(fmt::format("its predicate type is not {}", kPredicateType));
  }
  if (statement.subjects.size() != 1 || statement.subjects.front().name != kSubject) {
    return wrong("expected exactly one subject, named \"run\"");
  }
  KI_TRY(const json::Document document, json::read_document(statement.predicate));
  SignedAttestation out;
  out.run = statement.subjects.front().digest;
  const auto at = parse_instant(text_of(document.root, "signedAt"));
  if (!at || !at->is_canonical) {
    return wrong("'signedAt' is no instant such as 2026-08-15T02:02:57.440Z");
  }
  out.signed_at = at->instant;
  // What is left is what an unsigned one says.
  std::vector<json::Member> members;
  for (const json::Member& member : document.root.members()) {
    if (member.key != "signedAt") members.push_back(member);
  }
  KI_TRY(out.attestation, read_attestation(json::Value::object(members)));
  return out;
}

Result<SignedAttestation> SignedAttestation::read(const sign::Envelope& envelope) {
  if (envelope.payload_type != sign::kInTotoType) {
    return wrong(fmt::format("the envelope's payload type is not {}", sign::kInTotoType));
  }
  KI_TRY(const sign::Statement statement, sign::Statement::parse(envelope.payload));
  return read(statement);
}

sign::Envelope sign_attestation(const SignedAttestation& attestation, const sign::PrivateKey& key) {
  return sign::sign_envelope(std::string(sign::kInTotoType), attestation.to_statement().to_json(),
                             key);
}

}  // namespace ki::notes
