// The keys that sign for a catalog, which lie beside it: made, found, and used to begin its log.
#pragma once

#include "command.h"
#include "ki/base/uuid.h"
#include "ki/logbook/logbook.h"
#include "ki/logbook/trust_store.h"
#include "ki/sign/ed25519.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ki::cli {

// Owner of keys that nobody claimed.
inline constexpr std::string_view kThisCatalog = "this catalog";

UuidSource new_ids();

// Makes a runner key and a log key and trusts them in this catalog. A key that an interrupted
// earlier call made is used. Fails with kConflict when the catalog has its keys already.
Result<std::vector<sign::TrustedKey>> make_keys(catalog::Store& store,
                                                const std::filesystem::path& catalog,
                                                const std::string& origin, const std::string& owner,
                                                const logbook::TrustChange& change);

// Begins the log under its key's name; `origin`, where given, must be that.
Result<logbook::LogHead> begin_catalog_log(OpenCatalog& catalog,
                                           const std::optional<std::string>& origin,
                                           std::string_view actor, Instant now);

// Who signs runs for this catalog.
struct CatalogRunner {
  sign::PrivateKey key;
  std::string owner;
};
// Nothing when the catalog has no runner key; fails when it has one that it does not trust.
Result<std::optional<CatalogRunner>> find_runner(catalog::Store& store,
                                                 const std::filesystem::path& catalog);

}  // namespace ki::cli
