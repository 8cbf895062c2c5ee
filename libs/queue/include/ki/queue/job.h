// Job: what a runner is asked to do. A signed manifest that names everything by digest (harness 13
// section 3, "Job admission"); nothing in it can mean something else later.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/digest/digest.h"
#include "ki/sign/dsse.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ki::queue {

inline constexpr std::string_view kJobType = "application/vnd.kernelindex.job.v1+json";

// What a runner must be. Its class and isolation come from probes of its machine.
struct Requirement {
  std::string host_class = "any";  // "any", "vm", "bare", "bare_locked"
  bool needs_full_isolation = false;
  bool operator==(const Requirement&) const = default;
};

struct Limits {
  std::int64_t attempts =
      3;  // 1 to 1000: leases that may be lost or fail before the job has failed
  std::int64_t seconds = 3600;  // 1 to 86,400: of one attempt
  bool operator==(const Limits&) const = default;
};

struct Job {
  Uuid id;
  Instant created, expires;  // no attempt begins at or after `expires`
  std::string nonce;         // 32 hex digits
  std::string problem;       // a token: the definition's name
  std::string location;  // the folder of the problem where it was submitted: a hint, no identity
  Digest definition = Digest::of("");
  Digest workloads = Digest::of("");  // of the problem's cases, see workloads_digest()
  Digest solution = Digest::of("");   // of Solution::to_json(), which the queue keeps with the job
  std::optional<Digest> implementation = {};  // of the catalog, where the job reruns one
  std::vector<std::string> cases;             // each once, not empty: what must have one result
  std::string protocol = "ki_cold_v1";
  std::int64_t processes = 6, threads = 1;
  bool is_quick = false;  // for development: nothing is published
  Requirement runner;
  Limits limits;
  std::string origin;  // for people: "the solution kept with run 0199..."
  bool operator==(const Job&) const = default;

  // Canonical JSON (RFC 8785); the payload of the envelope.
  std::string to_json() const;
  // Strict: exactly the members, exactly the canonical spelling. A reference that is not a digest
  // ("latest", a tag, a path) is refused with kInvalidArgument.
  static Result<Job> read(std::string_view json);
  // Of to_json(): what a statement about a run of it names.
  Digest digest() const;
};

sign::Envelope sign_job(const Job& job, const sign::PrivateKey& key);
// The job of an envelope as it says itself; nothing is verified.
Result<Job> read_job(const sign::Envelope& envelope);
// The job, when one of the keys signed it: kConflict otherwise.
Result<Job> admit(const sign::Envelope& envelope, std::span<const sign::PublicKey> trusted);

}  // namespace ki::queue
