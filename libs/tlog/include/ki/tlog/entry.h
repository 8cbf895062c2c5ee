// Entry: what a leaf of our log says. It names a record by digest and does not contain it.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/digest/digest.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::tlog {

enum class EntryType : std::uint8_t {
  kRun,
  kSuite,
  kProtocol,
  kEnvironment,
  kOperation,
  kWorkload,
  kImplementation,
  kRetraction,
  kSupersession,
  kAttestation,
  kKey,        // added, rotated or revoked
  kAuditHead,  // of the audit log's hash chain
};
std::string_view to_string(EntryType type);  // "run", "audit_head", ...

struct Entry {
  EntryType type = EntryType::kRun;
  // Of a manifest's canonical identity text; of an envelope's stored bytes; of a correction's
  // canonical text.
  Digest digest = Digest::of("");
  std::vector<Digest> parents;  // what it refers to
  Instant at;                   // this log's own clock, in whole seconds: disclosed, not trusted
  bool operator==(const Entry&) const = default;
};

// RFC 8785 text of {at, digest, parents, type, v: 1}; parents sorted. At most 700 parents
// (checked).
std::string to_text(const Entry& entry);
// Exactly what to_text() writes.
Result<Entry> read_entry(std::string_view text);

}  // namespace ki::tlog
