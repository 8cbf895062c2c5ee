// The trust list of a catalog: rows of table trusted_keys, each change a version with an audit
// event, and a leaf of the log where there is one.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/store.h"
#include "ki/sign/note.h"
#include "ki/sign/trust.h"

#include <string_view>
#include <vector>

namespace ki::logbook {

Result<sign::TrustList> read_trust(catalog::Store& store);

// The log keys of a list under the names by which notes know them; revoked ones are left out.
std::vector<sign::NoteVerifier> log_verifiers(const sign::TrustList& list);

struct TrustChange {
  std::string_view actor;
  std::string_view reason;  // may be empty
  Instant now;
};

// Adds keys in one transaction. kConflict when one is listed already.
Result<void> trust_keys(catalog::Store& store, std::span<const sign::TrustedKey> keys,
                        const TrustChange& change, UuidSource& ids);
// Revokes a key from `index` on; without one from the log's present size on.
Result<sign::Revocation> revoke_key(catalog::Store& store, const sign::PublicKey& key,
                                    std::optional<sign::LogIndex> index, const TrustChange& change,
                                    UuidSource& ids);

}  // namespace ki::logbook
