// Desk: takes attestations and reports about published runs, and the operator's decisions about
// them.
#pragma once

#include "ki/base/clock.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/store.h"
#include "ki/digest/digest.h"
#include "ki/http/problem.h"
#include "ki/notes/quota.h"
#include "ki/sign/trust.h"

#include <expected>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace ki::notes {

// The run that a note is about: published, found by the caller.
struct RunName {
  std::string id;
  Digest digest = Digest::of("");
};

struct Filed {
  std::string id;
  std::string run_id;
  bool is_new = true;  // false: the same words are there already, nothing was stored
  std::string key_id;  // of the trusted key that signed; empty: unsigned
  std::string owner;   // of that key
};

enum class Takes : std::uint8_t { kNothing, kSigned, kAnything };

class Desk {
 public:
  struct Options {
    catalog::Store* store = nullptr;  // never null; written to, from any thread
    const Clock* clock = nullptr;     // never null
    Takes takes = Takes::kNothing;
    std::string actor = "anonymous";  // of the audit log, for what is not signed
    Quota::Limits limits = {};
    std::uint64_t seed = 0;  // of ids
    // The trust list as it is now.
    std::function<Result<sign::TrustList>()> read_trust;
  };
  explicit Desk(Options options);

  Takes takes() const { return options_.takes; }

  // `request` is what read_attestation() reads, or {envelope}: a DSSE envelope as an object. The
  // same words about the same run are stored once.
  // Problems: 403 NOTES_NOT_TAKEN, UNTRUSTED_KEY; 422 INVALID_ATTESTATION,
  // INVALID_SIGNATURE; 429 QUOTA_EXCEEDED; 503 when the store cannot be written.
  std::expected<Filed, http::Problem> attest(const RunName& run, const json::Value& request,
                                             std::string_view client);
  // Problems: as above, 422 INVALID_REPORT.
  std::expected<Filed, http::Problem> report(const RunName& run, const json::Value& request,
                                             std::string_view client);

  // Hides the text of an attestation, for good: the row stays, its words are shown no more.
  // kNotFound; kConflict when it is hidden already.
  Result<void> hide(std::string_view run_id, std::string_view id, std::string_view reason);
  // Closes an open report: "resolved" (it led to a correction) or "dismissed". kNotFound; kConflict
  // when it is closed already.
  Result<void> close(std::string_view run_id, std::string_view id, std::string_view state,
                     std::string_view note);

 private:
  struct Words;
  std::expected<Filed, http::Problem> store(const RunName& run, const Words& words,
                                            std::string_view client);
  Result<void> decide(catalog::Table table, std::string_view run_id, std::string_view id,
                      std::string_view column, std::string_view state, std::string_view reason);

  Options options_;
  Quota quota_;
  std::mutex mutex_;  // of the ids; one note at a time
  UuidSource ids_;
};

}  // namespace ki::notes
