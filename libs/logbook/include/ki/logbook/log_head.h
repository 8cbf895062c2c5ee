// LogHead: the state of a catalog's log after one transaction, as a row of table log_heads.
#pragma once

#include "ki/base/result.h"
#include "ki/catalog/store.h"
#include "ki/tlog/merkle.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ki::logbook {

struct LogHead {
  static constexpr std::string_view kKey = "main";  // a catalog has one log

  std::string origin;
  tlog::Frontier tree;

  // Canonical JSON {"log":"main","origin","root","roots":[...],"size"}.
  std::string to_json() const;
  // Fails with kCorrupt when the roots are not those of a tree of that size and root.
  static Result<LogHead> parse(std::string_view body);
};

struct StoredHead {
  LogHead head;
  catalog::Seq seq = 0;  // of its row: the leaves stand before it
  std::uint32_t version = 0;
};

// The newest committed one; nothing when the catalog has no log.
Result<std::optional<StoredHead>> read_head(catalog::Store& store);
// The one that a log of exactly `size` leaves had; nothing when there never was one.
Result<std::optional<StoredHead>> read_head_of(catalog::Store& store, std::uint64_t size);

}  // namespace ki::logbook
