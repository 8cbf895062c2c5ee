// The transparency log of a catalog: begun once, checked against the rows that it names.
#pragma once

#include "ki/base/instant.h"
#include "ki/base/result.h"
#include "ki/base/uuid.h"
#include "ki/catalog/store.h"
#include "ki/logbook/log_head.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ki::logbook {

// "ki.invalid/<first 16 hex digits of the catalog's id>".
std::string default_origin(std::string_view catalog_id);

// Begins the log of a catalog: one transaction with a leaf for everything that was published so
// far, in the order of publication. Fails with kConflict when the catalog has a log,
// kInvalidArgument for an origin that cannot name a key.
Result<LogHead> begin_log(catalog::Store& store, std::string_view origin, std::string_view actor,
                          Instant now, UuidSource& ids);

struct LogCheck {
  std::uint64_t leaves = 0;
  std::uint64_t heads = 0;
  std::vector<std::string> problems;  // sentences; at most 100
};
// Recomputes the log from the rows: that the leaves are numbered without gaps and in the order of
// publication, that every row that asks for a leaf has one and no other leaf exists, that each
// audit_head names the store's chain, and each head its tree. Nothing without a log.
Result<std::optional<LogCheck>> check_log(catalog::Store& store);

}  // namespace ki::logbook
