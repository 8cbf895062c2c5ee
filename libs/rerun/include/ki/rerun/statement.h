// ControlledRerun: what a runner says when it signs a run that it made itself: predicate
// controlled-rerun/v1 of an in-toto statement about the run (harness 13 section 3). The statement
// names everything by digest; whether it is true is checked from those records, see assess.h.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/digest/digest.h"
#include "ki/sign/dsse.h"
#include "ki/sign/statement.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::rerun {

inline constexpr std::string_view kPredicateType = "https://kernelindex.dev/controlled-rerun/v1";
inline constexpr std::string_view kAttestationKind = "controlled_rerun";
inline constexpr std::string_view kUnknownMachine = "unknown";

struct Runner {
  std::string owner;                     // who answers for it, as in the trust list
  std::string machine{kUnknownMachine};  // 64 hex digits that tell machines apart
  std::string host_class;                // "vm", "bare", "bare_locked"
  std::string version;                   // of this program
  bool operator==(const Runner&) const = default;
};

struct ControlledRerun {
  Digest run = Digest::of(""), implementation = Digest::of(""), workload = Digest::of(""),
         protocol = Digest::of(""), environment = Digest::of("");
  Digest key_commitment = Digest::of("");  // to the secret that every input was drawn from
  std::vector<Digest> evidence;            // records, one for each case; not empty
  std::optional<Digest> job = {};          // the signed job that asked for it
  Runner runner;
  Instant started, finished;
  bool operator==(const ControlledRerun&) const = default;

  sign::Statement to_statement() const;
  // Strict: every member, no other. Fails with kInvalidArgument.
  static Result<ControlledRerun> read(const sign::Statement& statement);
};

// The envelope of the statement, signed.
sign::Envelope sign_rerun(const ControlledRerun& rerun, const sign::PrivateKey& key);

}  // namespace ki::rerun
