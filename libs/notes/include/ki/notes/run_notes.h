// What was said about one run, for pages, JSON and the command line.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/digest/digest.h"
#include "ki/json/writer.h"
#include "ki/notes/draft.h"
#include "ki/sign/trust.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::notes {

// At most so many of each are handed out, newest first.
inline constexpr std::size_t kMaxShown = 200;

enum class Signing : std::uint8_t {
  kUnsigned,
  kSigned,       // a key that the catalog trusts for attestations; verified now
  kNotBelieved,  // was signed; its key is not trusted (any more), or the signature does not hold
};
std::string_view to_string(Signing signing);  // "unsigned", "signed", "not_believed"

struct Decision {
  std::string at;  // an instant
  std::string actor, reason;
};

struct RunAttestation {
  std::string id;
  Attestation attestation;  // its texts are empty when it is hidden
  std::string created_at;   // an instant
  Signing signing = Signing::kUnsigned;
  std::string key_id;  // of the key that signed (or was said to)
  std::string owner;   // of the trusted key; empty otherwise
  std::optional<Decision> hidden = {};
};

struct RunReport {
  std::string id;
  Report report;
  std::string created_at;
  std::string state;  // "open", "resolved", "dismissed"
  std::optional<Decision> resolution = {};
};

struct RunNotes {
  std::vector<RunAttestation> attestations;  // newest first
  std::vector<RunReport> reports;            // newest first
  std::size_t attestations_total = 0;
  std::size_t reports_total = 0;
  std::size_t open_reports = 0;
};

// Of the run, as of `upto`. Rows of other kinds (controlled reruns) are no notes; a row that cannot
// be read is left out.
Result<RunNotes> read_notes(catalog::Store& store, catalog::Seq upto, std::string_view run_id,
                            const Digest& run_digest, const sign::TrustList& trust);

// Members "attestations", "attestationsTotal", "reports", "reportsTotal", "openReports" of an
// object that is open.
void write_members(json::Writer& w, const RunNotes& notes);

}  // namespace ki::notes
