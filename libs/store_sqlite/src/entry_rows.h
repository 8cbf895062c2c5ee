// Rows of the table `entries` as Entry values, checked while they are read: damaged bytes become
// kCorrupt here and never reach a caller.
#pragma once

#include "database.h"
#include "ki/base/result.h"
#include "ki/catalog/store.h"

#include <optional>
#include <string>
#include <string_view>

namespace ki::store_sqlite {

// The columns that to_entry() reads, in its order.
#define KI_ENTRY_COLUMNS "seq, tbl, key, version, digest, body"

// The largest sequence number that SQLite can hold; `upto` of callers is cut to it.
std::int64_t to_column(catalog::Seq seq);

// The views in the entry live until the statement's next step.
Result<catalog::Entry> to_entry(const Statement& row);
Result<Digest> to_digest(std::string_view bytes, std::string_view what);
catalog::OwnedEntry to_owned(const catalog::Entry& entry);

// The entry of the first row, after which the statement is reset.
Result<std::optional<catalog::OwnedEntry>> read_one(Statement& statement);

inline constexpr std::string_view kFindSeq =
    "SELECT " KI_ENTRY_COLUMNS " FROM entries WHERE seq = ?1";
inline constexpr std::string_view kFindKey =
    "SELECT " KI_ENTRY_COLUMNS
    " FROM entries WHERE tbl = ?1 AND key = ?2 AND seq <= ?3 ORDER BY version DESC LIMIT 1";
inline constexpr std::string_view kFindDigest =
    "SELECT " KI_ENTRY_COLUMNS
    " FROM entries WHERE tbl = ?1 AND key ="
    " (SELECT key FROM entries WHERE tbl = ?1 AND digest = ?2 AND version = 0)"
    " ORDER BY version DESC LIMIT 1";
inline constexpr std::string_view kReadHead =
    "SELECT last, chain FROM commits ORDER BY last DESC LIMIT 1";

// The last commit; the empty log's head when there is none. Resets the statement (of kReadHead).
Result<catalog::Head> read_head(Statement& statement);

}  // namespace ki::store_sqlite
