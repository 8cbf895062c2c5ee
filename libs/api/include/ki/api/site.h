// Site: what every answer of one edition is made from. A pure value: the same site and the same
// request make the same bytes.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/notes/desk.h"
#include "ki/sign/trust.h"
#include "ki/views/catalog_version.h"

#include <memory>
#include <string>

namespace ki::api {

struct Site {
  std::shared_ptr<const views::CatalogVersion> catalog;
  Instant now;               // for ages and staleness, and generatedAt
  std::string public_url{};  // of this index, without a final slash; empty: unknown
  std::string version{};     // of the program
  std::string cursor_key{};  // secret: cursors are signed with it
  // Whose signatures are believed; null: nobody's.
  std::shared_ptr<const sign::TrustList> trust{};
  // Takes attestations and reports; null: none are taken. The only part of a site that writes.
  std::shared_ptr<notes::Desk> desk{};

  const catalog::Snapshot& snapshot() const { return catalog->snapshot(); }
};

// The `now` of an edition: answers that are cached and tagged with the catalog version and the UTC
// day must not depend on the second in which a process made them. The beginning of the day, or the
// commit of the version when that is later.
Result<Instant> edition_time(const views::CatalogVersion& catalog, Instant now);

}  // namespace ki::api
