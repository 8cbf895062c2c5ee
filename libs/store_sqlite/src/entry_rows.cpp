#include "entry_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

namespace ki::store_sqlite {
namespace {

// By number, so that each row costs one load.
const std::array<bool, 256>& known_tables() {
  static const std::array<bool, 256> kKnown = [] {
    std::array<bool, 256> known{};
    for (const auto& info : catalog::tables()) known[static_cast<std::size_t>(info.table)] = true;
    return known;
  }();
  return kKnown;
}

}  // namespace

std::int64_t to_column(catalog::Seq seq) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(seq, static_cast<catalog::Seq>(kMost)));
}

Result<Digest> to_digest(std::string_view bytes, std::string_view what) {
  if (bytes.size() != Digest::kBytes) {
    return fail(Code::kCorrupt, fmt::format("{} has {} bytes instead of {}; run `ki fsck`", what,
                                            bytes.size(), Digest::kBytes));
  }
  return Digest::from_bytes(bytes);
}

Result<catalog::Entry> to_entry(const Statement& row) {
  const std::int64_t seq = row.integer(0);
  const std::int64_t table = row.integer(1);
  const std::int64_t version = row.integer(3);
  if (seq < 1 || table < 0 || table > 255 || version < 0 ||
      version > std::numeric_limits<std::uint32_t>::max()) {
    return fail(
        Code::kCorrupt,
        fmt::format("entry {} holds impossible numbers (table {}, version {}); run `ki fsck`", seq,
                    table, version));
  }
  if (!known_tables()[static_cast<std::size_t>(table)]) {
    return fail(
        Code::kUnsupported,
        fmt::format("entry {} is of table {}, which this ki does not know: update ki", seq, table));
  }
  catalog::Entry entry;
  entry.seq = static_cast<catalog::Seq>(seq);
  entry.table = static_cast<catalog::Table>(table);
  entry.key = row.text(2);
  entry.version = static_cast<std::uint32_t>(version);
  if (!row.is_null(4)) {
    KI_TRY(entry.digest, to_digest(row.text(4), "the digest of an entry"));
  }
  entry.body = row.text(5);
  return entry;
}

catalog::OwnedEntry to_owned(const catalog::Entry& entry) {
  return {entry.seq,     entry.table,  std::string(entry.key),
          entry.version, entry.digest, std::string(entry.body)};
}

Result<std::optional<catalog::OwnedEntry>> read_one(Statement& statement) {
  const ResetAtExit reset(statement);
  KI_TRY(const bool row, statement.step());
  if (!row) return std::nullopt;
  KI_TRY(const catalog::Entry entry, to_entry(statement));
  return to_owned(entry);
}

Result<catalog::Head> read_head(Statement& statement) {
  const ResetAtExit reset(statement);
  KI_TRY(const bool row, statement.step());
  if (!row) return catalog::Head{};
  KI_TRY(const Digest chain, to_digest(statement.text(1), "the last commit's chain value"));
  return catalog::Head{static_cast<catalog::Seq>(statement.integer(0)), chain};
}

}  // namespace ki::store_sqlite
