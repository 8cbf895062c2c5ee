// Signed attestations: an in-toto statement about a run, in a DSSE envelope.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/digest/digest.h"
#include "ki/notes/draft.h"
#include "ki/sign/dsse.h"
#include "ki/sign/statement.h"

namespace ki::notes {

inline constexpr std::string_view kPredicateType = "https://kernelindex.dev/attestation/v1";

struct SignedAttestation {
  Digest run = Digest::of("");
  Attestation attestation;
  Instant signed_at;
  bool operator==(const SignedAttestation&) const = default;

  // One subject, "run"; predicate {body, environmentSummary?, evidenceUrl?, observedNs?, signedAt,
  // type}.
  sign::Statement to_statement() const;
  // Strict: exactly one subject, every member, no other.
  static Result<SignedAttestation> read(const sign::Statement& statement);
  // What an envelope says, whoever signed it.
  static Result<SignedAttestation> read(const sign::Envelope& envelope);
};

sign::Envelope sign_attestation(const SignedAttestation& attestation, const sign::PrivateKey& key);

}  // namespace ki::notes
